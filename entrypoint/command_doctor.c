/*
 * command_doctor: the boot diagnostics.  It looks, or replays a snapshot of another container,
 * judges by the one table of doctor.c, and writes.  Nothing is changed: links are a dry run, the
 * boot record stays as it is, and with --quick not even a namespace is made.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "entrypoint/doctor_write.h"
#include "entrypoint/record.h"
#include "init/file.h"
#include "init/own.h"
#include "probes/bwrap_version.h"

#define SNAPSHOT_PROBE "snapshot/probe.json"
#define SNAPSHOT_PROBE_MAX 65536
#define MESSAGE_MAX 4096
#define ZOMBIE_PATIENCE_MS 10

/* What one examination holds; `input` borrows from the rest. */
struct examination {
	struct doctor_input input;
	struct pass pass;
	struct doctor_bwrap bwrap;
	struct resolved boot;
	struct zombies zombies;
};

static void examination_clear(struct examination *examination)
{
	pass_clear(&examination->pass);
	resolved_clear(&examination->boot);
}

#define AUTO_EXAMINATION __attribute__((cleanup(examination_clear)))

static void examine_bwrap(struct examination *examination, bool quick)
{
	struct doctor_bwrap *bwrap = &examination->bwrap;
	const struct pass *pass = &examination->pass;
	AUTO_FREE char *path = NULL;
	struct fault f = {};
	struct stat status;

	bwrap->error = sandbox_bwrap_find(pass->config.bwrap, pass->config.agent_dir, &path, &f);
	(void)snprintf(bwrap->refusal, sizeof(bwrap->refusal), "%.*s",
		       (int)sizeof(bwrap->refusal) - 1, f.message);
	if (bwrap->error)
		return;
	if (stat(path, &status) == 0) {
		bwrap->uid = status.st_uid;
		bwrap->mode = status.st_mode & 07777;
	}
	if (!quick)
		(void)bwrap_version_read(path, bwrap->version);
}

/* A zombie is normal for a moment: only those that are there at a second look count. */
static void examine_zombies(struct examination *examination, int root)
{
	const struct timespec patience = { .tv_nsec = ZOMBIE_PATIENCE_MS * 1000000L };
	const struct resolved *boot = &examination->boot;
	pid_t except = boot->source == RESOLVED_NOWHERE ? 0 : boot->document.identity.pid;

	if (zombies_find(root, except, &examination->zombies, NULL) < 0)
		return;
	if (examination->zombies.total > 0) {
		(void)nanosleep(&patience, NULL);
		if (zombies_find(root, except, &examination->zombies, NULL) < 0)
			return;
	}
	examination->input.zombies = &examination->zombies;
}

static bool setting_is_option(const struct config *config, enum config_key key)
{
	const char *origin = config->settings[key].origin;

	return origin && strncmp(origin, "option", strlen("option")) == 0;
}

/* The boot may have had options that this call has not; what was asked then is asked again. */
static void adopt_boot(struct config *config, const struct document *document)
{
	if (!setting_is_option(config, KEY_SANDBOX_REAL_PROC))
		config->real_proc = document->real_proc_asked;
	if (!setting_is_option(config, KEY_SANDBOX_NETWORK))
		config->network = document->network;
	if (!setting_is_option(config, KEY_AGENT_DIR))
		config->agent_dir = document->agent_dir;
	if (!setting_is_option(config, KEY_SANDBOX_BWRAP) && document->bwrap)
		config->bwrap = document->bwrap;
}

static bool record_is_stale(void)
{
	AUTO_DOCUMENT struct document document = {};
	AUTO_FREE char *bytes = NULL;
	size_t length;

	return record_read(&bytes, &length) == 0 && document_read(bytes, length, &document) == 0 &&
	       identity_verify(&document.identity) == -ESTALE;
}

