/*
 * doctor_write: the report of the boot diagnostics, for people and as JSON `typeclaw.doctor/1`.
 * Both are written from the same results.
 */
#pragma once

#include "entrypoint/doctor.h"

/* How a report looks. */
struct doctor_style {
	bool colour;
	bool utf8; /* marks beyond ASCII */
};

enum doctor_colour { DOCTOR_COLOUR_AUTO, DOCTOR_COLOUR_ALWAYS, DOCTOR_COLOUR_NEVER };

/*
 * What the terminal takes: the option, else NO_COLOR, CLICOLOR_FORCE, else whether `is_terminal`;
 * UTF-8 by the text of LC_ALL, LC_CTYPE, LANG.  Pure.
 */
struct doctor_style doctor_style_choose(enum doctor_colour colour, char *const *environment,
					bool is_terminal);

/* 80 columns; a line a check, in groups, fixes for the engine that runs this container. */
void doctor_write_human(const struct doctor_input *input, const struct doctor_report *report,
			const struct doctor_style *style, struct text *t);

/* One line; `exit_status` is what the command will exit with. */
void doctor_write_json(const struct doctor_input *input, const struct doctor_report *report,
		       int exit_status, struct text *t);

/* A row of the catalogue: what it means, and its fixes as below a failed check. */
void doctor_write_row(const struct catalogue_row *row, const struct host_facts *host,
		      struct text *t);
