#!/usr/bin/env python3
"""test_fail_memory.py: every command with every allocation failing, once and for ever.

With --long, all allocations of all scenarios; else as many as there is time for, with a fixed seed.
"""
# SPDX-License-Identifier: MIT

import sys

from fault_runner import Campaign, Fault, tool
from scenarios import all_scenarios, commands_of


def allocations(calls):
    return [Fault("memory", number, how) for number in range(1, calls["memory"] + 1)
            for how in ("once", "ever")]


def main():
    scenarios = all_scenarios()
    untried = commands_of(tool()) - {scenario.command for scenario in scenarios}
    if untried:
        print(f"commands that no scenario tries: {sorted(untried)}")
        return 1
    campaign = Campaign(most=None if "--long" in sys.argv else 8)
    campaign.run(scenarios, allocations)
    return campaign.end()


if __name__ == "__main__":
    sys.exit(main())
