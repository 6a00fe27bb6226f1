/* SPDX-License-Identifier: MIT */
/*
 * Files of settings, as perf has them: sections with "name = value". A setting is found by its key,
 * "section.name"; of several, the last one counts.
 *
 * Source: perf-config(1), "CONFIGURATION FILE"; git-config(1), "Syntax", for quotes, escapes and
 * subsections; perf 6.1, measured: a name needs a value.
 */
#ifndef SETTINGS_SETTINGS_H
#define SETTINGS_SETTINGS_H

#include <stddef.h>

struct xp_diag;

/* @path: of the file, shared by its settings; @value_begin, @value_end: bytes of its text */
struct setting {
	char *key, *value;
	const char *path;
	int line;
	size_t value_begin, value_end;
};

/* @end: of the line of its last setting, or of its heading */
struct settings_section {
	char *name;
	size_t end;
};

/* Zero-initialised, it is empty. */
struct settings {
	struct setting *settings;
	struct settings_section *sections; /* of the text that was parsed last */
	char **paths;
	size_t nr_settings, nr_sections, nr_paths;
};

enum settings_place {
	SETTINGS_ANY,    /* PERF_CONFIG, else the system's and then the user's */
	SETTINGS_SYSTEM, /* /etc/perfconfig */
	SETTINGS_USER,   /* ~/.perfconfig */
};

/*
 * Adds the settings of a text, which is that of the file @path. Returns 0, -ENOMEM, or -EINVAL with
 * file and line in @diag, and some settings added.
 */
int settings_parse(struct settings *settings, const char *text, size_t len, const char *path,
		   struct xp_diag *diag);
/* Frees all, and empties it. */
void settings_fini(struct settings *settings);

/* The setting that counts; NULL: there is none. */
const struct setting *settings_find(const struct settings *settings, const char *key);

/* The length of the section in a key; 0: it is no "section.name" that a file can have. */
size_t settings_section_len(const char *key);

/*
 * Sets a key in a text: everything else, comments too, stays as it is. *ret_text is to be freed.
 * Returns 0, -ENOMEM, or -EINVAL with @diag filled: the text or the key is wrong.
 */
int settings_edit(const char *text, size_t len, const char *path, const char *key,
		  const char *value, char **ret_text, size_t *ret_len, struct xp_diag *diag);

/*
 * Reads the files of a place; one that is not there is empty. A user's file that belongs to another
 * one, who is not root, is ignored, with a warning. Returns 0 or a negative errno with @diag
 * filled.
 */
int settings_load(struct settings *settings, enum settings_place place, struct xp_diag *diag);

/* Sets a key in the file of a place; any is the user's unless PERF_CONFIG names one. Returns
 * likewise. */
int settings_store(enum settings_place place, const char *key, const char *value,
		   struct xp_diag *diag);

#endif
