#!/usr/bin/env python3
"""test_fail_files.py: every command with every file operation failing, in every way.

With --long, all calls of all scenarios; else as many as there is time for, with a fixed seed.
"""
# SPDX-License-Identifier: MIT

import errno
import sys

from fault_runner import Campaign, Fault
from scenarios import all_scenarios

ERRORS = ("EIO", "ENOSPC", "EACCES")
OPERATIONS = ("read", "write", "open", "close", "stat", "map", "sync", "rename", "remove", "lock",
              "mode", "list")
INTERRUPTED = ("read", "write", "open", "close", "sync")  # What a signal can interrupt,
SHORT = ("read", "write")                                 # and what may do less than requested.


def failures(calls):
    found = []
    for operation in OPERATIONS:
        for number in range(1, calls[operation] + 1):
            found += [Fault(operation, number, how, f"error={getattr(errno, name)}")
                      for name in ERRORS for how in ("once", "ever")]
            if operation in INTERRUPTED:
                found.append(Fault(operation, number, "once", f"error={errno.EINTR}"))
            if operation in SHORT:
                found += [Fault(operation, number, how, "short=0") for how in ("once", "ever")]
    return found


def main():
    campaign = Campaign(most=None if "--long" in sys.argv else 8)
    campaign.run(all_scenarios(), failures)
    return campaign.end()


if __name__ == "__main__":
    sys.exit(main())
