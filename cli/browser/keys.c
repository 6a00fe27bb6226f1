/* SPDX-License-Identifier: MIT */
/* What keys do. */
#include "keys.h"

#include "sink.h"

const struct action *action_of(const struct action *actions, int key)
{
	for (; actions->name; actions++)
		for (int i = 0; i < KEYS_PER_ACTION; i++)
			if (key && actions->keys[i] == key)
				return actions;
	return NULL;
}

char *actions_help(const struct action *actions)
{
	enum { NAME_COLUMNS = 20 };
	struct sink out = SINK_KEPT;

	for (; actions->name; actions++) {
		sink_padded(&out, actions->name, -NAME_COLUMNS);
		sink_text(&out, actions->what);
		sink_char(&out, '\n');
	}
	sink_char(&out, '\0');
	if (!out.err)
		return out.buf;
	sink_fini(&out);
	return NULL;
}
