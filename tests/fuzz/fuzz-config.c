/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as a file of settings. What can be read can be changed: then the changed
 * setting has its value, and all others theirs. */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/settings/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_place(const struct setting *setting, size_t size)
{
	assert(setting->value_begin <= setting->value_end && setting->value_end <= size);
	assert(setting->line > 0 && strchr(setting->key, '.'));
}

static void change(const struct settings *before, const char *text, size_t size, const char *key,
		   const char *value)
{
	struct settings after = { 0 };
	char *changed;
	size_t len;
	int err = settings_edit(text, size, "file", key, value, &changed, &len, NULL);

	assert(!err || (err == -EINVAL && !settings_section_len(key)));
	if (err)
		return;
	assert(!settings_parse(&after, changed, len, "changed", NULL));
	assert(!strcmp(settings_find(&after, key)->value, value));
	for (size_t i = 0; i < before->nr_settings; i++) {
		const char *other = before->settings[i].key;

		assert(!strcmp(other, key) || !strcmp(settings_find(&after, other)->value,
						      settings_find(before, other)->value));
	}
	free(changed);
	settings_fini(&after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const values[] = { "", "plain", " # \"quoted\" ; \\ \t\n" };
	const char *text = (const char *)data;
	struct settings settings = { 0 };
	int err = settings_parse(&settings, text, size, "file", NULL);

	assert(!err || err == -EINVAL);
	for (size_t i = 0; i < settings.nr_settings; i++)
		check_place(&settings.settings[i], size);
	for (size_t i = 0; !err && i < sizeof(values) / sizeof(values[0]); i++) {
		change(&settings, text, size, "report.children", values[i]);
		if (settings.nr_settings)
			change(&settings, text, size, settings.settings[0].key, values[i]);
		if (settings.nr_settings)
			change(&settings, text, size,
			       settings.settings[settings.nr_settings - 1].key, values[i]);
	}
	settings_fini(&settings);
	return 0;
}
