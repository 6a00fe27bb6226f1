/* SPDX-License-Identifier: MIT */
/* What a browser shows, without a terminal: folding, filters, scrolling, names, widths and keys. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/browser/node-tree.h"
#include "cli/browser/screen.h"
#include "cli/browser/scroll.h"
#include "cli/browser/shorten.h"
#include "cli/browser/tree-marks.h"
#include "cli/browser/widths.h"
#include "cli/report/browse.h"

/* --- a tree: rows a, b, c, …; below each that can be unfolded two nodes, the first with one more
 */

struct made {
	size_t nr_loads;
	size_t hidden;  /* the row that is not shown */
	size_t without; /* the row that has nothing below it */
	int err;
};

static int make_children(struct node *row, void *data)
{
	struct made *made = data;

	made->nr_loads++;
	if (made->err)
		return made->err;
	row->children = calloc(2, sizeof(*row->children));
	row->nr_children = 2;
	for (size_t i = 0; i < 2; i++)
		row->children[i] = (struct node){
			.parent = row, .row = row->row, .depth = 1, .text = strdup("below")
		};
	struct node *first = &row->children[0];
	first->children = calloc(1, sizeof(*first->children));
	first->children[0] = (struct node){
		.parent = first, .row = row->row, .depth = 2, .text = strdup("deep")
	};
	first->nr_children = 1;
	first->can_open = true;
	return 0;
}

static bool can_open(size_t row, void *data)
{
	return row != ((struct made *)data)->without;
}

static bool is_shown(size_t row, void *data)
{
	return row != ((struct made *)data)->hidden;
}

static void make_tree(struct tree *tree, size_t nr, struct made *made)
{
	const struct tree_calls calls = { make_children, can_open, is_shown, made };

	assert_int_equal(tree_init(tree, nr, &calls), 0);
	scroll_fit(&tree->scroll, tree->nr_lines, 5);
}

/* "a+ b- .+ .": rows by letter, what is below by a dot, with their signs. */
static const char *lines_of(const struct tree *tree)
{
	static char text[256];
	size_t len = 0;

	for (size_t i = 0; i < tree->nr_lines; i++) {
		const struct node *node = tree->lines[i];

		text[len++] = node->text ? '.' : (char)('a' + node->row);
		if (node->can_open)
			text[len++] = node->is_open ? '-' : '+';
		text[len++] = ' ';
	}
	text[len ? len - 1 : 0] = '\0';
	return text;
}

static void rows_are_unfolded_and_folded(void **state)
{
	struct made made = { .hidden = 9, .without = 2 };
	struct tree tree;

	(void)state;
	make_tree(&tree, 3, &made);
	assert_string_equal(lines_of(&tree), "a+ b+ c");
	assert_int_equal(made.nr_loads, 0);
	scroll_to(&tree.scroll, 1);
	assert_int_equal(tree_toggle(&tree), 0);
	assert_string_equal(lines_of(&tree), "a+ b- .+ . c");
	scroll_to(&tree.scroll, 2);
	assert_int_equal(tree_toggle(&tree), 0);
	assert_string_equal(lines_of(&tree), "a+ b- .- . . c");
	/* The cursor, which is below the row, goes to the row. */
	scroll_to(&tree.scroll, 3);
	assert_int_equal(tree_fold_row(&tree), 0);
	assert_string_equal(lines_of(&tree), "a+ b+ c");
	assert_int_equal(tree.scroll.at, 1);
	assert_int_equal(tree_toggle_all_of_row(&tree), 0);
	assert_string_equal(lines_of(&tree), "a+ b- .- . . c");
	/* They are made once. */
	assert_int_equal(made.nr_loads, 1);
	scroll_to(&tree.scroll, 5);
	assert_int_equal(tree_toggle(&tree), 0);
	assert_string_equal(lines_of(&tree), "a+ b- .- . . c");
	tree_fini(&tree);
}

static void all_rows_at_once(void **state)
{
	struct made made = { .hidden = 0, .without = 9 };
	struct tree tree;

	(void)state;
	make_tree(&tree, 4, &made);
	assert_int_equal(tree_open_all(&tree, 2), 2);
	assert_string_equal(lines_of(&tree), "b- .- . . c- .- . . d+");
	assert_int_equal(tree_open_all(&tree, 100), 3);
	assert_int_equal(made.nr_loads, 3);
	assert_int_equal(tree_fold_all(&tree), 0);
	assert_string_equal(lines_of(&tree), "b+ c+ d+");
	tree_fini(&tree);
}

