#!/usr/bin/env python3
"""Makes dockerfile/seccomp_default.c from the engine's default seccomp profile.

usage: seccomp_table.py PROFILE VERSION > dockerfile/seccomp_default.c

PROFILE is profiles/seccomp/default.json of Debian's golang-github-docker-docker-dev, VERSION
that package's version.  To cost little of the binary (7 kB), and to be read by a person:
what is the default in a rule (action ALLOW, no arguments, no conditions, no comment) is left
out, its names stand in one string, and ' stands for ".
"""
import json
import re
import sys

RULE_DEFAULTS = {"action": "SCMP_ACT_ALLOW", "args": [], "comment": "", "includes": {}, "excludes": {}}
WIDTH = 88  # a tab and two quotes more make at most 100 columns


def compact_rule(rule):
    kept = {"names": " ".join(rule["names"])}
    for key, value in rule.items():
        if key == "names" or (value or RULE_DEFAULTS.get(key)) == RULE_DEFAULTS.get(key, ""):
            continue
        kept[key] = value
    return kept


def single_quoted(value):
    text = json.dumps(value, separators=(",", ":"))
    if "'" in text or "\\" in text:
        sys.exit("seccomp_table.py: a quote or backslash in the profile cannot be written")
    return text.replace('"', "'")


def lines_of(text):
    """Cuts after a space or comma, where no line gets longer than WIDTH."""
    line = ""
    for piece in re.findall(r"[^ ,]*[ ,]*", text):
        if len(line) + len(piece) > WIDTH:
            yield line
            line = ""
        line += piece
    yield line


def main():
    profile, version = sys.argv[1:3]
    with open(profile, encoding="utf-8") as file:
        whole = json.load(file)
    rules = [single_quoted(compact_rule(rule)) for rule in whole.pop("syscalls")]
    head = single_quoted(whole)[:-1] + ",'syscalls':["
    pieces = [head] + [rule + "," for rule in rules[:-1]] + [rules[-1] + "]}"]
    print("/*")
    print(" * seccomp_default: the engine's default profile, as data; made by")
    print(" * tests/helpers/seccomp_table.py, not by hand.")
    print(" */")
    print('#include "dockerfile/seccomp_default.h"')
    print()
    print(f'const char seccomp_default_version[] = "golang-github-docker-docker-dev {version}";')
    print()
    print("const char seccomp_default_rules[] =")
    print("\n".join(f'\t"{line}"' for piece in pieces for line in lines_of(piece)) + ";")


main()
