#!/usr/bin/env python3
"""Checks `plan` in every format against each configuration of tests/fixtures/plan.

usage: plan_check.py BINARY FIXTURES [--update]

A fixture NAME.json holds {"agent": typeclaw.json's value} or {"ini": text}, and "args".
NAME.golden holds what every format printed when it was looked at; --update writes it anew.
Beyond the golden text, and without trusting it:

  * the shell line, read by a real sh, the NUL-separated and the JSON words are the same words;
  * compose and Kubernetes, read by a YAML parser and after the expansion those programs do,
    say the same as the words, and fit the schemas;
  * the base64 value is the links that were asked for, and `link --dry-run` reads it so.
"""
import base64
import json
import os
import subprocess
import sys
import tempfile

import jsonschema
import yaml

FORMATS = ["docker", "podman", "json", "compose", "kubernetes"]
LINKS = "TYPECLAW_SANDBOX_SYMLINKS"
PATHS = "TYPECLAW_SANDBOX_WRITABLE_PATHS"


class Wrong(Exception):
    pass


def expect(what, got, want):
    if got != want:
        raise Wrong(f"{what}:\n  got  {got!r}\n  want {want!r}")


def run(words, **more):
    more.setdefault("env", {"PATH": os.environ["PATH"]})
    return subprocess.run(words, capture_output=True, timeout=60, stdin=subprocess.DEVNULL, **more)