static void filters_keep_the_cursor(void **state)
{
	struct made made = { .hidden = 9, .without = 9 };
	struct tree tree;

	(void)state;
	make_tree(&tree, 4, &made);
	scroll_to(&tree.scroll, 2);
	made.hidden = 0;
	assert_int_equal(tree_update(&tree), 0);
	assert_string_equal(lines_of(&tree), "b+ c+ d+");
	assert_int_equal(tree_at(&tree)->row, 2);
	made.hidden = 2;
	assert_int_equal(tree_update(&tree), 0);
	assert_non_null(tree_at(&tree));
	tree_fini(&tree);
	/* Nothing to show is no failure. */
	make_tree(&tree, 0, &made);
	assert_null(tree_at(&tree));
	assert_int_equal(tree_toggle(&tree), 0);
	assert_int_equal(tree_toggle_all_of_row(&tree), 0);
	assert_int_equal(tree_fold_row(&tree), 0);
	assert_int_equal(tree_open_all(&tree, 10), 0);
	tree_fini(&tree);
}

static void failures_change_nothing(void **state)
{
	struct made made = { .hidden = 9, .without = 9, .err = -ENOMEM };
	struct tree tree;

	(void)state;
	make_tree(&tree, 2, &made);
	assert_int_equal(tree_toggle(&tree), -ENOMEM);
	assert_int_equal(tree_open_all(&tree, 10), -ENOMEM);
	made.err = 0;
	assert_int_equal(tree_fold_all(&tree), 0);
	assert_string_equal(lines_of(&tree), "a+ b+");
	tree_fini(&tree);
}

/* --- rows that take the place of others: a name for each, a call chain of two lines below it ---
 */

struct replaced {
	const char *rows; /* a letter each */
	bool is_forked;   /* the chain forks after its first line; else the second belongs to it */
};

static void fill(struct node *node, struct node *parent, const char *name, double percent)
{
	*node = (struct node){ .parent = parent,
			       .row = parent->row,
			       .depth = parent->depth + 1,
			       .text = strdup(name),
			       .percent = percent };
	parent->nr_children++;
	parent->can_open = true;
}

/* main > run > leaf; forked: main > { run > leaf, other } */
static int make_chain(struct node *row, void *data)
{
	const struct replaced *replaced = data;

	row->children = calloc(1, sizeof(*row->children));
	struct node *first = row->children;
	fill(first, row, "main", 50);
	first->children = calloc(2, sizeof(*first->children));
	struct node *second = first->children;
	fill(second, first, "run", replaced->is_forked ? 30 : -1);
	struct node *above_leaf = replaced->is_forked ? second : first;
	struct node *leaf = first->children + 1;
	if (replaced->is_forked) {
		fill(first->children + 1, first, "other", 20);
		leaf = second->children = calloc(1, sizeof(*leaf));
	}
	fill(leaf, above_leaf, "leaf", 30);
	return 0;
}

static bool is_always(size_t row, void *data)
{
	(void)row, (void)data;
	return true;
}

static uint64_t letter_of(size_t row, void *data)
{
	return (uint64_t)((const struct replaced *)data)->rows[row];
}

static void make_replaced(struct tree *tree, struct replaced *replaced)
{
	const struct tree_calls calls = { make_chain, is_always, is_always, replaced };

	assert_int_equal(tree_init(tree, strlen(replaced->rows), &calls), 0);
	scroll_fit(&tree->scroll, tree->nr_lines, 10);
}

/* "b main run": a row by its letter, what is below by its name. */
static const char *names_of(const struct tree *tree)
{
	static char text[256];
	const struct replaced *replaced = tree->calls.data;
	size_t len = 0;

	*text = '\0';
	for (size_t i = 0; i < tree->nr_lines; i++) {
		const struct node *node = tree->lines[i];
		char letter[] = { replaced->rows[node->row], '\0' };

		len += (size_t)snprintf(
			text + len, sizeof(text) - len, "%s%s%s", i == tree->scroll.at ? "*" : "",
			node->text ? node->text : letter, i + 1 < tree->nr_lines ? " " : "");
	}
	return text;
}

