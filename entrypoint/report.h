/*
 * report: what a boot says on stderr: one summary line, and one line for each thing that went
 * wrong.
 */
#pragma once

#include "entrypoint/pass.h"

/* A warning for each refused entry, or for the whole value. */
void report_links(const struct log *log, const struct links_report *links);

/*
 * What doctor would say of this boot: its headline, and a line for each check that an operator
 * should mend.  Needs pass_read_host().
 */
void report_strategy(const struct log *log, const struct pass *pass);

/* "FROM -> TO: CODE (DETAIL)", escaped. */
void report_link(const struct link_result *link, struct text *t);
