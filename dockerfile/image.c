/* image: see image.h. */
#include "dockerfile/image.h"

#include <errno.h>
#include <string.h>

#include "dockerfile/quote.h"
#include "init/own.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/* bubblewrap is what the product is about; the others are what agents' tools expect to find. */
static const char baseline[] = "bubblewrap ca-certificates curl git";

/*
 * Instructions split at white space, expand `$` and `\`, and COPY takes wildcards; nothing of
 * that is in what these names may hold.  A leading `-` would be an option.
 */
static int check_name(const char *what, const char *name, const char *allowed, size_t max,
		      struct fault *f)
{
	AUTO_TEXT struct text shown = {};

	if (name[0] && name[0] != '-' && !name[strspn(name, allowed)] && strlen(name) <= max)
		return 0;
	text_escape(&shown, name, strnlen(name, 128));
	return fault_say(f, -EINVAL, "%s \"%s\" cannot stand in a Dockerfile: 1 to %zu of %s", what,
			 text_error(&shown) < 0 ? "" : shown.data, max,
			 "letters, digits and ._/:@+- where they belong");
}

static int check_names(const struct image_request *request, struct fault *f)
{
	int r = 0;

	if (request->base)
		r = check_name("the base image", request->base, LETTERS "._/:@-", 512, f);
	if (r == 0 && request->binary_from)
		r = check_name("the image of the binary", request->binary_from, LETTERS "._/:@-",
			       512, f);
	if (r == 0)
		r = check_name("the agent folder", request->agent_dir, LETTERS "._/-", 512, f);
	if (r == 0 && request->agent_dir[0] != '/')
		r = fault_say(f, -EINVAL, "the agent folder must be an absolute path");
	if (r == 0 && request->config)
		r = check_name("the configuration", request->config, LETTERS "._/-", 512, f);
	for (size_t i = 0; r == 0 && i < request->n_packages; i++)
		r = check_name("the package", request->packages[i],
			       "abcdefghijklmnopqrstuvwxyz0123456789.+-", 128, f);
	return r;
}

static void write_head(const struct image_request *request, struct text *t)
{
	const char *base = request->base ? request->base : IMAGE_BASE;

	text_add(t, "# An agent's image, made by typeclaw-init " VERSION ".\nFROM %s\n", base);
	text_add(t,
		 "LABEL org.opencontainers.image.title=\"typeclaw agent\" \\\n"
		 "      org.opencontainers.image.description=\"An agent behind typeclaw-init: "
		 "PID 1 and sandbox for its tools\" \\\n"
		 "      org.opencontainers.image.base.name=\"%s\" \\\n"
		 "      typeclaw.init.version=\"" VERSION "\"\n",
		 base);
}

/* The second name is a link; where nothing can be run to make it, it is the file once more. */
static void write_binary(const struct image_request *request, struct text *t)
{
	AUTO_TEXT struct text copy = {};

	if (request->binary_from)
		text_add(&copy, "COPY --from=%s " IMAGE_BINARY, request->binary_from);
	else
		text_add(&copy, "COPY typeclaw-init");
	if (text_error(&copy) < 0) {
		t->error = t->error ? t->error : text_error(&copy);
		return;
	}
	if (!request->no_packages) {
		text_add(t,
			 "RUN apt-get update \\\n && DEBIAN_FRONTEND=noninteractive apt-get "
			 "install --yes --no-install-recommends \\\n      %s",
			 baseline);
		for (size_t i = 0; i < request->n_packages; i++)
			text_add(t, " %s", request->packages[i]);
		text_add(t, " \\\n && rm -rf /var/lib/apt/lists/* \\\n && ln -s "
			    "typeclaw-init " IMAGE_ENTRYPOINT "\n");
	}
	text_add(t, "%s " IMAGE_BINARY "\n", copy.data);
	if (request->no_packages)
		text_add(t, "%s " IMAGE_ENTRYPOINT "\n", copy.data);
}

/*
 * The links are made by the very command that boot uses, so a boot on a read-only root finds
 * them `unchanged`; WORKDIR makes the agent folder they point below.
 */
static void write_agent(const struct image_request *request, struct text *t)
{
	text_add(t, "WORKDIR %s\n", request->agent_dir);
	if (strcmp(request->agent_dir, "/agent") != 0)
		text_add(t, "ENV TYPECLAW_AGENT_DIR=%s\n", request->agent_dir);
	if (request->config)
		text_add(t, "COPY %s " IMAGE_CONFIG "\n", request->config);
	if (request->links_value)
		text_add(t, "ENV TYPECLAW_SANDBOX_SYMLINKS=\"%s\"\n", request->links_value);
	if (request->bake)
		text_add(t, "RUN [\"" IMAGE_BINARY "\", \"link\"]\n");
}

/* The start period is longer than the probes' budget, so that a slow boot is not called ill. */
static void write_tail(const struct image_request *request, struct text *t)
{
	text_add(t, "STOPSIGNAL SIGTERM\n"
		    "HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \\\n"
		    "    CMD [\"" IMAGE_BINARY "\", \"doctor\", \"--quick\", \"--quiet\"]\n"
		    "ENTRYPOINT [\"" IMAGE_ENTRYPOINT "\"]\n");
	if (!request->command || !request->command[0])
		return;
	text_add(t, "CMD [");
	for (char *const *word = request->command; *word; word++) {
		text_add(t, "%s", word == request->command ? "" : ", ");
		quote_json(t, *word);
	}
	text_add(t, "]\n");
}

int image_write(const struct image_request *request, struct text *ret, struct fault *f)
{
	int r = check_names(request, f);

	if (r < 0)
		return r;
	write_head(request, ret);
	write_binary(request, ret);
	write_agent(request, ret);
	write_tail(request, ret);
	r = text_error(ret);
	if (r == -EILSEQ)
		return fault_say(f, r,
				 "CMD: a word that is not UTF-8 cannot stand in a Dockerfile");
	return r < 0 ? fault_set(f, r, "write the Dockerfile") : 0;
}