static void what_is_unfolded_stays_so_in_new_rows(void **state)
{
	static const struct {
		int line;
		const char *rows; /* before; the second is unfolded with all that is below it */
		bool was_forked;
		size_t at;
		const char *after;
		bool is_forked;
		const char *expected;
	} cases[] = {
		{ __LINE__, "ab", false, 1, "ba", false, "*b main run leaf a" },
		{ __LINE__, "ab", false, 4, "bxa", false, "b main run *leaf x a" },
		{ __LINE__, "ab", true, 5, "ba", true, "b main run leaf *other a" },
		/* A chain that forks now, or does not fork any more. */
		{ __LINE__, "ab", false, 4, "ba", true, "b main run *leaf other a" },
		{ __LINE__, "ab", false, 3, "ba", true, "b main *run leaf other a" },
		{ __LINE__, "ab", true, 4, "ba", false, "b main run *leaf a" },
		/* What is gone: the row instead; without it, the line. */
		{ __LINE__, "ab", true, 5, "ba", false, "*b main run leaf a" },
		{ __LINE__, "ab", false, 2, "wxyz", false, "w x *y z" },
		{ __LINE__, "ab", false, 4, "wx", false, "w *x" },
		{ __LINE__, "ab", false, 4, "", false, "" },
		/* Who looks at the first row, which is folded, looks at what is first. */
		{ __LINE__, "ab", false, 0, "ba", false, "*b main run leaf a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct replaced before = { cases[i].rows, cases[i].was_forked };
		struct replaced after = { cases[i].after, cases[i].is_forked };
		struct tree trees[2];
		struct tree_marks marks;

		make_replaced(&trees[0], &before);
		scroll_to(&trees[0].scroll, 1);
		assert_int_equal(tree_toggle_all_of_row(&trees[0]), 0);
		scroll_to(&trees[0].scroll, cases[i].at);
		assert_int_equal(tree_marks_save(&marks, &trees[0], letter_of), 0);
		tree_fini(&trees[0]);
		make_replaced(&trees[1], &after);
		assert_int_equal(tree_marks_restore(&marks, &trees[1], letter_of), 0);
		if (strcmp(names_of(&trees[1]), cases[i].expected) != 0)
			fail_msg("line %d: '%s'", cases[i].line, names_of(&trees[1]));
		tree_marks_fini(&marks);
		tree_fini(&trees[1]);
	}
}

/* Each on its level; and the cursor is as far from the top of the screen as it was. */
static void what_is_folded_stays_so_in_new_rows(void **state)
{
	struct replaced replaced = { "abc", false };
	struct tree trees[2];
	struct tree_marks marks;

	(void)state;
	make_replaced(&trees[0], &replaced);
	assert_int_equal(tree_toggle(&trees[0]), 0);
	scroll_to(&trees[0].scroll, 3);
	assert_int_equal(tree_toggle(&trees[0]), 0);
	scroll_fit(&trees[0].scroll, trees[0].nr_lines, 2);
	assert_int_equal(trees[0].scroll.top, 2);
	assert_string_equal(names_of(&trees[0]), "a main b *c main");
	assert_int_equal(tree_marks_save(&marks, &trees[0], letter_of), 0);
	make_replaced(&trees[1], &replaced);
	assert_int_equal(tree_marks_restore(&marks, &trees[1], letter_of), 0);
	assert_string_equal(names_of(&trees[1]), "a main b *c main");
	assert_int_equal(trees[1].scroll.top, 2);
	tree_marks_fini(&marks);
	tree_fini(&trees[0]);
	tree_fini(&trees[1]);
}

/* --- scrolling --- */

static void the_cursor_stays_on_the_screen(void **state)
{
	static const struct {
		int line, key;
		size_t at, top;
	} steps[] = {
		{ __LINE__, SCREEN_DOWN, 1, 0 },
		{ __LINE__, SCREEN_PAGE_DOWN, 11, 2 },
		{ __LINE__, SCREEN_PAGE_DOWN, 21, 12 },
		{ __LINE__, SCREEN_UP, 20, 12 },
		{ __LINE__, SCREEN_END, 99, 90 },
		{ __LINE__, SCREEN_DOWN, 99, 90 },
		{ __LINE__, SCREEN_PAGE_UP, 89, 89 },
		{ __LINE__, SCREEN_HOME, 0, 0 },
		{ __LINE__, SCREEN_UP, 0, 0 },
		{ __LINE__, SCREEN_PAGE_UP, 0, 0 },
		{ __LINE__, ' ', 10, 1 },
	};
	struct scroll scroll = { 0 };

	(void)state;
	scroll_fit(&scroll, 100, 10);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		bool moves = scroll_key(&scroll, steps[i].key);

		if (!moves || scroll.at != steps[i].at || scroll.top != steps[i].top)
			fail_msg("line %d: at %zu, top %zu", steps[i].line, scroll.at, scroll.top);
	}
	assert_false(scroll_key(&scroll, 'x'));
}

