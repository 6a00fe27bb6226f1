/* SPDX-License-Identifier: MIT */
/* Tables of the format of Firefox Profiler, which is columns: call chains, frames, functions,
 * files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "firefox.h"

/* Kinds of code, in the order of their rows; the first is for what has no other, and must be grey.
 */
static const struct {
	uint32_t marks;
	const char *name, *color;
} categories[] = {
	{ XP_MARK_CUT, "Other", "grey" },
	{ XP_MARK_OFF_CPU, "Off-CPU", "blue" },
	{ XP_MARK_KERNEL, "Kernel", "orange" },
	{ XP_MARK_JIT, "JIT", "green" },
	{ XP_MARK_UNKNOWN, "Unknown", "lightblue" },
	{ 0, "User", "yellow" },
};

enum { NR_CATEGORIES = sizeof(categories) / sizeof(categories[0]) };

uint32_t xp_firefox_text(struct firefox *to, const char *text)
{
	const struct text key = { xp_intern_add(&to->kept, text, strlen(text)) };
	uint32_t nr = 0;

	if (!key.text || xp_table_intern(&to->texts, &key, &nr) < 0)
		to->failed = true;
	return nr;
}

static uint32_t category_of(uint32_t marks)
{
	uint32_t nr = 0;

	while (categories[nr].marks && !(marks & categories[nr].marks))
		nr++;
	return nr;
}

