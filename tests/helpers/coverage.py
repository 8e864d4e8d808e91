"""coverage.py FOLDER: lines and branches of the product that the counts in FOLDER do not reach.

A table, one line a file, then the gaps: FILE:LINES that never ran, and FILE:LINE (branches) of
which some never went.  A branch counts only where its line ran.
"""
import gzip
import json
import os
import subprocess
import sys

LAYERS = ("init/", "sandbox/", "probes/", "symlinks/", "dockerfile/", "entrypoint/")
DECIDING = ("probes/verdict.c", "entrypoint/strategy.c", "symlinks/rules.c", "symlinks/place.c")


def gcov(folder):
    """Yields (file, line, count, branch counts) of every line that could run."""
    for base, _, names in os.walk(folder):
        for name in names:
            if not name.endswith(".gcno"):
                continue
            data = os.path.join(base, name.removesuffix(".gcno") + ".gcda")
            output = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", data],
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
            if output[:2] == b"\x1f\x8b":
                output = gzip.decompress(output)
            for text in output.splitlines():
                for file in json.loads(text)["files"]:
                    if file["file"].startswith(LAYERS):
                        for line in file["lines"]:
                            yield (file["file"], line["line_number"], line["count"],
                                   [b["count"] for b in line["branches"]])


def merged(folder):
    """Counts by file and line; several functions and objects may share one."""
    files = {}
    for file, number, count, branches in gcov(folder):
        line = files.setdefault(file, {}).setdefault(number, [0, {}])
        line[0] += count
        line[1].setdefault(len(branches), [0] * len(branches))
        counts = line[1][len(branches)]
        for i, branch in enumerate(branches):
            counts[i] += branch
    return files


def ranges(numbers):
    result = []
    for number in numbers:
        if result and number - result[-1][1] <= 1:
            result[-1][1] = number
        else:
            result.append([number, number])
    return " ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in result)


def judge(lines):
    """(lines, lines that ran, branches, branches that went, gaps)"""
    missed = [n for n, (count, _) in sorted(lines.items()) if not count]
    half = []
    total = went = 0
    for number, (count, shapes) in sorted(lines.items()):
        counts = [b for shape in shapes.values() for b in shape]
        total += len(counts)
        went += sum(1 for b in counts if b)
        if count and not all(counts):
            half.append(f"{number}({sum(1 for b in counts if not b)})")
    return len(lines), len(lines) - len(missed), total, went, missed, half


def percent(part, whole):
    return 100.0 * part / whole if whole else 100.0


def main():
    files = merged(sys.argv[1])
    if not files:
        raise SystemExit("no counts at all")
    sums = [0, 0, 0, 0]
    gaps = []
    print(f"{'file':36} {'lines':>6} {'ran':>7} {'branches':>9} {'went':>7}")
    for file in sorted(files):
        *counts, missed, half = judge(files[file])
        sums = [a + b for a, b in zip(sums, counts)]
        mark = " *" if file in DECIDING else ""
        print(f"{file:36} {counts[0]:6} {percent(counts[1], counts[0]):6.1f}% {counts[2]:9}"
              f" {percent(counts[3], counts[2]):6.1f}%{mark}")
        if missed:
            gaps.append(f"{file}: never ran: {ranges(missed)}")
        if half:
            gaps.append(f"{file}: branches that never went: {' '.join(half)}")
    print("\ngaps:\n" + "\n".join(gaps) + "\n")
    print(f"total: {percent(sums[1], sums[0]):.1f} % of {sums[0]} lines,"
          f" {percent(sums[3], sums[2]):.1f} % of {sums[2]} branches (* decides)")


main()
