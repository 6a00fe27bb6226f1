/* SPDX-License-Identifier: MIT */
/* The code of functions in a tree. */
#include <errno.h>
#include <stdlib.h>
#include <xperf/export.h>

#include "opts.h"
#include "tree.h"
#include "vec.h"

void xp_tree_free_codes(struct xp_tree *tree)
{
	for (uint32_t i = 0; i < tree->nr_codes; i++) {
		free(tree->codes[i].rows);
		free(tree->codes[i].sums);
	}
	free(tree->codes);
}

static bool is_possible(const struct xp_tree *tree, const struct xp_tree_code *code)
{
	for (size_t i = 0; i < code->nr_rows; i++)
		if (code->rows[i].kind > XP_CODE_SKIPPED)
			return false;
	for (size_t i = 0; i < code->nr_sums; i++) {
		const struct xp_code_sum *sum = &code->sums[i];

		if (sum->row >= code->nr_rows || sum->event < 0 ||
		    (uint32_t)sum->event >= tree->nr_events)
			return false;
	}
	return true;
}

static int copy_rows(struct xp_tree *tree, const struct xp_tree_code *code, struct tree_code *copy)
{
	for (; copy->nr_rows < code->nr_rows; copy->nr_rows++) {
		struct xp_code_row *row = &copy->rows[copy->nr_rows];

		*row = code->rows[copy->nr_rows];
		row->text = xp_tree_text(tree, row->text);
		row->file = xp_tree_text(tree, row->file);
		if (!row->text || !row->file)
			return -ENOMEM;
	}
	return 0;
}

static int copy_code(struct xp_tree *tree, const struct xp_tree_code *code, struct tree_code *copy)
{
	*copy = (struct tree_code){
		.function = xp_tree_text(tree, code->function),
		.file = xp_tree_text(tree, code->file),
		.address = code->address,
		.rows = calloc(code->nr_rows + 1, sizeof(*copy->rows)),
		.sums = calloc(code->nr_sums + 1, sizeof(*copy->sums)),
		.nr_sums = code->nr_sums,
	};
	if (!copy->function || !copy->file || !copy->rows || !copy->sums)
		return -ENOMEM;
	if (code->nr_sums)
		memcpy(copy->sums, code->sums, code->nr_sums * sizeof(*copy->sums));
	return copy_rows(tree, code, copy);
}

int xp_tree_add_code(struct xp_tree *tree, const struct xp_tree_code *code)
{
	struct xp_tree_code known = { .size = 0 };
	struct tree_code copy;
	int err = XP_OPTS_COPY(&known, code, struct xp_tree_code, nr_sums, NULL);

	if (!err && !is_possible(tree, &known))
		err = -EINVAL;
	if (!err)
		err = vec_add(&tree->codes, tree->nr_codes, sizeof(*tree->codes));
	if (err)
		return err;
	err = copy_code(tree, &known, &copy);
	if (err) {
		free(copy.rows);
		free(copy.sums);
		return err;
	}
	tree->codes[tree->nr_codes++] = copy;
	return 0;
}
