/* command_dockerfile: prints a Dockerfile for an agent. */
#include <errno.h>
#include <string.h>

#include "dockerfile/image.h"
#include "entrypoint/agent_source.h"
#include "init/own.h"

/* The values of a repeated option, NULL-terminated, then the words that follow the options. */
struct dockerfile_words {
	const char *packages[OPTION_USES_MAX];
	char *command[OPTION_USES_MAX + 1];
	size_t n_packages, n_command;
};

static int words_read(const struct arguments *arguments, struct dockerfile_words *words,
		      struct fault *f)
{
	for (size_t i = 0; i < arguments->n_uses; i++) {
		const struct option_use *use = &arguments->uses[i];

		if (use->option->id == OPTION_PACKAGE)
			words->packages[words->n_packages++] = use->value;
		if (use->option->id == OPTION_CMD)
			words->command[words->n_command++] = (char *)use->value;
	}
	for (char **word = arguments->rest; *word; word++) {
		if (words->n_command == OPTION_USES_MAX)
			return fault_say(f, -EINVAL, "a CMD of more than %d words",
					 OPTION_USES_MAX);
		words->command[words->n_command++] = *word;
	}
	return 0;
}

/* COPY takes its files from the build context, so of a path from / only the name is left. */
static const char *context_name(const char *config)
{
	struct log log = log_open(LOG_INFO);
	const char *slash = config ? strrchr(config, '/') : NULL;

	if (!config || config[0] != '/')
		return config;
	log_line(&log, LINE_INFO, "the build context needs a copy of the file of --config");
	return slash + 1;
}

static int dockerfile_write(const struct invocation *invocation, struct agent_source *source,
			    struct text *t, struct fault *f)
{
	const struct arguments *arguments = invocation->arguments;
	struct dockerfile_words words = {};
	struct image_request request = {
		.base = arguments_value(arguments, OPTION_BASE),
		.binary_from = arguments_value(arguments, OPTION_BINARY_FROM),
		.agent_dir = source->config.agent_dir,
		.no_packages = arguments_has(arguments, OPTION_NO_PACKAGES),
		.config = context_name(arguments_value(arguments, OPTION_CONFIG)),
	};
	struct plan_request wanted = {};
	AUTO_FREE char *links = NULL;
	int r = words_read(arguments, &words, f);

	agent_source_fill(source, &wanted);
	if (r == 0 && source->from_json && wanted.n_links)
		r = plan_links_value(wanted.links, wanted.n_links, &links, f);
	if (r < 0)
		return r;
	request.links_value = links;
	request.bake = wanted.n_links > 0;
	request.packages = words.packages;
	request.n_packages = words.n_packages;
	request.command = words.command;
	return image_write(&request, t, f);
}

int command_dockerfile(const struct invocation *invocation)
{
	AUTO_AGENT_SOURCE struct agent_source source = {};
	AUTO_TEXT struct text t = {};
	struct fault f = {};
	int r = agent_source_read(invocation, &source, &f);

	if (r < 0)
		return command_fail(invocation->command, &f, EXIT_NOT_RUN);
	r = dockerfile_write(invocation, &source, &t, &f);
	if (r == -EINVAL)
		return command_misused(invocation->command, &f);
	if (r < 0)
		return command_fail(invocation->command, &f, EXIT_NOT_RUN);
	return command_print(invocation->command, &t);
}