static void sizes_change(void **state)
{
	struct scroll scroll = { 0 };

	(void)state;
	scroll_fit(&scroll, 100, 10);
	scroll_to(&scroll, 99);
	assert_int_equal(scroll.top, 90);
	/* A larger screen has no empty lines below the last. */
	scroll_fit(&scroll, 100, 50);
	assert_int_equal(scroll.top, 50);
	scroll_fit(&scroll, 100, 1);
	assert_int_equal(scroll.top, 99);
	/* Fewer lines: the cursor is on the last. */
	scroll_fit(&scroll, 3, 10);
	assert_int_equal(scroll.at, 2);
	assert_int_equal(scroll.top, 0);
	scroll_fit(&scroll, 0, 0);
	assert_int_equal(scroll.at, 0);
	scroll_move(&scroll, 1);
	scroll_move(&scroll, -1);
	assert_int_equal(scroll.at, 0);
}

/* --- names --- */

static void names_lose_what_says_least(void **state)
{
	static const struct {
		int line;
		const char *name;
		int columns;
		const char *expected;
	} cases[] = {
		{ __LINE__, "main", 10, "main" },
		{ __LINE__, "main", 4, "main" },
		{ __LINE__, "std::vector<int, std::allocator<int> >::push_back(int const&)", 45,
		  "std::vector<...>::push_back(int const&)" },
		{ __LINE__, "std::vector<int, std::allocator<int> >::push_back(int const&)", 34,
		  "std::vector<...>::push_back(...)" },
		{ __LINE__, "std::vector<int, std::allocator<int> >::push_back(int const&)", 20,
		  "std::v...h_back(...)" },
		{ __LINE__, "a::(anonymous namespace)::run(unsigned long)", 40,
		  "a::(anonymous namespace)::run(...)" },
		{ __LINE__, "bool operator< <char, traits>(text<char> const&, int)", 44,
		  "bool operator< <...>(text<...> const&, int)" },
		{ __LINE__, "S::operator->(long long parameter) const", 30,
		  "S::operator->(...) const" },
		{ __LINE__, "f(std::function<void ()->int>, long)", 34,
		  "f(std::function<...>, long)" },
		{ __LINE__, "broken<no end of it, whatever it was", 20, "broken...ever it was" },
		{ __LINE__, "abcdefgh", 1, "a" },
		{ __LINE__, "abcdefgh", 0, "" },
		{ __LINE__,
		  "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc", 8,
		  "\xc3\xa4\xc3\xb6...\xc3\xa4\xc3\xb6\xc3\xbc" },
	};
	char buf[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *got = shorten(cases[i].name, cases[i].columns, buf, sizeof(buf));

		if (strcmp(got, cases[i].expected) != 0)
			fail_msg("line %d: '%s' (%zu)", cases[i].line, got, strlen(got));
	}
}

/* Whatever the name: it fits, and nothing is read or written beyond. */
static void any_name_fits(void **state)
{
	static const char *const parts[] = { "<", ">", "(", ")",        "-", "=",
					     "a", ":", ",", "\xc3\xa4", " ", "op" };
	unsigned int seed = 1;

	(void)state;
	for (int run = 0; run < 20000; run++) {
		char name[128] = "", buf[64];
		int columns = rand_r(&seed) % 20;

		for (int nr = rand_r(&seed) % 40; nr; nr--)
			strcat(name,
			       parts[(size_t)rand_r(&seed) % (sizeof(parts) / sizeof(parts[0]))]);
		const char *got = shorten(name, columns, buf, sizeof(buf));
		int nr = 0;
		for (const char *at = got; *at; at++)
			nr += (*at & 0xc0) != 0x80;
		if (nr > columns)
			fail_msg("'%s' in %d columns is '%s'", name, columns, got);
	}
}

/* --- columns --- */

