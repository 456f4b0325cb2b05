#!/usr/bin/env python3
"""test_sbom.py: the parts list of an archive of `make dist` has what SPDX 2.3 requires."""
# SPDX-License-Identifier: MIT

import hashlib
import importlib.machinery
import importlib.util
import json
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))

import cross  # noqa: E402
import sbom  # noqa: E402

HEADERS = {"zlib.h": '#define ZLIB_VERSION "1.2.13"\n',
           "png.h": '#define PNG_LIBPNG_VER_STRING "1.6.39"\n',
           "jconfig.h": "#define LIBJPEG_TURBO_VERSION  2.1.5\n"}
RELATIONS = {"DESCRIBES", "CONTAINS", "STATIC_LINK"}
ID = re.compile(r"SPDXRef-[A-Za-z0-9.-]+$")


def load_dist():
    loader = importlib.machinery.SourceFileLoader("dist", str(ROOT / "tools/dist"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("dist", loader))
    loader.exec_module(module)
    return module


class Sbom(unittest.TestCase):
    def setUp(self):
        """A machine on which libraries and tool have been built."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)
        include = self.work / "musl/libraries/include"
        include.mkdir(parents=True)
        for name, text in HEADERS.items():
            (include / name).write_text(text)
        for name in cross.LIBRARIES:
            paper = self.work / "sources" / (name + "-1.0") / "debian/copyright"
            paper.parent.mkdir(parents=True)
            paper.write_text("the notice of %s" % name)
        (self.work / "musl.txt").write_text("the notice of musl")
        self.tool = self.work / "tenon"
        self.tool.write_bytes(b"a program")
        self.dist = load_dist()
        for what, name, value in ((cross, "WORK", self.work), (cross, "SOURCES",
                                                               self.work / "sources"),
                                  (self.dist, "RUNTIMES", {"musl": self.work / "musl.txt"})):
            patch = mock.patch.object(what, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def contents(self):
        files = self.dist.contents(cross.by_name("musl"), self.tool, "tenon-1.2.3-linux-x86_64")
        return {name: data for name, data, _ in files}

    def document(self):
        return json.loads(self.contents()["tenon.spdx.json"])

    def test_the_document_has_every_required_field(self):
        text = self.document()
        self.assertEqual(text["spdxVersion"], "SPDX-2.3")
        self.assertEqual(text["dataLicense"], "CC0-1.0")
        self.assertEqual(text["SPDXID"], "SPDXRef-DOCUMENT")
        self.assertEqual(text["name"], "tenon-1.2.3-linux-x86_64")
        self.assertRegex(text["documentNamespace"], r"^https://[^#\s]+-[0-9a-f]{40}$")
        self.assertRegex(text["creationInfo"]["created"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        for creator in text["creationInfo"]["creators"]:
            self.assertRegex(creator, r"^(Tool|Person|Organization): \S")

    def test_packages_have_versions_and_licenses(self):
        packages = {one["name"]: one for one in self.document()["packages"]}
        self.assertEqual(set(packages), {"tenon", "zlib", "libpng", "libjpeg-turbo", "musl",
                                         "libgcc"})
        versions = {name: one["versionInfo"] for name, one in packages.items()}
        self.assertEqual((versions["zlib"], versions["libpng"], versions["libjpeg-turbo"]),
                         ("1.2.13", "1.6.39", "2.1.5"))
        self.assertEqual(versions["tenon"], self.dist.version())
        for name, one in packages.items():
            for field in ("SPDXID", "downloadLocation", "versionInfo", "licenseConcluded",
                          "licenseDeclared", "copyrightText"):
                self.assertTrue(one[field], (name, field))
            self.assertEqual(one["filesAnalyzed"], "packageVerificationCode" in one, name)

    def test_every_other_file_is_listed_with_its_checksums(self):
        contents, text = self.contents(), self.document()
        listed = {one["fileName"]: one for one in text["files"]}
        self.assertEqual(set(listed), {"./" + name for name in contents} - {"./tenon.spdx.json"})
        for path, one in listed.items():
            sums = {item["algorithm"]: item["checksumValue"] for item in one["checksums"]}
            data = contents[path[2:]]
            self.assertEqual(sums, {"SHA1": hashlib.sha1(data).hexdigest(),
                                    "SHA256": hashlib.sha256(data).hexdigest()}, path)
        sums = sorted(hashlib.sha1(data).hexdigest() for name, data in contents.items()
                      if name != "tenon.spdx.json")
        code = text["packages"][0]["packageVerificationCode"]["packageVerificationCodeValue"]
        self.assertEqual(code, hashlib.sha1("".join(sums).encode()).hexdigest())

    def test_relationships_connect_everything(self):
        text = self.document()
        names = [one["SPDXID"] for one in [text] + text["packages"] + text["files"]]
        self.assertEqual(len(set(names)), len(names))
        for name in names:
            self.assertRegex(name, ID)
        for one in text["relationships"]:
            self.assertIn(one["relationshipType"], RELATIONS)
            self.assertIn(one["spdxElementId"], names)
        reached = {one["relatedSpdxElement"] for one in text["relationships"]}
        self.assertEqual(reached, set(names) - {"SPDXRef-DOCUMENT"})

    def test_it_is_the_same_whenever_it_is_made(self):
        self.assertEqual(self.contents(), self.contents())
        self.assertIn("1980-01-01T00:00:00Z", self.document()["creationInfo"]["created"])
        with mock.patch.dict(os.environ, SOURCE_DATE_EPOCH="1700000000"):
            self.assertEqual(self.document()["creationInfo"]["created"], "2023-11-14T22:13:20Z")

    def test_notices_of_all_libraries_are_given(self):
        notices = self.contents()["NOTICES.txt"].decode()
        for name in cross.LIBRARIES + ("musl",):
            self.assertIn("the notice of %s" % name, notices)
        self.assertIn("based in part on the work of the Independent JPEG Group",
                      notices)


if __name__ == "__main__":
    unittest.main()
