"""sbom.py: the contents of an archive of `make dist`, as an SPDX 2.3 document."""
# SPDX-License-Identifier: MIT

import hashlib
import json
import os
import re
import subprocess
import time
from pathlib import Path

EARLIEST = 315532800  # 1980, as in the archives: the same bytes whenever they are made.

# Where each library states its version, and its license.
LIBRARIES = {
    "zlib": ("zlib.h", r'#define ZLIB_VERSION "([^"]+)"', "Zlib"),
    "libpng": ("png.h", r'#define PNG_LIBPNG_VER_STRING "([^"]+)"', "libpng-2.0"),
    "libjpeg-turbo": ("jconfig.h", r"#define LIBJPEG_TURBO_VERSION +(\S+)",
                      "IJG AND BSD-3-Clause AND Zlib"),
}
RUNTIMES = {"musl": ("musl-dev", "MIT"), "mingw": ("mingw-w64-x86-64-dev", "ZPL-2.1 AND MIT")}
GCC_LICENSE = "GPL-3.0-or-later WITH GCC-exception-3.1"


def printed(*command):
    """What a command prints; NOASSERTION if it is missing or fails."""
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return "NOASSERTION"
    return done.stdout.strip() or "NOASSERTION"


def library_versions(include):
    """The version of each library, from the headers that the tool was compiled with."""
    found = {}
    for name, (header, pattern, _) in LIBRARIES.items():
        text = (Path(include) / header).read_text(encoding="utf-8", errors="replace")
        found[name] = re.search(pattern, text).group(1)
    return found


def package(name, version, license, **more):
    return {"SPDXID": "SPDXRef-Package-%s" % name, "name": name, "versionInfo": version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": license, "licenseDeclared": license,
            "copyrightText": "NOASSERTION", **more}


def linked_packages(target, include):
    """What is linked into the tool: libraries, and the runtimes of C and of the compiler."""
    versions = library_versions(include)
    found = [package(name, versions[name], LIBRARIES[name][2]) for name in LIBRARIES]
    debian, license = RUNTIMES[target.name]
    version = printed("dpkg-query", "-W", "-f", "${Version}", debian)
    found.append(package("musl" if target.name == "musl" else "mingw-w64", version, license))
    version = printed(target.compiler[0], "-dumpfullversion")
    return found + [package("libgcc", version, GCC_LICENSE)]


def file_entry(number, name, data):
    sums = [{"algorithm": kind, "checksumValue": hashlib.new(kind, data).hexdigest()}
            for kind in ("sha1", "sha256")]
    for one in sums:
        one["algorithm"] = one["algorithm"].upper()
    return {"SPDXID": "SPDXRef-File-%d" % number, "fileName": "./" + name, "checksums": sums,
            "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION"}


def related(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def document(name, version, files, linked):
    """The document as JSON, for `files`: pairs of a name and bytes."""
    entries = [file_entry(i, path, data) for i, (path, data) in enumerate(files)]
    sums = sorted(entry["checksums"][0]["checksumValue"] for entry in entries)
    code = hashlib.sha1("".join(sums).encode()).hexdigest()
    tool = package("tenon", version, "MIT", filesAnalyzed=True,
                   packageVerificationCode={"packageVerificationCodeValue": code},
                   licenseInfoFromFiles=["NOASSERTION"])
    created = int(os.environ.get("SOURCE_DATE_EPOCH", EARLIEST))
    relations = [related("SPDXRef-DOCUMENT", "DESCRIBES", tool["SPDXID"])]
    relations += [related(tool["SPDXID"], "CONTAINS", entry["SPDXID"]) for entry in entries]
    relations += [related(tool["SPDXID"], "STATIC_LINK", one["SPDXID"]) for one in linked]
    text = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": name, "documentNamespace": "https://spdx.org/spdxdocs/%s-%s" % (name, code),
            "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(created)),
                             "creators": ["Tool: tenon-dist-%s" % version]},
            "packages": [tool] + linked, "files": entries, "relationships": relations}
    return (json.dumps(text, indent=2) + "\n").encode()