static void columns_share_what_there_is(void **state)
{
	static const struct {
		int line;
		int wanted[3], nr, available, expected[3];
	} cases[] = {
		{ __LINE__, { 10, 20, 30 }, 3, 80, { 10, 20, 30 } },
		{ __LINE__, { 10, 20, 90 }, 3, 80, { 10, 20, 50 } },
		{ __LINE__, { 10, 60, 90 }, 3, 80, { 10, 22, 48 } },
		{ __LINE__, { 60, 60, 90 }, 3, 80, { 16, 16, 48 } },
		{ __LINE__, { 90 }, 1, 80, { 80 } },
		{ __LINE__, { 60, 60, 90 }, 3, 0, { 0, 0, 0 } },
		{ __LINE__, { 60, 60, 90 }, 3, -5, { 0, 0, 0 } },
		{ __LINE__, { 0 }, 0, 80, { 0 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int got[3] = { 0 };

		widths_fit(cases[i].wanted, (size_t)cases[i].nr, cases[i].available, got);
		for (int c = 0; c < 3; c++)
			if (got[c] != cases[i].expected[c])
				fail_msg("line %d: column %d is %d", cases[i].line, c, got[c]);
	}
	assert_int_equal(widths_of_bar(80), 0);
	assert_int_equal(widths_of_bar(100), 10);
	assert_int_equal(widths_of_bar(500), 30);
}

/* --- keys --- */

static void each_key_does_one_thing(void **state)
{
	char *help = actions_help(browse_actions);

	(void)state;
	assert_non_null(help);
	for (const struct action *action = browse_actions; action->name; action++) {
		assert_non_null(strstr(help, action->what));
		assert_true(action->run || !action->keys[0]);
		assert_true(action->run || !action->menu);
		for (int i = 0; i < KEYS_PER_ACTION && action->keys[i]; i++)
			assert_ptr_equal(action_of(browse_actions, action->keys[i]), action);
	}
	assert_null(action_of(browse_actions, SCREEN_RESIZED));
	assert_null(action_of(browse_actions, 0));
	free(help);
}

/* What perf's users know. */
static void keys_of_perf_are_there(void **state)
{
	static const int keys[] = { '+', 'e', 'E', 'c', 'C', '/', 'd', 't',        'a',
				    'm', 'h', 'P', 's', 'i', 'V', 'q', SCREEN_TAB, SCREEN_ENTER };

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		assert_non_null(action_of(browse_actions, keys[i]));
}

/* --- what is read --- */

static struct loaded *load(void)
{
	struct values values = { .read = { .jobs = 1, .filter_rows = true, .force = true },
				 .show = { .graph = { .mode = GRAPH_GRAPH } },
				 .count = { .no_branches = true } };
	const struct cli cli = { .name = "xperf" };
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/data/perfdata/files/made-branches",
		 getenv("SOURCE_DIR"));
	struct loaded *loaded = loaded_new(&values, NULL, path);
	assert_non_null(loaded);
	loaded->values.read.with_symbols = true;
	loaded->values.read.symbols.symfs = "/nonexistent";
	assert_int_equal(loaded_read(loaded, &cli), 0);
	return loaded;
}

static const char *quality_of(struct loaded *loaded)
{
	static char line[256];
	FILE *file = tmpfile();

	quality_print(file, &loaded->report);
	rewind(file);
	assert_non_null(fgets(line, sizeof(line), file));
	fclose(file);
	return line;
}

static void what_was_stopped_is_part_of_the_quality(void **state)
{
	struct loaded *loaded = load();
	struct progress *progress = &loaded->progress;

	(void)state;
	assert_non_null(strstr(quality_of(loaded), "Quality: 6 samples"));
	for (int i = 0; i < NR_STAGES; i++)
		assert_false(progress->was_stopped[i]);
	progress_begin(progress, STAGE_NAMING, 10);
	assert_true(progress_add(4, progress));
	progress_stop(progress);
	assert_false(progress_add(4, progress));
	progress_end(progress);
	assert_string_equal(quality_of(loaded),
			    "# Quality: stopped with Ctrl-C: 4 of 10 addresses were looked up\n");
	progress_begin(progress, STAGE_COUNTING, 10);
	assert_true(progress_add(0, progress));
	progress_stop(progress);
	assert_false(progress_add(1, progress));
	progress_end(progress);
	assert_string_equal(quality_of(loaded),
			    "# Quality: stopped with Ctrl-C: 6 of 6 samples are counted\n");
	progress_begin(progress, STAGE_READING, 3000000);
	progress_stop(progress);
	assert_false(progress_set(progress, 1000000));
	progress_end(progress);
	assert_string_equal(quality_of(loaded),
			    "# Quality: reading was stopped with Ctrl-C after 1.0 MB of 3.0 MB\n");
	loaded_free(loaded, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_unfolded_and_folded),
		cmocka_unit_test(all_rows_at_once),
		cmocka_unit_test(filters_keep_the_cursor),
		cmocka_unit_test(failures_change_nothing),
		cmocka_unit_test(what_is_unfolded_stays_so_in_new_rows),
		cmocka_unit_test(what_is_folded_stays_so_in_new_rows),
		cmocka_unit_test(the_cursor_stays_on_the_screen),
		cmocka_unit_test(sizes_change),
		cmocka_unit_test(names_lose_what_says_least),
		cmocka_unit_test(any_name_fits),
		cmocka_unit_test(columns_share_what_there_is),
		cmocka_unit_test(each_key_does_one_thing),
		cmocka_unit_test(keys_of_perf_are_there),
		cmocka_unit_test(what_was_stopped_is_part_of_the_quality),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