class Case:
    def __init__(self, binary, path, schemas):
        self.binary, self.path, self.schemas = binary, path, schemas
        self.name = os.path.basename(path)[: -len(".json")]
        with open(path, encoding="utf-8") as file:
            self.case = json.load(file)
        self.scratch = tempfile.TemporaryDirectory()

    def plan(self, fmt, *more):
        args = list(self.case.get("args", []))
        if "agent" in self.case:
            with open(os.path.join(self.scratch.name, "typeclaw.json"), "w", encoding="utf-8") as file:
                json.dump(self.case["agent"], file)
            args += ["--agent-dir", "."]
        else:
            with open(os.path.join(self.scratch.name, "init.ini"), "w", encoding="utf-8") as file:
                file.write(self.case["ini"])
            args += ["--config", "init.ini"]
        return run([self.binary, "plan", "--format", fmt, *more, *args], cwd=self.scratch.name)

    def texts(self):
        """Everything, as the golden file has it."""
        self.out = {fmt: self.plan(fmt) for fmt in FORMATS}
        whole = ""
        for fmt, done in self.out.items():
            whole += f"== {fmt}: status {done.returncode}\n" + done.stdout.decode()
            whole += "".join("! " + line + "\n" for line in done.stderr.decode().splitlines())
        return whole

    def words(self):
        done = self.plan("docker", "--null")
        expect("status with --null", done.returncode, 0)
        words = done.stdout.decode().split("\0")
        expect("the end of --null", words.pop(), "")
        return words

    def check_words(self, words):
        line = self.out["docker"].stdout.decode()
        read = run(["sh", "-c", 'eval "set -- $1"; printf "%s\\0" "$@"', "-", line])
        expect("words of the line, read by sh", read.stdout.decode().split("\0")[:-1], words)
        expect("lines", line.count("\n"), 1 + sum(word.count("\n") for word in words))
        expect("podman", self.out["podman"].stdout, self.out["docker"].stdout)
        expect("json", json.loads(self.out["json"].stdout), words)

    def check_compose(self, plan):
        whole = yaml.safe_load(self.out["compose"].stdout)
        jsonschema.validate(whole, self.schemas["compose"])
        ((name, service),) = whole["services"].items()
        expect("service", name, self.option("--name") or "agent")
        undouble = lambda text: text.replace("$$", "$")
        expect("security_opt", sorted(map(undouble, service["security_opt"])), sorted(plan["options"]))
        expect("cap_add", service.get("cap_add", []), plan["capabilities"])
        environment = {key: undouble(value) for key, value in service.get("environment", {}).items()}
        expect("environment", environment, plan["environment"])

    def check_kubernetes(self, plan):
        whole = yaml.safe_load(self.out["kubernetes"].stdout)
        jsonschema.validate(whole, self.schemas["kubernetes"])
        (container,) = whole["spec"]["containers"]
        environment = {pair["name"]: pair["value"].replace("$$", "$") for pair in container.get("env", [])}
        context = container["securityContext"]
        expect("container", container["name"], self.option("--name") or "agent")
        expect("env", environment, plan["environment"])
        expect("capabilities", context.get("capabilities", {}).get("add", []), plan["capabilities"])
        real_proc = bool(plan["capabilities"])
        expect("procMount", context.get("procMount"), "Unmasked" if real_proc else None)
        expect("hostUsers", whole["spec"].get("hostUsers"), False if real_proc else None)
        seccomp = next(option[8:] for option in plan["options"] if option.startswith("seccomp="))
        want = {"type": "Unconfined"}
        if seccomp != "unconfined":
            want = {"type": "Localhost", "localhostProfile": seccomp.rsplit("/", 1)[-1]}
        expect("seccompProfile", context["seccompProfile"], want)
        expect("appArmorProfile", "appArmorProfile" in context, "apparmor=unconfined" in plan["options"])
        expect("seLinuxOptions", "seLinuxOptions" in context, "label=disable" in plan["options"])

    def option(self, name):
        args = self.case.get("args", [])
        return args[args.index(name) + 1] if name in args else None

    def check_values(self, environment):
        sandbox = self.case.get("agent", {}).get("sandbox")
        if sandbox is None:
            return
        links = [{"from": link["from"], "to": link["to"]} for link in sandbox.get("symlinks", [])]
        expect("has links", LINKS in environment, bool(links))
        expect("paths", environment.get(PATHS), ",".join(sandbox.get("writablePaths", [])) or None)
        expect("real", environment.get("TYPECLAW_SANDBOX_REAL_PROC"), "1" if sandbox.get("realProc") else None)
        if not links:
            return
        expect("links", json.loads(base64.b64decode(environment[LINKS], validate=True)), links)
        home, agent = (os.path.join(self.scratch.name, name) for name in ("home", "agent"))
        for folder in (home, agent):
            os.makedirs(folder, exist_ok=True)
        done = run(
            [self.binary, "link", "--dry-run", "--json"],
            env={"HOME": home, "TYPECLAW_AGENT_DIR": agent, LINKS: environment[LINKS]},
        )
        report = json.loads(done.stdout)
        expect("link --dry-run: code", report["code"], None)
        expect(
            "link --dry-run",
            [(link["from"], link["to"]) for link in report["links"]],
            [(link["from"], link["to"]) for link in links],
        )
        refused = [link["result"] for link in report["links"] if link["result"].startswith(("from-", "to-"))]
        foreseen = [
            line.rsplit(": ", 1)[1]
            for line in self.out["docker"].stderr.decode().splitlines()
            if "the boot will refuse the link" in line
        ]
        expect("refusals foreseen", foreseen, refused)

    def check(self, update):
        text = self.texts()
        golden = self.path[: -len(".json")] + ".golden"
        if update:
            with open(golden, "w", encoding="utf-8") as file:
                file.write(text)
        with open(golden, encoding="utf-8") as file:
            expect("golden", text, file.read())
        statuses = {done.returncode for done in self.out.values()}
        expect("one status in all formats", len(statuses), 1)
        expect("status", statuses.pop(), self.case.get("status", 0))
        if self.case.get("status", 0):
            expect("stdout of a failure", {done.stdout for done in self.out.values()}, {b""})
            return
        words = self.words()
        self.check_words(words)
        pairs = [word.split("=", 1) for flag, word in zip(words, words[1:]) if flag == "-e"]
        plan = {
            "options": [word for flag, word in zip(words, words[1:]) if flag == "--security-opt"],
            "capabilities": [word[len("--cap-add=") :] for word in words if word.startswith("--cap-add=")],
            "environment": dict(pairs),
        }
        expect("words", len(words), 2 * len(plan["options"]) + len(plan["capabilities"]) + 2 * len(pairs))
        self.check_compose(plan)
        self.check_kubernetes(plan)
        self.check_values(plan["environment"])


def main():
    binary, fixtures = os.path.abspath(sys.argv[1]), sys.argv[2]
    schemas = {}
    for name in ("compose", "kubernetes"):
        with open(os.path.join(fixtures, f"../{name}.schema.json"), encoding="utf-8") as file:
            schemas[name] = json.load(file)
            jsonschema.Draft7Validator.check_schema(schemas[name])
    cases = sorted(name for name in os.listdir(fixtures) if name.endswith(".json"))
    failed = 0
    for name in cases:
        try:
            Case(binary, os.path.join(fixtures, name), schemas).check("--update" in sys.argv)
        except Exception as wrong:  # every case is told of, whatever is wrong with one
            failed += 1
            print(f"{name}: {type(wrong).__name__}: {wrong}")
    print(f"{len(cases)} configurations, {failed} wrong")
    sys.exit(failed > 0)


main()
