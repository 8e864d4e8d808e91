#!/usr/bin/env python3
"""doctor_check.py PROGRAM HOSTS [write]: the replayed hosts against what they should print.

HOSTS/NAME/expected.txt and expected.json are the report for people (ASCII) and the JSON, indented
and without the program's version.  `write` makes them anew: read the difference before you commit.
`doctor_check.py PROGRAM -`: compares the two forms of a report of this very container.

Of every report: the JSON is valid against schemas/doctor.schema.json, both forms name the
same status for every check, the counts and the headline agree, nothing is wider than 80 columns,
and nothing but printable ASCII comes out.  The last line is `N reports, N wrong`.
"""
import json
import os
import subprocess
import sys

import jsonschema

SCHEMA = json.load(open(os.path.join(os.path.dirname(__file__), "../../schemas/doctor.schema.json")))
MARKS = {"ok": "ok", "warn": "warn", "FAIL": "fail", "-": "skip"}
TITLES = ["sandbox", "strategy", "proc-bind", "real-proc", "bwrap", "seccomp", "SYS_ADMIN",
          "user namespaces", "/proc", "boot record", "engine", "kernel", "user", "capabilities",
          "no_new_privs", "security module", "processes", "root", "agent folder", "links",
          "configuration", "PID 1", "its environ", "zombies", "terminal"]


def doctor(program, *arguments):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
    for name in ("TYPECLAW_AGENT_DIR", "TYPECLAW_PROBES_BUDGET_MS", "HOME"):
        if name in os.environ and "--sysroot" not in arguments:
            environment[name] = os.environ[name]
    result = subprocess.run([program, "doctor", *arguments], env=environment, stdout=subprocess.PIPE,
                            stdin=subprocess.DEVNULL, timeout=60, check=False)
    return result.returncode, result.stdout.decode("ascii")


def human_statuses(text):
    """Title -> status, out of the lines that begin a check."""
    statuses = {}
    for line in text.splitlines():
        for mark, status in MARKS.items():
            start = "  %-4s " % mark
            if line.startswith(start):
                title = next(t for t in sorted(TITLES, key=len, reverse=True)
                             if line[len(start):].startswith(t))
                statuses[title] = status
    return statuses


def compare(text, report, status):
    """What is wrong with the two forms of one report."""
    wrong = []
    jsonschema.validate(report, SCHEMA)
    told = human_statuses(text)
    said = {TITLES[i]: check["status"] for i, check in enumerate(report["checks"])}
    if told != said:
        wrong.append("the forms differ: %s" % (set(told.items()) ^ set(said.items())))
    counts = {word: list(said.values()).count(word) for word in report["counts"]}
    if counts != report["counts"]:
        wrong.append("counts are %s" % counts)
    line = "%d checks: %d ok, %d warning" % (len(said), counts["ok"], counts["warn"])
    if line not in text.splitlines()[-1]:
        wrong.append("the count line is %s" % text.splitlines()[-1])
    if " ".join(text.split("\n\n")[0].split()) != report["headline"]:
        wrong.append("the headline differs")
    if report["exit"] != status:
        wrong.append("exit is %d" % status)
    if (report["overall"] == "not-ready") != (status == 1):
        wrong.append("overall and exit differ")
    wrong += ["too wide: " + l for l in text.splitlines() if len(l) > 80]
    wrong += ["not printable: %r" % l for l in text.splitlines() if not (l + "x").isprintable()]
    for check in report["checks"]:
        if (check["status"] in ("ok", "skip")) and (check["cause"] or check["fix"]):
            wrong.append(check["id"] + " has a fix and needs none")
        if check["cause"] and check["cause"] not in text:
            wrong.append(check["cause"] + " is not in the text")
    return wrong


def golden(path, text, write):
    if write:
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
    with open(path, encoding="ascii") as file:
        return [] if file.read() == text else [path + " differs:\n" + text]


def main():
    program, hosts = sys.argv[1:3]
    write = sys.argv[3:] == ["write"]
    names = [None] if hosts == "-" else sorted(os.listdir(hosts))
    bad = 0
    for name in names:
        where = ["--sysroot", os.path.join(hosts, name)] if name else ["--quick"]
        status, text = doctor(program, *where)
        report = json.loads(doctor(program, "--json", *where)[1])
        wrong = compare(text, report, status)
        del report["self"]["version"]
        if name:
            folder = os.path.join(hosts, name, "expected")
            wrong += golden(folder + ".txt", text, write)
            wrong += golden(folder + ".json", json.dumps(report, indent=1) + "\n", write)
        bad += bool(wrong)
        for line in wrong:
            print("%s: %s" % (name or "here", line))
    print("%d reports, %d wrong" % (len(names), bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
