/*
 * seccomp_default: the default seccomp profile of the packaged engine, built in.
 *
 * JSON in the engine's own format with three savings: ' stands for ", `names` of a rule is one
 * string with spaces between, and a rule's action ALLOW and its empty members are left out.
 */
#pragma once

extern const char seccomp_default_version[]; /* "PACKAGE VERSION" it was taken from */
extern const char seccomp_default_rules[];
