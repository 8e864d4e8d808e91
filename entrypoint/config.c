/* config: see config.h.  The layers; what a single value means stands in keys.c. */
#include "entrypoint/config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "entrypoint/ini.h"
#include "entrypoint/keys.h"
#include "init/file.h"
#include "init/own.h"

/* One source while it is read; taken into the config only when all of it is good. */
struct layer {
	const char *name; /* the INI's path, for origins */
	struct setting settings[KEY_COUNT];
	struct config_link links[CONFIG_LINKS_MAX];
	size_t n_links;
};

static void setting_clear(struct setting *setting)
{
	free(setting->text);
	free(setting->origin);
	*setting = (struct setting){};
}

static void link_clear(struct config_link *link)
{
	free(link->from);
	free(link->to);
	free(link->origin);
	*link = (struct config_link){};
}

static void layer_clear(struct layer *layer)
{
	for (size_t i = 0; i < KEY_COUNT; i++)
		setting_clear(&layer->settings[i]);
	for (size_t i = 0; i < layer->n_links; i++)
		link_clear(&layer->links[i]);
	layer->n_links = 0;
}

void config_clear(struct config *config)
{
	for (size_t i = 0; i < KEY_COUNT; i++) {
		setting_clear(&config->settings[i]);
		free(config->lists[i]);
	}
	for (size_t i = 0; i < config->n_links; i++)
		link_clear(&config->links[i]);
	free(config->remark);
	*config = (struct config){};
}

