/* command_link: the symlink step alone. */
#include <errno.h>

#include "entrypoint/report.h"
#include "init/own.h"

static void links_write(const struct links_report *links, struct text *t)
{
	if (links->code)
		text_add(t, "TYPECLAW_SANDBOX_SYMLINKS: %s%s%s\n", link_code_name(links->code),
			 links->detail ? ": " : "", links->detail ? links->detail : "");
	for (size_t i = 0; i < links->n_links; i++) {
		report_link(&links->links[i], t);
		text_add(t, "\n");
	}
	text_add(t, "%u created, %u unchanged, %u replaced, %u refused\n", links->created,
		 links->unchanged, links->replaced, links->refused);
}

int command_link(const struct invocation *invocation)
{
	const struct arguments *arguments = invocation->arguments;
	AUTO_TEXT struct text t = {};
	AUTO_FREE char *json = NULL;
	AUTO_PASS struct pass pass = {};
	struct fault f = {};
	int r;

	if (arguments->n_rest > 0) {
		fault_say(&f, -EINVAL, "link takes no further words");
		return command_misused(invocation->command, &f);
	}
	if (pass_read_config(&pass, invocation, false, &f) < 0 ||
	    pass_place_links(&pass, arguments_has(arguments, OPTION_DRY_RUN), &f) < 0)
		return command_fail(invocation->command, &f, EXIT_NOT_RUN);
	if (arguments_has(arguments, OPTION_JSON)) {
		json = document_write_links(&pass.links);
		text_add(&t, "%s", json ? json : "");
		t.error = json ? t.error : -ENOMEM;
	} else {
		links_write(&pass.links, &t);
	}
	r = command_print(invocation->command, &t);
	if (r != EXIT_OK)
		return r;
	return pass.links.code || pass.links.refused ? EXIT_REFUSED : EXIT_OK;
}
