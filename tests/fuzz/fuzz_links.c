/*
 * fuzz links: a JSON value goes through the whole step as far as it only looks.  What is accepted
 * obeys the rules, whatever was written, and nothing foreign reaches a message unescaped.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "init/own.h"
#include "init/text.h"
#include "symlinks/links.h"
#include "symlinks/rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void require(int truth)
{
	if (!truth)
		abort();
}

static char *encode(const uint8_t *data, size_t size)
{
	struct text t = {};

	for (size_t bit = 0; bit < size * 8; bit += 6) {
		unsigned int value = 0;

		for (size_t i = bit; i < bit + 6; i++)
			value = value << 1 | (i < size * 8 ? (data[i / 8] >> (7 - i % 8)) & 1 : 0);
		text_add_bytes(&t, &digits[value], 1);
	}
	return text_take(&t);
}

static void require_plain(const char *detail)
{
	for (const char *c = detail ? detail : ""; *c; c++)
		require(*c >= 0x20 && *c < 0x7f);
}

/* Absolute, and nothing in it that could lead elsewhere. */
static void require_normal(const char *path)
{
	AUTO_TEXT struct text again = {};

	require(path[0] == '/' && strlen(path) <= RULES_PATH_MAX);
	require(rules_normalise(path, strlen(path), &again) == 0);
	require(strcmp(again.data, path) == 0);
}

static void require_accepted(const struct link_result *link)
{
	static const char *const outside[] = { "/proc", "/sys", "/dev", "/run", "/usr/share" };
	static const char *const forbidden[] = {
		"/usr/share/.git",         "/usr/share/.env",   "/usr/share/secrets.json",
		"/usr/share/sessions",     "/usr/share/memory", "/usr/share/.typeclaw",
		"/usr/share/node_modules",
	};

	require(link->path && link->target);
	require_normal(link->path);
	require_normal(link->target);
	for (size_t i = 0; i < ARRAY_SIZE(outside); i++)
		require(!rules_at_or_below(link->path, outside[i]));
	for (size_t i = 0; i < ARRAY_SIZE(forbidden); i++)
		require(!rules_at_or_below(link->target, forbidden[i]));
	require(strcmp(link->path, "/tmp") != 0 && strcmp(link->path, "/usr") != 0);
	require(strncmp(link->target, "/usr/share/", strlen("/usr/share/")) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *value = encode(data, size);
	const struct link_entry configured = { "~/.configured", "workspace/configured" };
	struct links_request request = {
		.value = value,
		.configured = &configured,
		.n_configured = 1,
		.agent_dir = "/usr/share",
		.home = "/root",
		.self = "/usr/local/bin/typeclaw-init",
		.dry_run = true,
	};
	AUTO_LINKS struct links_report report = {};
	size_t counted;

	require(links_place(&request, &report, NULL) == 0);
	require_plain(report.detail);
	require((report.code != LINK_NONE) == (report.detail != NULL));
	for (size_t i = 0; i < report.n_links; i++) {
		require(report.links[i].code != LINK_NONE);
		require_plain(report.links[i].detail);
		if (link_code_done(report.links[i].code))
			require_accepted(&report.links[i]);
	}
	counted = report.created + report.unchanged + report.replaced + report.refused;
	require(counted == report.n_links);
	return 0;
}
