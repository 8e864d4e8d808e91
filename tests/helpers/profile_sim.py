#!/usr/bin/env python3
"""Runs a seccomp profile for a machine that is not here.

usage: profile_sim.py docker|oci PROFILE [CAP_...]

Resolves the profile as the engine does (docker: conditions on capabilities and architecture;
oci: there are none), lets libseccomp make the filter for x86-64 and for aarch64, and interprets
that filter, classic BPF, for the calls of bwrap and for those that must stay refused.  Prints one
line an architecture and ends with 1 when a call came out otherwise than it should.
"""
import json
import struct
import sys
import tempfile

import seccomp

ARCHES = {
    "amd64": (seccomp.Arch.X86_64, 0xC000003E),
    "arm64": (seccomp.Arch.AARCH64, 0xC00000B7),
}
DEFAULT_CAPS = {"CAP_CHOWN", "CAP_SETFCAP", "CAP_SYS_CHROOT", "CAP_KILL", "CAP_SETUID", "CAP_SETGID"}
OPERATORS = {"SCMP_CMP_EQ": seccomp.EQ, "SCMP_CMP_MASKED_EQ": seccomp.MASKED_EQ}
ALLOW, ERRNO = 0x7FFF0000, 0x00050000

# What bwrap asks for, as strace shows it, and near misses.
ALLOWED = [
    ("clone", 0x7E020011),
    ("clone", 0x3E020011),
    ("clone", 0x01200011),  # fork
    ("unshare", 0x10000000),
    ("mount", 0, 0, 0, 0x8C000),
    ("mount", 0, 0, 0, 0x4C000),
    ("mount", 0, 0, 0, 0xC0EDD000),
    ("mount", 0, 0, 0, 0xD000),
    ("mount", 0, 0, 0, 0x9020),
    ("mount", 0, 0, 0, 0x9020 | 1 | 2 | 4 | 8 | 1024 | 2048 | 1 << 21),
    ("mount", 0, 0, 0, 6),
    ("mount", 0, 0, 0, 10),
    ("umount2", 0, 2),
    ("pivot_root",),
    ("openat",),
    ("read",),
]
REFUSED = [
    ("clone", 0x10000011),  # a user namespace alone
    ("clone", 0x7C020011),  # without CLONE_NEWCGROUP
    ("unshare", 0x20000),
    ("unshare", 0x10020000),
    ("mount",),
    ("mount", 0, 0, 0, 0x20),  # a remount that is no bind
    ("mount", 0, 0, 0, 0x9020 | 16),
    ("mount", 0, 0, 0, 0x9020 | 1 << 20),  # MS_SHARED
    ("mount", 0, 0, 0, 14),
    ("mount", 0, 0, 0, 1 << 32 | 6),
    ("umount2", 0, 0),
    ("umount2", 0, 3),
    ("umount2", 0, 1 << 32 | 2),
    ("kexec_load",),
    ("bpf",),
    ("open_by_handle_at",),
    ("perf_event_open",),
    ("add_key",),
    ("keyctl",),
    ("userfaultfd",),
    ("setns",),
    ("fsopen",),
    ("open_tree",),
    ("move_mount",),
    ("reboot",),
    ("init_module",),
]


def holds(rule, arch, caps):
    """As github.com/docker/docker/profiles/seccomp, setupSeccomp()."""
    includes, excludes = rule.get("includes") or {}, rule.get("excludes") or {}
    if arch in excludes.get("arches", []) or caps & set(excludes.get("caps", [])):
        return False
    if includes.get("arches") and arch not in includes["arches"]:
        return False
    return set(includes.get("caps", [])) <= caps


def compile_rules(rules, arch):
    number = ARCHES[arch][0]
    made = seccomp.SyscallFilter(seccomp.ERRNO(1))
    native = next(one for one, its in ARCHES.values() if its == seccomp.system_arch() & 0xFFFFFFFF)
    if number != native:
        made.add_arch(number)
        made.remove_arch(native)
    for rule in rules:
        action = seccomp.ALLOW
        if rule["action"] != "SCMP_ACT_ALLOW":
            action = seccomp.ERRNO(rule.get("errnoRet", 1))
        arguments = [
            seccomp.Arg(a["index"], OPERATORS[a["op"]], a["value"], a.get("valueTwo", 0))
            for a in rule.get("args") or []
        ]
        for name in rule["names"]:
            try:
                if seccomp.resolve_syscall(number, name) >= 0:
                    made.add_rule(action, name, *arguments)
            except RuntimeError:
                pass  # not a call of this architecture; runc skips it too
    with tempfile.TemporaryFile() as file:
        made.export_bpf(file)
        file.seek(0)
        code = file.read()
    return [struct.unpack("<HBBI", code[i : i + 8]) for i in range(0, len(code), 8)]


def run(program, data):
    """Classic BPF as far as libseccomp uses it: load word, jumps, and, return."""
    accumulator, at = 0, 0
    while True:
        code, if_true, if_false, k = program[at]
        at += 1
        if code == 0x20:
            accumulator = struct.unpack_from("<I", data, k)[0]
        elif code == 0x54:
            accumulator &= k
        elif code == 0x06:
            return k
        elif code == 0x05:
            at += k
        elif code in (0x15, 0x25, 0x35, 0x45):
            truth = {0x15: accumulator == k, 0x25: accumulator > k, 0x35: accumulator >= k, 0x45: accumulator & k}
            at += if_true if truth[code] else if_false
        else:
            sys.exit(f"an instruction that nobody expected: {code:#x}")


def main():
    layout, path, *more = sys.argv[1:]
    caps = DEFAULT_CAPS | set(more)
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    if profile["defaultAction"] != "SCMP_ACT_ERRNO":
        sys.exit("the profile does not refuse by default")
    wrong = 0
    for arch, (number, audit) in ARCHES.items():
        rules = [rule for rule in profile["syscalls"] if layout == "oci" or holds(rule, arch, caps)]
        program = compile_rules(rules, arch)
        for expected, calls in ((ALLOW, ALLOWED), (ERRNO | 1, REFUSED)):
            for name, *arguments in calls:
                words = arguments + [0] * (6 - len(arguments))
                call = seccomp.resolve_syscall(number, name)
                result = run(program, struct.pack("<iIQ6Q", call, audit, 0, *words))
                if result != expected:
                    wrong += 1
                    print(f"{arch}: {name} {[hex(word) for word in arguments]}: {result:#x}, not {expected:#x}")
        print(f"{arch}: {len(program)} instructions, {len(ALLOWED)} calls allowed, {len(REFUSED)} refused, {wrong} wrong")
    sys.exit(wrong > 0)


main()
