/* agent_source: see agent_source.h. */
#include "entrypoint/agent_source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "dockerfile/image.h"
#include "init/own.h"
#include "symlinks/rules.h"

void agent_source_clear(struct agent_source *source)
{
	agent_json_clear(&source->json);
	config_clear(&source->config);
}

static int json_read(const char *folder, struct agent_json *ret, struct fault *f)
{
	AUTO_CLOSE int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_TEXT struct text shown = {};
	int r = dir < 0 ? -errno : 0;

	if (r == 0)
		return agent_json_read(dir, ret, f);
	text_escape(&shown, folder, strnlen(folder, 256));
	return fault_set(f, r, "open the agent folder \"%s\"",
			 text_error(&shown) < 0 ? "" : shown.data);
}

/* The remarks are lines already; each becomes one of the log. */
static void remarks_print(const struct text *remarks)
{
	struct log log = log_open(LOG_INFO);
	const char *line = remarks->data;

	while (line && *line) {
		size_t length = strcspn(line, "\n");

		log_line(&log, LINE_WARNING, "%.*s", (int)length, line);
		line += length + (line[length] == '\n');
	}
}

int agent_source_read(const struct invocation *invocation, struct agent_source *ret,
		      struct fault *f)
{
	const char *folder = arguments_value(invocation->arguments, OPTION_AGENT_DIR);
	struct log log = log_open(LOG_INFO);
	int r = config_read(invocation->arguments, invocation->environment, false, &ret->config, f);

	if (r < 0)
		return r;
	if (ret->config.links_value && ret->config.links_value[0])
		log_line(&log, LINE_WARNING,
			 CONFIG_LINKS_VARIABLE " of this environment is not looked at");
	if (!folder)
		return 0;
	ret->from_json = true;
	r = json_read(folder, &ret->json, f);
	if (r == 0)
		remarks_print(&ret->json.remarks);
	return r;
}

void agent_source_fill(struct agent_source *source, struct plan_request *request)
{
	if (source->from_json) {
		request->real_proc = source->json.real_proc;
		request->writable_paths = source->json.writable_paths;
		request->n_writable_paths = source->json.n_writable_paths;
		request->links = source->json.links;
		request->n_links = source->json.n_links;
		return;
	}
	for (size_t i = 0; i < source->config.n_links; i++)
		source->links[i] = (struct plan_link){ source->config.links[i].from,
						       source->config.links[i].to };
	request->real_proc = source->config.real_proc;
	request->writable_paths = source->config.writable_paths;
	request->n_writable_paths = source->config.n_writable_paths;
	request->links = source->links;
	request->n_links = source->config.n_links;
}

static void link_foresee(const struct log *log, const struct rules *rules,
			 const struct plan_link *link)
{
	AUTO_TEXT struct text from = {};
	AUTO_TEXT struct text to = {};
	AUTO_TEXT struct text shown = {};
	enum link_code code = rules_from(rules, link->from, strlen(link->from), &from);

	if (code == LINK_NONE)
		code = rules_to(rules, link->to, strlen(link->to), &to);
	if (code == LINK_NONE)
		return;
	text_add(&shown, "\"");
	text_escape(&shown, link->from, strnlen(link->from, 256));
	text_add(&shown, "\" -> \"");
	text_escape(&shown, link->to, strnlen(link->to, 256));
	if (text_error(&shown) == 0)
		log_line(log, LINE_WARNING, "the boot will refuse the link %s\": %s", shown.data,
			 link_code_name(code));
}

void agent_source_foresee(const struct agent_source *source, const struct plan_request *request)
{
	const char *folder = source->config.agent_dir;
	struct log log = log_open(LOG_INFO);
	AUTO_TEXT struct text agent_dir = {};
	struct rules rules = { .home = "/root", .self = IMAGE_BINARY };

	if (rules_normalise(folder, strlen(folder), &agent_dir) < 0 || text_error(&agent_dir) < 0)
		return;
	rules.agent_dir = agent_dir.data;
	for (size_t i = 0; i < request->n_links; i++)
		link_foresee(&log, &rules, &request->links[i]);
}
