/* doctor_human: the report for people; see doctor_write.h. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "entrypoint/doctor_write.h"
#include "init/own.h"

#define COLUMNS 80
#define TITLE_WIDTH 16
#define FIX_INDENT 6
#define CHANGE_INDENT 8

static const char *first_set(char *const *environment, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *value = environment_get(environment, names[i]);

		if (value && value[0])
			return value;
	}
	return "";
}

struct doctor_style doctor_style_choose(enum doctor_colour colour, char *const *environment,
					bool is_terminal)
{
	static const char *const locale_names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	static const char *const no_names[] = { "NO_COLOR" };
	static const char *const force_names[] = { "CLICOLOR_FORCE" };
	static const char *const terminal_names[] = { "TERM" };
	const char *locale = first_set(environment, locale_names, ARRAY_SIZE(locale_names));
	const char *force = first_set(environment, force_names, 1);
	const char *terminal = first_set(environment, terminal_names, 1);
	struct doctor_style style = {
		.utf8 = strcasestr(locale, "UTF-8") || strcasestr(locale, "UTF8"),
	};

	if (colour != DOCTOR_COLOUR_AUTO)
		style.colour = colour == DOCTOR_COLOUR_ALWAYS;
	else if (first_set(environment, no_names, 1)[0])
		style.colour = false;
	else if (force[0])
		style.colour = strcmp(force, "0") != 0;
	else
		style.colour = is_terminal && strcmp(terminal, "dumb") != 0;
	return style;
}

/*
 * Adds the words of `string` from `column` on; what does not fit goes on below `indent`.  A word
 * that is longer than a line stands alone and is not broken: it may be a path or a flag.
 */
static void add_wrapped(struct text *t, const char *string, size_t column, size_t indent)
{
	size_t begin = column;

	while (*string) {
		size_t length = strcspn(string, " ");

		if (column > begin && column + 1 + length > COLUMNS) {
			text_add(t, "\n%*s", (int)indent, "");
			column = begin = indent;
		} else if (column > begin) {
			text_add(t, " ");
			column++;
		}
		text_add_bytes(t, string, length);
		column += length;
		string += length;
		string += strspn(string, " ");
	}
	text_add(t, "\n");
}

static void add_coloured(struct text *t, const struct doctor_style *style, const char *colour,
			 const char *string)
{
	if (style->colour)
		text_add(t, "\033[%sm%s\033[0m", colour, string);
	else
		text_add(t, "%s", string);
}

static const char *status_colour(enum doctor_status status)
{
	static const char *const colours[DOCTOR_STATUSES] = {
		[DOCTOR_SKIP] = "2",
		[DOCTOR_FAIL] = "1;31",
		[DOCTOR_WARN] = "33",
		[DOCTOR_OK] = "32",
	};

	return colours[status];
}

static const char *status_mark(enum doctor_status status, bool utf8)
{
	static const char *const marks[DOCTOR_STATUSES][2] = {
		[DOCTOR_SKIP] = { "-   ", "\u00b7" }, /* a dot in the middle */
		[DOCTOR_FAIL] = { "FAIL", "\u2717" }, /* a cross */
		[DOCTOR_WARN] = { "warn", "!" },
		[DOCTOR_OK] = { "ok  ", "\u2713" }, /* a check mark */
	};

	return marks[status][utf8];
}

static void add_fix(struct text *t, const char *word, const struct fix *fix)
{
	char label[48];
	size_t column = FIX_INDENT;

	(void)snprintf(label, sizeof(label), "%s, %s:", word, fix->target);
	text_add(t, "%*s%s", FIX_INDENT, "", label);
	column += strlen(label) + 1;
	if (column + strlen(fix->change) > COLUMNS) {
		text_add(t, "\n%*s", CHANGE_INDENT, "");
		column = CHANGE_INDENT;
	} else {
		text_add(t, " ");
	}
	add_wrapped(t, fix->change, column, CHANGE_INDENT);
	text_add(t, "%*scost: ", CHANGE_INDENT, "");
	add_wrapped(t, fix->cost, CHANGE_INDENT + strlen("cost: "),
		    CHANGE_INDENT + strlen("cost: "));
}

static void add_fixes(struct text *t, const struct catalogue_row *row,
		      const struct host_facts *host)
{
	const char *word = "fix";
	bool any = false;

	for (const struct fix *fix = row->fixes; fix->target; fix++)
		any |= doctor_fix_fits(fix, host);
	for (const struct fix *fix = row->fixes; fix->target; fix++) {
		if (any && !doctor_fix_fits(fix, host))
			continue;
		add_fix(t, word, fix);
		word = " or";
	}
}

void doctor_write_row(const struct catalogue_row *row, const struct host_facts *host,
		      struct text *t)
{
	text_add(t, "%s: ", row->id);
	add_wrapped(t, row->tell, strlen(row->id) + 2, 2);
	add_fixes(t, row, host);
}

/* The words of the probe, unless the line above says them already, and the errno. */
static void add_evidence(struct text *t, const struct doctor_result *result, const char *cause)
{
	AUTO_TEXT struct text line = {};

	text_add(&line, "cause: %s", cause);
	if (result->evidence[0] && !strstr(result->summary, result->evidence))
		text_add(&line, ": %s", result->evidence);
	if (text_error(&line) == 0) {
		text_add(t, "%*s", FIX_INDENT, "");
		add_wrapped(t, line.data, FIX_INDENT, FIX_INDENT + 2);
	}
}

static void add_check(struct text *t, const struct doctor_input *input,
		      const struct doctor_report *report, const struct doctor_style *style,
		      size_t check)
{
	const struct doctor_result *result = &report->results[check];
	size_t column = 2 + (style->utf8 ? 1 : 4) + 1 + TITLE_WIDTH;
	const char *cause = doctor_cause(result);

	text_add(t, "  ");
	add_coloured(t, style, status_colour(result->status),
		     status_mark(result->status, style->utf8));
	text_add(t, " %-*s", TITLE_WIDTH, doctor_row((enum doctor_check)check)->title);
	add_wrapped(t, result->summary, column, column);
	if (!cause)
		return;
	if (doctor_told_before(report, check)) {
		text_add(t, "%*scause: %s, see above\n", FIX_INDENT, "", cause);
		return;
	}
	add_evidence(t, result, cause);
	if (result->row)
		add_fixes(t, result->row, input->host);
}

static void add_counts(struct text *t, const struct doctor_report *report)
{
	const unsigned int *counts = report->counts;

	text_add(t, "\n%d checks: %u ok, %u %s, %u failed, %u not available\n", DOCTOR_CHECKS,
		 counts[DOCTOR_OK], counts[DOCTOR_WARN],
		 counts[DOCTOR_WARN] == 1 ? "warning" : "warnings", counts[DOCTOR_FAIL],
		 counts[DOCTOR_SKIP]);
}

void doctor_write_human(const struct doctor_input *input, const struct doctor_report *report,
			const struct doctor_style *style, struct text *t)
{
	if (style->colour)
		text_add(t, "\033[1;%sm", status_colour(doctor_overall(report)));
	add_wrapped(t, report->headline, 0, 2);
	if (style->colour)
		text_add(t, "\033[0m");
	for (enum doctor_group group = 0; group < DOCTOR_GROUPS; group++) {
		text_add(t, "\n");
		add_coloured(t, style, "1", doctor_group_name(group));
		text_add(t, "\n");
		for (size_t check = 0; check < DOCTOR_CHECKS; check++)
			if (doctor_row((enum doctor_check)check)->group == group)
				add_check(t, input, report, style, check);
	}
	add_counts(t, report);
}
