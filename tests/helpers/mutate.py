"""mutate.py BUILD EVERY [SOURCE...]: breaks the code that decides, one token at a time, and counts who notices.

For each source of TARGETS every operator, constant, negation and enumerator is replaced in turn; the
mutant is compiled with AddressSanitizer, linked in front of its archive, and the unit tests named there run until one
fails.  A mutant whose machine code is that of the original is no mutant.  One that no test can tell
apart, because it means the same, is answered in tests/mutate.txt; an answer for a mutant that is
killed or does not exist is an error.  EVERY: only each n-th mutant (then answers are not checked).

Prints the survivors and the rate; fails below 95 % in any file.
"""
import concurrent.futures
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile

TARGETS = {
    "probes/verdict.c": ["test_verdict"],
    "entrypoint/strategy.c": ["test_strategy", "test_document"],
    "symlinks/rules.c": ["test_rules"],
}
WANTED = 95.0
ANSWERS = "tests/mutate.txt"
SECONDS = 60
CPU_SECONDS = 5
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]

TOKEN = re.compile(r"""
    (?P<skip> /\*.*?\*/ | //[^\n]* | ^\#(?:\\\n|[^\n])* | "(?:\\.|[^"\\])*" )
  | (?P<char> '(?:\\.|[^'\\])' )
  | (?P<number> \b\d+(?:[uUlL]*)\b )
  | (?P<word> [A-Za-z_]\w* )
  | (?P<op> \+\+ | -- | -> | << | >> | <= | >= | == | != | && | \|\| | [-+|&^]= | [-+*/%<>=!&|^~?:;,.()\[\]{}] )
""", re.X | re.S | re.M)
SWAPS = {"==": ["!="], "!=": ["=="], "<": ["<=", ">"], "<=": ["<", ">"], ">": [">=", "<"], ">=": [">", "<"],
         "&&": ["||"], "||": ["&&"], "++": ["--"], "--": ["++"], "+": ["-"], "-": ["+"], "!": [""],
         "|": ["&"], "&": ["|"], "<<": [">>"], ">>": ["<<"], "+=": ["-="], "-=": ["+="], "|=": ["&="]}
WORDS = {"true": ["false"], "false": ["true"], "continue": ["break"], "break": ["continue"]}
UNARY_AFTER = set("( [ { , ; = == != < > <= >= && || ! & | + - * ? : return".split())


def tokens(source):
    return [m for m in TOKEN.finditer(source) if m.lastgroup != "skip"]