static int examine_boot(struct examination *examination, char *const *environment, struct fault *f)
{
	int r = resolved_read(environment, &examination->boot);

	if (r < 0)
		return fault_set(f, r, "read what the boot resolved");
	examination->input.boot = &examination->boot;
	if (examination->boot.source != RESOLVED_NOWHERE)
		adopt_boot(&examination->pass.config, &examination->boot.document);
	else
		examination->input.boot_stale = record_is_stale();
	return 0;
}

/* --quick: what the boot said, as if it had just been found out. */
static void believe_boot(struct examination *examination)
{
	const struct document *document = &examination->boot.document;

	if (examination->boot.source == RESOLVED_NOWHERE)
		return;
	examination->pass.strategy.proc = document->proc;
	examination->pass.strategy.reason = document->reason;
	examination->pass.strategy.usable = document->usable;
	examination->pass.strategy.usable_cause = document->usable_cause;
	examination->input.source = DOCTOR_BOOT;
}

/* 0; the signal that stopped the probes; -errno. */
static int examine_here(struct examination *examination, const struct invocation *invocation,
			struct fault *f)
{
	AUTO_CLOSE int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct pass *pass = &examination->pass;
	int r = root < 0 ? fault_set(f, -errno, "open the root directory") : 0;

	if (r == 0)
		r = examine_boot(examination, invocation->environment, f);
	if (r == 0)
		r = pass_read_facts(pass, f);
	if (r == 0)
		r = pass_place_links(pass, true, f);
	if (r == 0)
		r = pass_read_host(pass, f);
	if (r < 0)
		return r;
	examine_bwrap(examination, examination->input.quick);
	examine_zombies(examination, root);
	if (examination->input.quick) {
		believe_boot(examination);
		return 0;
	}
	examination->input.source = DOCTOR_PROBED;
	return pass_probe(pass, pass->config.real_proc, true, f);
}

/* The findings of the host that a snapshot was made on; without them nobody probed. */
static int replay_probe(struct examination *examination, int root, struct fault *f)
{
	struct pass *pass = &examination->pass;
	AUTO_FREE char *bytes = NULL;
	size_t length = 0;
	int r = file_slurp(root, SNAPSHOT_PROBE, SNAPSHOT_PROBE_MAX, &bytes, &length);

	if (r == -ENOENT)
		return 0;
	if (r == 0)
		r = document_read_probe(bytes, length, &pass->findings);
	if (r < 0)
		return fault_set(f, r, "read " SNAPSHOT_PROBE);
	pass->config.real_proc = pass->findings.real_proc.verdict != PROBE_SKIPPED;
	pass->strategy = strategy_choose(pass->config.real_proc, &pass->findings);
	examination->input.source = DOCTOR_REPLAYED;
	return 0;
}

static int examine_snapshot(struct examination *examination, const char *dir, struct fault *f)
{
	AUTO_CLOSE int root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct pass *pass = &examination->pass;
	int r = 0;

	if (root < 0 || faccessat(root, "proc/self/status", F_OK, 0) < 0)
		return fault_set(f, -errno, "read a snapshot's proc/self/status");
	examination->input.replayed = true;
	examination->bwrap.error = -ENOENT;
	r = facts_read(root, &pass->facts, f);
	if (r == 0)
		r = host_read(root, false, pass->config.agent_dir, &pass->host, f);
	if (r == 0)
		r = replay_probe(examination, root, f);
	return r;
}

static int report_status(const struct doctor_report *report, const struct arguments *arguments)
{
	bool strict = arguments_has(arguments, OPTION_STRICT);

	return report->counts[DOCTOR_FAIL] || (strict && report->counts[DOCTOR_WARN]) ? EXIT_REFUSED
										      : EXIT_OK;
}

static int report_print(const struct invocation *invocation, const struct doctor_input *input,
			const struct doctor_style *style)
{
	const struct arguments *arguments = invocation->arguments;
	AUTO_TEXT struct text t = {};
	struct doctor_report report;
	int status;
	int r;

	doctor_judge(input, &report);
	status = report_status(&report, arguments);
	if (arguments_has(arguments, OPTION_QUIET))
		return status;
	if (arguments_has(arguments, OPTION_JSON))
		doctor_write_json(input, &report, status, &t);
	else
		doctor_write_human(input, &report, style, &t);
	r = command_print(invocation->command, &t);
	return r == EXIT_OK ? status : r;
}

