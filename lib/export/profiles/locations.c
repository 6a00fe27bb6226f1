/* SPDX-License-Identifier: MIT */
/* Numbers of locations, functions and texts: see locations.h. */
#include "locations.h"

#include <errno.h>
#include <stdlib.h>
#include <xperf/export.h>

/* @text: of locations->kept */
struct text {
	const char *text;
};

static int find_location(struct locations *locations, uint32_t nr)
{
	const struct xp_tree *tree = locations->tree;
	const struct tree_call *call = tree_call(tree, nr);
	bool is_inlined = tree_frame(tree, call->frame)->marks & XP_MARK_INLINED;
	const struct location location = {
		.outer = is_inlined && call->parent != NO_CALL ? locations->calls[call->parent]
							       : NO_CALL,
		.frame = call->frame,
	};

	return xp_table_intern(&locations->locations, &location, &locations->calls[nr]) < 0
		       ? -ENOMEM
		       : 0;
}

int xp_locations_init(struct locations *locations, const struct xp_tree *tree)
{
	int err = 0;

	*locations = (struct locations){
		.tree = tree,
		.texts = xp_table(sizeof(struct text), sizeof(struct text)),
		.locations = xp_table(sizeof(struct location), sizeof(struct location)),
		.functions =
			xp_table(sizeof(struct located_function), sizeof(struct located_function)),
		.calls = calloc((size_t)tree->calls.nr + 1, sizeof(*locations->calls)),
	};
	xp_locations_text(locations, "");
	if (!locations->calls || locations->failed)
		return -ENOMEM;
	for (uint32_t i = 0; !err && i < tree->calls.nr; i++)
		err = find_location(locations, i);
	return err;
}

void xp_locations_fini(struct locations *locations)
{
	xp_intern_fini(&locations->kept);
	xp_table_fini(&locations->texts);
	xp_table_fini(&locations->locations);
	xp_table_fini(&locations->functions);
	free(locations->calls);
}

uint64_t xp_locations_text(struct locations *locations, const char *text)
{
	const struct text key = { xp_intern_add(&locations->kept, text, strlen(text)) };
	uint32_t nr = 0;

	if (!key.text || xp_table_intern(&locations->texts, &key, &nr) < 0)
		locations->failed = true;
	return nr;
}

const char *xp_locations_text_at(const struct locations *locations, uint32_t nr)
{
	return ((const struct text *)xp_table_at(&locations->texts, nr))->text;
}

uint64_t xp_locations_function(struct locations *locations, const struct tree_frame *frame)
{
	const struct located_function key = { frame->name, frame->source, frame->start_line };
	uint32_t nr = 0;

	if (xp_table_intern(&locations->functions, &key, &nr) < 0)
		locations->failed = true;
	return nr;
}
