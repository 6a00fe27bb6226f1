/* SPDX-License-Identifier: MIT */
/* What keys do: a table per view, from which its help and its menu are made. */
#ifndef BROWSER_KEYS_H
#define BROWSER_KEYS_H

#include <stdbool.h>
#include <stddef.h>

enum { KEYS_PER_ACTION = 4 };

/* @name: of the keys, for the help; @what they do; @menu: the same for the menu, NULL: not there;
 * @run: NULL: it is done elsewhere. The table ends with one without name. */
struct action {
	int keys[KEYS_PER_ACTION];
	const char *name, *what, *menu;
	int (*run)(void *data);
};

/* The action of a key; NULL: there is none. */
const struct action *action_of(const struct action *actions, int key);
/* The help, to be freed by the caller; NULL without memory. */
char *actions_help(const struct action *actions);

#endif