const char *environment_get(char *const *environment, const char *name)
{
	size_t length = strlen(name);

	for (; *environment; environment++)
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

static int setting_put(struct setting *setting, const char *text, const char *origin,
		       struct fault *f)
{
	struct setting fresh = { strdup(text), strdup(origin) };

	if (!fresh.text || !fresh.origin) {
		setting_clear(&fresh);
		return fault_set(f, -ENOMEM, "keep a configuration value");
	}
	setting_clear(setting);
	*setting = fresh;
	return 0;
}

/* Judges one value and keeps it in the layer; the message names where it stands. */
static int layer_put(struct layer *layer, enum config_key key, const char *text,
		     const char *origin, struct fault *f)
{
	AUTO_CONFIG struct config scratch = {};
	struct fault why = {};
	int r = key_apply(key, text, &scratch, &why);

	if (r < 0)
		return fault_say(f, r, "%s: %s.%s: %s", origin, key_table[key].section,
				 key_table[key].name, why.message);
	return setting_put(&layer->settings[key], text, origin, f);
}

static int layer_put_link(struct layer *layer, const struct ini_assignment *assignment,
			  const char *origin, struct fault *f)
{
	struct config_link *link = &layer->links[layer->n_links];

	for (size_t i = 0; i < layer->n_links; i++)
		if (strcmp(layer->links[i].from, assignment->key) == 0)
			return fault_say(f, -EINVAL, "%s: this link stands twice", origin);
	if (layer->n_links == CONFIG_LINKS_MAX)
		return fault_say(f, -EINVAL, "%s: more than %d links", origin, CONFIG_LINKS_MAX);
	if (!text_is_utf8(assignment->key, strlen(assignment->key)) ||
	    !text_is_utf8(assignment->value, strlen(assignment->value)))
		return fault_say(f, -EINVAL, "%s: a link's names must be UTF-8", origin);
	*link = (struct config_link){ strdup(assignment->key), strdup(assignment->value),
				      strdup(origin) };
	layer->n_links++;
	if (!link->from || !link->to || !link->origin)
		return fault_set(f, -ENOMEM, "keep a link");
	return 0;
}

static int layer_put_assignment(void *user, const struct ini_assignment *assignment,
				struct fault *f)
{
	enum config_key key = key_find(assignment->section, assignment->key);
	struct layer *layer = user;
	AUTO_TEXT struct text origin = {};
	AUTO_TEXT struct text shown = {};

	text_add(&origin, "%s:%u", layer->name, assignment->line);
	text_escape(&shown, assignment->section, strlen(assignment->section));
	text_add(&shown, ".");
	text_escape(&shown, assignment->key, strlen(assignment->key));
	if (text_error(&origin) || text_error(&shown))
		return fault_set(f, -ENOMEM, "read the configuration");
	if (key == KEY_COUNT && strcmp(assignment->section, "symlinks") == 0)
		return layer_put_link(layer, assignment, origin.data, f);
	if (key == KEY_COUNT)
		return fault_say(f, -EINVAL, "%s: unknown key %s; `typeclaw-init config` lists all",
				 origin.data, shown.data);
	if (layer->settings[key].text)
		return fault_say(f, -EINVAL, "%s: %s stands twice", origin.data, shown.data);
	return layer_put(layer, key, assignment->value, origin.data, f);
}

/* Moves a good layer over what stood before. */
static void config_take(struct config *config, struct layer *layer)
{
	for (size_t i = 0; i < KEY_COUNT; i++) {
		if (!layer->settings[i].text)
			continue;
		setting_clear(&config->settings[i]);
		config->settings[i] = layer->settings[i];
		layer->settings[i] = (struct setting){};
	}
	for (size_t i = 0; i < layer->n_links; i++) {
		config->links[config->n_links++] = layer->links[i];
		layer->links[i] = (struct config_link){};
	}
	layer->n_links = 0;
}

static int config_put_defaults(struct config *config, struct fault *f)
{
	for (size_t i = 0; i < KEY_COUNT; i++) {
		int r = setting_put(&config->settings[i], key_table[i].standard, "default", f);

		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * A bad file at the default place: the boot goes on with the defaults, but what the operator
 * wanted to be fatal stays fatal.  An unreadable file may have said anything.
 */
static int config_forgive(struct config *config, const char *bytes, const struct fault *why,
			  struct fault *f)
{
	static const enum config_key fatal[] = { KEY_SANDBOX_FAIL_IF_UNAVAILABLE,
						 KEY_SYMLINKS_FAIL_IF_REFUSED };
	AUTO_TEXT struct text remark = {};

	text_add(&remark, "%s; going on with the defaults", why->message);
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++) {
		int r;

		if (bytes && !strstr(bytes, key_table[fatal[i]].name))
			continue;
		r = setting_put(&config->settings[fatal[i]], "true",
				"mentioned in a bad " CONFIG_DEFAULT_PATH, f);
		if (r < 0)
			return r;
		text_add(&remark, ", %s taken as true", key_table[fatal[i]].name);
	}
	config->remark = text_take(&remark);
	return config->remark ? 0 : fault_set(f, -ENOMEM, "keep a remark");
}

static int config_read_ini(struct config *config, const char *path, bool named, bool lenient,
			   struct fault *f)
{
	AUTO_TEXT struct text shown = {};
	__attribute__((cleanup(layer_clear))) struct layer layer = {};
	AUTO_FREE char *bytes = NULL;
	struct fault why = {};
	size_t length = 0;
	int r = file_slurp(AT_FDCWD, path, INI_FILE_MAX, &bytes, &length);

	text_escape(&shown, path, strlen(path));
	if (text_error(&shown))
		return fault_set(f, -ENOMEM, "read the configuration");
	layer.name = shown.data;
	if (r == -ENOENT && !named)
		return 0;
	if (r == -EFBIG)
		fault_say(&why, r, "%s: the file is over %d bytes", layer.name, INI_FILE_MAX);
	else if (r < 0)
		fault_set(&why, r, "read %s", layer.name);
	else
		r = ini_read(layer.name, bytes, length, layer_put_assignment, &layer, &why);
	if (r == 0) {
		config_take(config, &layer);
		return 0;
	}
	if (!named && lenient)
		return config_forgive(config, bytes && strlen(bytes) == length ? bytes : NULL, &why,
				      f);
	*f = why;
	return r;
}

/* TYPECLAW_<SECTION>_<KEY>; an empty one counts as unset, as compose files leave them. */
static int config_read_environment(struct config *config, char *const *environment,
				   struct fault *f)
{
	__attribute__((cleanup(layer_clear))) struct layer layer = {};

	for (size_t i = 0; i < KEY_COUNT; i++) {
		AUTO_TEXT struct text name = {};
		AUTO_TEXT struct text origin = {};
		const char *text;
		int r;

		text_add(&name, "TYPECLAW_%s_%s", key_table[i].section, key_table[i].name);
		if (text_error(&name))
			return fault_set(f, -ENOMEM, "read the environment");
		for (char *c = name.data; *c; c++)
			*c = (char)toupper((unsigned char)*c);
		text = environment_get(environment, name.data);
		if (!text || !*text)
			continue;
		text_add(&origin, "environment %s", name.data);
		if (text_error(&origin))
			return fault_set(f, -ENOMEM, "read the environment");
		r = layer_put(&layer, (enum config_key)i, text, origin.data, f);
		if (r < 0)
			return r;
	}
	config_take(config, &layer);
	return 0;
}

/* SECTION.KEY=VALUE, or a shorthand's key and value; lists of shorthands add up. */
static int layer_put_option(struct layer *layer, const struct option_use *use, struct fault *f)
{
	const char *name = use->option->key ? use->option->key : use->value;
	const char *equals = use->option->key ? NULL : strchr(name, '=');
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	const char *dot = memchr(name, '.', length);
	const char *text = use->option->key ? use->value : equals ? equals + 1 : NULL;
	AUTO_TEXT struct text section = {};
	AUTO_TEXT struct text rest = {};
	AUTO_TEXT struct text value = {};
	enum config_key key;

	if (use->option->key && use->option->value)
		text = use->option->value;
	if (!dot || !text)
		return fault_say(f, -EINVAL, "--set takes SECTION.KEY=VALUE");
	text_add_bytes(&section, name, (size_t)(dot - name));
	text_add_bytes(&rest, dot + 1, length - (size_t)(dot - name) - 1);
	if (text_error(&section) || text_error(&rest))
		return fault_set(f, -ENOMEM, "read the options");
	key = key_find(section.data, rest.data);
	if (key == KEY_COUNT)
		return fault_say(f, -EINVAL,
				 "--set: unknown key; `typeclaw-init config` lists all");
	if (use->option->key && key_is_list(key) && layer->settings[key].text)
		text_add(&value, "%s, ", layer->settings[key].text);
	text_add(&value, "%s", text);
	if (text_error(&value))
		return fault_set(f, -ENOMEM, "read the options");
	return layer_put(layer, key, value.data, "option", f);
}

static int config_read_options(struct config *config, const struct arguments *arguments,
			       struct fault *f)
{
	__attribute__((cleanup(layer_clear))) struct layer layer = {};

	for (size_t i = 0; i < arguments->n_uses; i++) {
		int r;

		if (arguments->uses[i].option->id != OPTION_SET)
			continue;
		r = layer_put_option(&layer, &arguments->uses[i], f);
		if (r < 0)
			return r;
	}
	config_take(config, &layer);
	return 0;
}

int config_judge_options(const struct arguments *arguments, struct fault *f)
{
	AUTO_CONFIG struct config scratch = {};

	return config_read_options(&scratch, arguments, f);
}

/* Every text was judged when it was read; here it becomes what it means. */
static int config_apply(struct config *config, char *const *environment, struct fault *f)
{
	config->init = supervise_defaults();
	for (size_t i = 0; i < KEY_COUNT; i++) {
		int r = key_apply((enum config_key)i, config->settings[i].text, config, f);

		if (r < 0)
			return r;
	}
	if (!config->home)
		config->home = environment_get(environment, "HOME");
	config->links_value = environment_get(environment, CONFIG_LINKS_VARIABLE);
	return 0;
}

int config_read(const struct arguments *arguments, char *const *environment, bool lenient,
		struct config *ret, struct fault *f)
{
	AUTO_CONFIG struct config config = {};
	const char *path = arguments_value(arguments, OPTION_CONFIG);
	bool named;
	int r = config_put_defaults(&config, f);

	if (!path)
		path = environment_get(environment, CONFIG_PATH_VARIABLE);
	named = path && *path;
	if (r == 0)
		r = config_read_ini(&config, named ? path : CONFIG_DEFAULT_PATH, named, lenient, f);
	if (r == 0)
		r = config_read_environment(&config, environment, f);
	if (r == 0)
		r = config_read_options(&config, arguments, f);
	if (r == 0)
		r = config_apply(&config, environment, f);
	if (r < 0)
		return r;
	*ret = config;
	config = (struct config){};
	return 0;
}

void config_write(const struct config *config, struct text *t)
{
	const char *section = "";

	for (size_t i = 0; i < KEY_COUNT; i++) {
		const struct setting *setting = &config->settings[i];

		if (strcmp(section, key_table[i].section) != 0) {
			section = key_table[i].section;
			text_add(t, "%s[%s]\n", i ? "\n" : "", section);
		}
		if (i == KEY_AGENT_HOME && !setting->text[0] && config->home) {
			text_add(t, "home = ");
			text_escape(t, config->home, strlen(config->home));
			text_add(t, " ; environment HOME\n");
			continue;
		}
		text_add(t, "%s = %s ; %s\n", key_table[i].name, setting->text, setting->origin);
		if (i == KEY_SYMLINKS_FAIL_IF_REFUSED)
			for (size_t n = 0; n < config->n_links; n++)
				text_add(t, "%s = %s ; %s\n", config->links[n].from,
					 config->links[n].to, config->links[n].origin);
	}
}
