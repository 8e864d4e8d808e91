/*
 * report: what a boot says on stderr: one summary line, and one line for each thing that went
 * wrong.
 */
#pragma once

#include "entrypoint/pass.h"

/* A warning for each refused entry, or for the whole value. */
void report_links(const struct log *log, const struct links_report *links);

/* The summary, and warnings for a strategy or grant that an operator should mend. */
void report_strategy(const struct log *log, const struct pass *pass);

/* "FROM -> TO: CODE (DETAIL)", escaped. */
void report_link(const struct link_result *link, struct text *t);