static int find_functions(const struct xp_tree *tree, struct firefox *to)
{
	to->frames = calloc((size_t)tree->frames.nr + 1, sizeof(*to->frames));
	if (!to->frames)
		return -ENOMEM;
	for (uint32_t i = 0; i < tree->frames.nr; i++) {
		const struct tree_frame *frame = tree_frame(tree, i);
		char name[4200];

		/* The file has a table of its own: only what that cannot say is a mark. */
		snprintf(name, sizeof(name), "%s%s", frame->name,
			 frame->marks & XP_MARK_JOINED ? xp_mark_suffix(XP_MARK_JOINED) : "");
		const struct function key = { .name = xp_intern_add(&to->kept, name, strlen(name)),
					      .source = frame->source,
					      .file = frame->file };
		if (!key.name || xp_table_intern(&to->functions, &key, &to->frames[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* A column of what a function says of each row. */
typedef void (*column_fn)(struct json *json, struct firefox *to, const struct xp_tree *tree,
			  uint32_t row);

static void put_column(struct json *json, struct firefox *to, const struct xp_tree *tree,
		       const char *name, uint32_t nr, column_fn put)
{
	json_array(json, name, &json_compact);
	for (uint32_t i = 0; i < nr; i++)
		put(json, to, tree, i);
	json_end(json);
}

#define COLUMN(name)                                                                               \
	static void name(struct json *json, struct firefox *to __attribute__((unused)),            \
			 const struct xp_tree *tree __attribute__((unused)), uint32_t row)

COLUMN(stack_prefix)
{
	uint32_t parent = tree_call(tree, row)->parent;

	if (parent == NO_CALL)
		json_null(json, NULL);
	else
		json_uint(json, NULL, parent);
}
COLUMN(stack_frame)
{
	json_uint(json, NULL, tree_call(tree, row)->frame);
}
COLUMN(frame_address)
{
	const struct tree_frame *frame = tree_frame(tree, row);

	json_int(json, NULL, frame->file == NO_FILE ? -1 : (int64_t)frame->address);
}
COLUMN(frame_depth)
{
	json_uint(json, NULL, tree_frame(tree, row)->marks & XP_MARK_INLINED ? 1 : 0);
}
COLUMN(frame_category)
{
	json_uint(json, NULL, category_of(tree_frame(tree, row)->marks));
}
COLUMN(frame_func)
{
	json_uint(json, NULL, to->frames[row]);
}
COLUMN(frame_line)
{
	uint32_t line = tree_frame(tree, row)->line;

	if (line)
		json_uint(json, NULL, line);
	else
		json_null(json, NULL);
}
static const struct function *function_at(const struct firefox *to, uint32_t row)
{
	return xp_table_at(&to->functions, row);
}
COLUMN(func_name)
{
	json_uint(json, NULL, xp_firefox_text(to, function_at(to, row)->name));
}
COLUMN(func_resource)
{
	uint32_t file = function_at(to, row)->file;

	json_int(json, NULL, file == NO_FILE ? -1 : (int64_t)file);
}
COLUMN(resource_lib)
{
	json_uint(json, NULL, row);
}
COLUMN(resource_name)
{
	json_uint(json, NULL, xp_firefox_text(to, tree->files[row].name));
}
#undef COLUMN

static void put_stacks(struct json *json, struct firefox *to, const struct xp_tree *tree)
{
	uint32_t nr = tree->calls.nr;

	json_object(json, "stackTable", &json_compact);
	json_uint(json, "length", nr);
	put_column(json, to, tree, "prefix", nr, stack_prefix);
	put_column(json, to, tree, "frame", nr, stack_frame);
	json_end(json);
}

static void put_frames(struct json *json, struct firefox *to, const struct xp_tree *tree)
{
	uint32_t nr = tree->frames.nr;

	json_object(json, "frameTable", &json_compact);
	json_uint(json, "length", nr);
	put_column(json, to, tree, "address", nr, frame_address);
	put_column(json, to, tree, "inlineDepth", nr, frame_depth);
	put_column(json, to, tree, "category", nr, frame_category);
	firefox_same(json, "subcategory", nr, "0");
	put_column(json, to, tree, "func", nr, frame_func);
	firefox_same(json, "nativeSymbol", nr, "null");
	firefox_same(json, "innerWindowID", nr, "0");
	put_column(json, to, tree, "line", nr, frame_line);
	firefox_same(json, "column", nr, "null");
	json_end(json);
}

static void put_functions(struct json *json, struct firefox *to, const struct xp_tree *tree)
{
	uint32_t nr = to->functions.nr;

	json_object(json, "funcTable", &json_compact);
	json_uint(json, "length", nr);
	put_column(json, to, tree, "name", nr, func_name);
	firefox_same(json, "isJS", nr, "false");
	firefox_same(json, "relevantForJS", nr, "false");
	put_column(json, to, tree, "resource", nr, func_resource);
	firefox_same(json, "source", nr, "null");
	firefox_same(json, "lineNumber", nr, "null");
	firefox_same(json, "columnNumber", nr, "null");
	json_end(json);
}

static void put_resources(struct json *json, struct firefox *to, const struct xp_tree *tree)
{
	static const char *const sources[] = { "id", "filename", "startLine", "startColumn",
					       "sourceMapURL" };
	static const char *const symbols[] = { "libIndex", "address", "name", "functionSize" };
	uint32_t nr = tree->nr_files;

	json_object(json, "resourceTable", &json_compact);
	json_uint(json, "length", nr);
	put_column(json, to, tree, "lib", nr, resource_lib);
	put_column(json, to, tree, "name", nr, resource_name);
	firefox_same(json, "host", nr, "null");
	firefox_same(json, "type", nr, "1");
	json_end(json);
	json_object(json, "nativeSymbols", &json_compact);
	json_uint(json, "length", 0);
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		firefox_same(json, symbols[i], 0, NULL);
	json_end(json);
	json_object(json, "sources", &json_compact);
	json_uint(json, "length", 0);
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		firefox_same(json, sources[i], 0, NULL);
	json_end(json);
}

/* Texts come last: the other tables number them. */
int xp_firefox_shared(struct json *json, struct firefox *to, const struct xp_tree *tree)
{
	int err = find_functions(tree, to);

	if (err)
		return err;
	json_object(json, "shared", &json_compact);
	put_stacks(json, to, tree);
	put_frames(json, to, tree);
	put_functions(json, to, tree);
	put_resources(json, to, tree);
	json_array(json, "stringArray", &json_compact);
	for (uint32_t i = 0; i < to->texts.nr; i++)
		json_string(json, NULL, ((const struct text *)xp_table_at(&to->texts, i))->text);
	json_end(json);
	json_end(json);
	return 0;
}

void xp_firefox_categories(struct json *json)
{
	json_array(json, "categories", &json_compact);
	for (uint32_t i = 0; i < NR_CATEGORIES; i++) {
		json_object(json, NULL, &json_compact);
		json_string(json, "name", categories[i].name);
		json_string(json, "color", categories[i].color);
		json_array(json, "subcategories", &json_compact);
		json_string(json, NULL, "Other");
		json_end(json);
		json_end(json);
	}
	json_end(json);
}