def families(items):
    """Enumerators that the file itself uses, by prefix: PROBE_SAFE may become PROBE_UNSAFE."""
    result = {}
    for item in items:
        word = item.group()
        if item.lastgroup == "word" and re.fullmatch(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+", word):
            family = result.setdefault(word.split("_")[0], [])
            if word not in family:
                family.append(word)
    return result


def replacements(items, index, enums):
    item, word = items[index], items[index].group()
    before = items[index - 1].group() if index else ";"
    if item.lastgroup == "op":
        if word in "+-&*" and before in UNARY_AFTER:
            return []
        return SWAPS.get(word, [])
    if item.lastgroup == "number":
        digits = re.match(r"\d+", word).group()
        return [word.replace(digits, str(int(digits) + 1), 1)]
    if item.lastgroup == "char":
        return ["'x'" if word != "'x'" else "'y'"]
    if word in WORDS:
        return WORDS[word]
    family = enums.get(word.split("_")[0], [])
    if before not in ("case", "enum") and word in family and len(family) > 1:
        return [family[(family.index(word) + 1) % len(family)]]
    return []


def mutants(source):
    """(line number, line, old, new, mutated source)"""
    items = tokens(source)
    enums = families(items)
    for index, item in enumerate(items):
        for new in replacements(items, index, enums):
            number = source.count("\n", 0, item.start()) + 1
            line = source.splitlines()[number - 1].strip()
            yield number, line, item.group(), new, source[:item.start()] + new + source[item.end():]
    # A condition that is turned round as a whole.
    for match in re.finditer(r"\b(?:if|while) \(", source):
        number = source.count("\n", 0, match.start()) + 1
        line = source.splitlines()[number - 1].strip()
        yield number, line, "if (", "if (!", re.sub(r"\($", "(!(", source[:match.end()]) + close(source[match.end():])


def close(rest):
    """A second parenthesis behind the one that ends the condition."""
    depth = 1
    for i, letter in enumerate(rest):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return rest[:i] + ")" + rest[i:]
    return rest


def compile_c(path, out, extra):
    return subprocess.run(["gcc", "-std=gnu11", "-D_GNU_SOURCE", '-DVERSION="0.1.0"', "-DTYPECLAW_TEST_BUILD",
                           "-I.", "-w", "-fPIE", *extra, "-o", out, path], stderr=subprocess.DEVNULL).returncode == 0


def machine_code(path, scratch, name):
    out = os.path.join(scratch, name + ".s")
    if not compile_c(path, out, ["-O2", "-g0", "-S"]):
        return None
    return re.sub(r'\.(file|ident)\b[^\n]*', "", open(out).read())


def run_test(program):
    """Its status; a mutant that loops is stopped with everything that it started."""
    test = subprocess.Popen([program], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, start_new_session=True,
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS)))
    try:
        return test.wait(SECONDS)
    except subprocess.TimeoutExpired:
        return -1
    finally:
        try:
            os.killpg(test.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        test.wait()


def judge(build, file, tests, original, scratch, name, text):
    """"stillborn", "same", "killed", "survived"."""
    path = os.path.join(scratch, name + ".c")
    open(path, "w").write(text)
    code = machine_code(path, scratch, name)
    if code is None:
        return "stillborn"
    if code == original:
        return "same"
    if not compile_c(path, os.path.join(scratch, name + ".o"), ["-O1", "-c", *SANITIZE]):
        return "stillborn"
    for test in tests:
        program = os.path.join(scratch, name + "-" + test)
        link = subprocess.run(["gcc", "-pie", *SANITIZE, "-o", program, f"{build}/asan/tests/unit/{test}.o",
                               os.path.join(scratch, name + ".o"), f"{build}/asan/typeclaw.a", "-lcmocka",
                               "-lcap", "-linih", "-ljansson"], stderr=subprocess.PIPE)
        if link.returncode:
            raise SystemExit(f"{file}: {link.stderr.decode()}")
        status = run_test(program)
        os.unlink(program)
        if status:
            return "killed"
    return "survived"


def answers():
    """(file, line, old, new) that mean the same, from lines FILE | LINE | OLD -> NEW | REASON."""
    result = {}
    for line in open(ANSWERS):
        if line.strip() and not line.startswith("#"):
            file, text, change, _ = [part.strip() for part in line.split(" | ", 3)]
            old, new = [part.strip() for part in change.split("->>")]
            result[file, text, old, new] = False
    return result


def run(build, file, tests, every, known, pool):
    source = open(file).read()
    with tempfile.TemporaryDirectory(prefix="typeclaw-mutate.") as scratch:
        open(os.path.join(scratch, "original.c"), "w").write(source)
        original = machine_code(os.path.join(scratch, "original.c"), scratch, "original")
        if judge(build, file, tests, None, scratch, "original", source) != "survived":
            raise SystemExit(f"{file}: {' '.join(tests)} fails without a mutation")
        chosen = list(mutants(source))[::every]
        jobs = [pool.submit(judge, build, file, tests, original, scratch, f"m{i}", m[4]) for i, m in enumerate(chosen)]
        counts = {"killed": 0, "survived": 0, "same": 0, "stillborn": 0, "answered": 0}
        for (number, line, old, new, _), job in zip(chosen, jobs):
            outcome = job.result()
            key = (file, line, old, new)
            if outcome == "survived" and key in known:
                outcome, known[key] = "answered", True
            if outcome == "survived":
                print(f"survived {file}:{number}: {old} ->> {new or '(nothing)'}: {line}")
            counts[outcome] += 1
            if sys.stderr.isatty():
                print(f"\r{file} {sum(counts.values())}/{len(chosen)} ", end="", file=sys.stderr)
    real = counts["killed"] + counts["survived"]
    rate = 100.0 * counts["killed"] / real if real else 0.0
    print(f"{file}: {counts['killed']} of {real} mutants killed, {rate:.1f} %"
          f" ({counts['answered']} answered, {counts['same']} of the same machine code)")
    return rate >= WANTED


def main():
    build, every, only = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    known = answers()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        good = [run(build, file, tests, every, known, pool) for file, tests in TARGETS.items()
                if not only or file in only]
    stale = [key for key, used in known.items() if not used and (not only or key[0] in only)] if every == 1 else []
    for key in stale:
        print(f"{ANSWERS}: no such survivor: {' | '.join(key)}")
    sys.exit(0 if all(good) and not stale else 1)


main()