/* --message: the rows whose text it is; those that fit this container, where any does. */
static int message_explain(const struct invocation *invocation,
			   const struct examination *examination, const char *message)
{
	unsigned int here = catalogue_conditions(&examination->pass.facts, &examination->pass.host);
	enum catalogue_id id = CATALOGUE_NOTHING;
	AUTO_TEXT struct text t = {};
	bool any_fits = false;
	int r;

	while ((id = catalogue_find_text(id, message)) != CATALOGUE_COUNT)
		any_fits |= (catalogue_row(id)->needs & ~here) == 0;
	id = CATALOGUE_NOTHING;
	while ((id = catalogue_find_text(id, message)) != CATALOGUE_COUNT) {
		const struct catalogue_row *row = catalogue_row(id);

		if (any_fits && (row->needs & ~here))
			continue;
		doctor_write_row(row, &examination->pass.host, &t);
	}
	if (t.length == 0) {
		text_add(&t, "nothing is known about: ");
		text_escape(&t, message, strnlen(message, MESSAGE_MAX));
		text_add(&t, "\n");
		r = command_print(invocation->command, &t);
		return r == EXIT_OK ? EXIT_REFUSED : r;
	}
	return command_print(invocation->command, &t);
}

static int options_judge(const struct arguments *arguments, enum doctor_colour *ret_colour,
			 struct fault *f)
{
	static const char *const words[] = { "auto", "always", "never" };
	const char *colour = arguments_value(arguments, OPTION_COLOR);
	const char *message = arguments_value(arguments, OPTION_MESSAGE);

	if (arguments->n_rest > 0)
		return fault_say(f, -EINVAL, "doctor takes no further words");
	if (message && (!message[0] || strlen(message) > MESSAGE_MAX))
		return fault_say(f, -EINVAL, "--message takes up to %d bytes of text", MESSAGE_MAX);
	for (size_t i = 0; colour && i < ARRAY_SIZE(words); i++) {
		if (strcmp(colour, words[i]) == 0) {
			*ret_colour = (enum doctor_colour)i;
			return 0;
		}
	}
	return colour ? fault_say(f, -EINVAL, "--color takes auto, always or never") : 0;
}

int command_doctor(const struct invocation *invocation)
{
	const struct arguments *arguments = invocation->arguments;
	const char *sysroot = arguments_value(arguments, OPTION_SYSROOT);
	const char *message = arguments_value(arguments, OPTION_MESSAGE);
	AUTO_EXAMINATION struct examination examination = {};
	enum doctor_colour colour = DOCTOR_COLOUR_AUTO;
	struct doctor_style style;
	struct fault f = {};
	int r;

	if (options_judge(arguments, &colour, &f) < 0)
		return command_misused(invocation->command, &f);
	style = doctor_style_choose(colour, invocation->environment, isatty(STDOUT_FILENO));
	examination.input = (struct doctor_input){ .pass = &examination.pass,
						   .host = &examination.pass.host,
						   .bwrap = &examination.bwrap };
	examination.input.alone = !sysroot && getpid() == 1;
	examination.input.quick = message || arguments_has(arguments, OPTION_QUICK);
	if (pass_read_config(&examination.pass, invocation, true, &f) < 0)
		return command_fail(invocation->command, &f, EXIT_NOT_RUN);
	r = sysroot ? examine_snapshot(&examination, sysroot, &f)
		    : examine_here(&examination, invocation, &f);
	if (r > 0)
		return 128 + r;
	if (r < 0)
		return command_fail(invocation->command, &f, EXIT_NOT_RUN);
	if (message)
		return message_explain(invocation, &examination, message);
	return report_print(invocation, &examination.input, &style);
}
