/*
 * fuzz options: the first byte chooses a command, the rest are words with NULs between.  A parse
 * ends within its words, what it keeps was given, and a refusal says why in printable bytes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "entrypoint/command.h"
#include "entrypoint/config.h"
#include "init/own.h"

#define WORDS_MAX 300

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

static bool lies_in(const char *string, char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (string >= words[i] && string <= words[i] + strlen(words[i]))
			return true;
	return false;
}

static void require_kept(const struct arguments *arguments, char **words, size_t n)
{
	require(arguments->n_uses <= OPTION_USES_MAX && arguments->n_rest >= 0);
	require((size_t)arguments->n_rest + arguments->n_uses <= n + OPTION_USES_MAX);
	for (size_t i = 0; i < arguments->n_uses; i++) {
		const struct option_use *use = &arguments->uses[i];

		require(!use->option->argument == !use->value);
		require(!use->value || lies_in(use->value, words, n));
	}
	for (int i = 0; i < arguments->n_rest; i++)
		require(lies_in(arguments->rest[i], words, n));
	require(!arguments->rest[arguments->n_rest]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *bytes = malloc(size + 1);
	const struct command *command;
	char *words[WORDS_MAX + 1];
	struct arguments arguments;
	struct fault f = {};
	size_t n = 0;

	require(bytes != NULL);
	if (size == 0)
		return 0;
	memcpy(bytes, data, size);
	bytes[size] = '\0';
	for (size_t at = 1; at < size && n < WORDS_MAX; at += strlen(bytes + at) + 1)
		words[n++] = bytes + at;
	words[n] = NULL;
	command = &command_table[data[0] % command_count];
	if (options_parse(command->bit, words, &arguments, &f) < 0) {
		require(f.message[0]);
		for (const char *c = f.message; *c; c++)
			require(*c >= 0x20 && *c < 0x7f);
		return 0;
	}
	require_kept(&arguments, words, n);
	(void)config_judge_options(&arguments, &f);
	return 0;
}
