/*
 * script: what the text of a shell command says, as far as it can be told without a shell.
 *
 * None of this is a boundary.  A shell can be made to say anything in other words; the sandbox
 * around it is the boundary.  Doubts fall to the stricter side of each question.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Is it one standalone local `bun add|install|i`: no chaining, substitution, redirection, quotes,
 * pattern, nothing global and no other directory?  Anything that makes one wonder is a no.
 */
bool script_is_install(const char *command);

/* The same of a command that no shell reads. */
bool script_words_are_install(char *const *argv);

/* Does it run a package runner that needs a real /proc (bunx, `bun add`, ...)?  A hint. */
bool script_needs_real_proc(const char *command);
bool script_words_need_real_proc(char *const *argv);

/* The first byte of `command` that a shell might give a meaning to, or NULL. */
const char *script_metacharacter(const char *command);

/*
 * Does it begin with one of the prefixes, as whole words?  "git status" allows
 * "git status -s", and not "git statusx".  Leading blanks do not count.
 */
bool script_allowed(const char *command, const char *const *prefixes, size_t n);
