/* SPDX-License-Identifier: MIT */
/* Trees of call chains, and the formats they are written in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/xperf.h>

#include "str.h"
#include "tree-add.h"
#include "types.h"

/* What formats write; it fails after @room bytes, if that is not 0. */
struct written {
	struct xp_str text;
	size_t room;
};

static int keep(const void *bytes, size_t len, void *data)
{
	struct written *written = data;

	if (written->room && written->text.len + len > written->room)
		return -ENOSPC;
	return xp_str_add(&written->text, bytes, len);
}

static const struct xp_export_format *format_of(const char *name)
{
	const struct xp_export_format *format = NULL;

	for (size_t i = 0; (format = xp_export_format_at(i)) && strcmp(format->name, name) != 0;)
		i++;
	assert_non_null(format);
	return format;
}

static int write_format(const struct xp_tree *tree, const struct xp_export_format *format,
			struct written *written, const struct xp_export_opts *like)
{
	struct xp_export_opts opts = like ? *like : (struct xp_export_opts){ .event = -1 };

	opts.size = sizeof(opts);
	opts.write = keep;
	opts.data = written;
	xp_str_fini(&written->text);
	return xp_export_tree(tree, format, &opts, NULL);
}

static const char *folded(const struct xp_tree *tree, struct written *written,
			  const struct xp_export_opts *like)
{
	assert_int_equal(write_format(tree, format_of("folded"), written, like), 0);
	return xp_str_text(&written->text);
}

static uint32_t event_of(struct xp_tree *tree, const char *name, bool is_off_cpu)
{
	const struct tree_event event = { .name = name,
					  .unit = is_off_cpu ? "nanoseconds" : "count",
					  .is_off_cpu = is_off_cpu };
	uint32_t nr;

	assert_int_equal(xp_tree_add_event(tree, &event, &nr), 0);
	return nr;
}

static uint32_t call_of(struct xp_tree *tree, uint32_t parent, const char *name, uint32_t marks)
{
	const struct tree_frame frame = { .name = name, .file = NO_FILE, .marks = marks };
	uint32_t frame_nr, call;

	assert_int_equal(xp_tree_add_frame(tree, &frame, &frame_nr), 0);
	assert_int_equal(xp_tree_add_call(tree, parent, frame_nr, &call), 0);
	return call;
}

static void count(struct xp_tree *tree, uint32_t event, const char *comm, uint32_t call,
		  uint64_t period)
{
	const struct tree_task task = { .comm = comm, .pid = 7, .tid = 8, .cpu = 1 };
	struct tree_stack stack = { .event = event, .call = call, .period = period, .samples = 1 };

	assert_int_equal(xp_tree_add_task(tree, &task, &stack.task), 0);
	assert_int_equal(xp_tree_add_stack(tree, &stack), 0);
}

static struct xp_tree *made(void)
{
	struct xp_tree *tree;

	assert_int_equal(xp_tree_new(&tree), 0);
	uint32_t event = event_of(tree, "cycles", false);
	uint32_t outer = call_of(tree, NO_CALL, "main", 0);
	uint32_t inner = call_of(tree, outer, "read", XP_MARK_KERNEL);
	count(tree, event, "b", inner, 5);
	count(tree, event, "a", inner, 3);
	count(tree, event, "a", outer, 2);
	count(tree, event, "a", inner, 1);
	return tree;
}

static void chains_are_sorted_and_added_up(void **state)
{
	struct written written = { 0 };
	struct xp_tree *tree = made();
	struct xp_export_opts opts = { .event = 0, .by = { XP_BY_COMM } };

	(void)state;
	assert_string_equal(folded(tree, &written, NULL), "main 2\nmain;read_[k] 9\n");
	assert_string_equal(folded(tree, &written, &opts),
			    "a;main 2\na;main;read_[k] 4\nb;main;read_[k] 5\n");
	opts.samples = true;
	assert_string_equal(folded(tree, &written, &opts),
			    "a;main 1\na;main;read_[k] 2\nb;main;read_[k] 1\n");
	opts = (struct xp_export_opts){ .event = -1,
					.by = { XP_BY_EVENT, XP_BY_CPU, XP_BY_THREAD } };
	assert_string_equal(folded(tree, &written, &opts),
			    "cycles;CPU 1;a-7/8;main 2\ncycles;CPU 1;a-7/8;main;read_[k] 4\n"
			    "cycles;CPU 1;b-7/8;main;read_[k] 5\n");
	xp_str_fini(&written.text);
	xp_tree_free(tree);
}

static void marks_are_kept(void **state)
{
	struct written written = { 0 };
	struct xp_tree *tree;

	(void)state;
	assert_int_equal(xp_tree_new(&tree), 0);
	uint32_t clock = event_of(tree, "task-clock", false);
	uint32_t wait = event_of(tree, "offcpu-time", true);
	uint32_t at = call_of(tree, NO_CALL, "[truncated]", XP_MARK_CUT);
	at = call_of(tree, at, "a", XP_MARK_JOINED);
	at = call_of(tree, at, "b", XP_MARK_JIT);
	at = call_of(tree, at, "c", XP_MARK_INLINED);
	count(tree, clock, "x", at, 1);
	count(tree, wait, "x", at, 2);
	assert_string_equal(folded(tree, &written, NULL),
			    "[truncated];a_[e];b_[j];c_[i] 1\n[truncated];a_[e];b_[j];c_[o] 2\n");
	xp_str_fini(&written.text);
	xp_tree_free(tree);
}

static void names_are_no_syntax(void **state)
{
	static const char hostile[] = "a;b \"<script>]]>&'\\\n\xff\xe2\x80\xae";
	struct written written = { 0 };
	struct xp_tree *tree;

	(void)state;
	assert_int_equal(xp_tree_new(&tree), 0);
	count(tree, event_of(tree, hostile, false), hostile, call_of(tree, NO_CALL, hostile, 0), 1);
	const struct xp_export_opts opts = { .event = -1, .by = { XP_BY_COMM }, .title = hostile };
	assert_string_equal(folded(tree, &written, NULL), "a:b \"<script>]]>&'\\??? 1\n");
	assert_int_equal(write_format(tree, format_of("svg"), &written, &opts), 0);
	const char *at = xp_str_text(&written.text);
	for (int nr = 0; (at = strstr(at, "<script>")) != NULL; at++)
		assert_true(nr++ == 0);
	assert_null(strstr(xp_str_text(&written.text), "\xff"));
	xp_str_fini(&written.text);
	xp_tree_free(tree);
}

static void folded_stacks_are_read(void **state)
{
	static const char text[] = "main;read_[k] 9\nmain 2\n";
	static const char *const wrong[] = {
		"main", "main x", "main 1x", " 1", "1", "a -1", "a 18446744073709551616"
	};
	struct written written = { 0 };
	struct xp_tree *tree;

	(void)state;
	assert_int_equal(xp_tree_new(&tree), 0);
	assert_int_equal(xp_tree_add_folded(tree, text, strlen("main;read_[k] 9\n")), 0);
	assert_int_equal(xp_tree_add_folded(tree, "\r\n", 2), 0);
	assert_int_equal(xp_tree_add_folded(tree, "main 1", 6), 0);
	assert_int_equal(xp_tree_add_folded(tree, "main 1.9", 8), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(xp_tree_add_folded(tree, wrong[i], strlen(wrong[i])), -EBADMSG);
	assert_int_equal(xp_tree_add_folded(tree, "a 18446744073709551615", 22), -EBADMSG);
	assert_string_equal(folded(tree, &written, NULL), "main 2\nmain;read_[k] 9\n");
	xp_str_fini(&written.text);
	xp_tree_free(tree);
}

static uint32_t named(struct xp_tree *tree, const char *name, const char *unit, bool is_tracepoint)
{
	const struct tree_event event = { .name = xp_tree_text(tree, name),
					  .unit = xp_tree_text(tree, unit),
					  .is_tracepoint = is_tracepoint };
	uint32_t nr;

	assert_int_equal(xp_tree_add_event(tree, &event, &nr), 0);
	return nr;
}

/* Servers refuse others. */
static void types_are_identifiers(void **state)
{
	static const struct {
		const char *name, *unit, *type;
		bool is_tracepoint;
	} events[] = {
		{ "cpu-clock:u", "nanoseconds", "cpu", false },
		{ "task-clock", "nanoseconds", "task_clock", false },
		{ "page-faults", "count", "page_faults", false },
		{ "sched:sched_switch", "count", "sched_switch", true },
		{ "other:sched_switch", "count", "other_sched_switch", true },
		{ "cpu/event=0x3c/", "count", "cpu_event_0x3c_", false },
		{ "7up", "count", "_7up", false },
	};
	char type[TYPE_NAME_MAX];
	struct xp_tree *tree;

	(void)state;
	assert_int_equal(xp_tree_new(&tree), 0);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		uint32_t nr = named(tree, events[i].name, events[i].unit, events[i].is_tracepoint);

		xp_type_name(tree, nr, type);
		assert_string_equal(type, events[i].type);
	}
	xp_tree_free(tree);
}

static void periods_are_never_none(void **state)
{
	const struct tree_event constant = { .sample_period = 250, .period = 1000, .samples = 2 };
	const struct tree_event mean = { .period = 1000, .samples = 3 }, none = { .period = 0 };

	(void)state;
	assert_int_equal(xp_type_period(&constant), 250);
	assert_int_equal(xp_type_period(&mean), 333);
	assert_int_equal(xp_type_period(&none), 1);
}

static void services_have_names(void **state)
{
	struct xp_tree_info info = { .size = sizeof(info), .title = "/usr/bin/make -j4 on host" };
	struct tree_task task = { .pid = 1, .tid = 1, .cpu = -1 };
	char room[TYPE_NAME_MAX];
	struct xp_tree *tree;
	uint32_t nr;

	(void)state;
	assert_int_equal(xp_tree_new(&tree), 0);
	assert_string_equal(xp_service_name(tree, room), "unknown");
	assert_int_equal(xp_tree_describe(tree, &info), 0);
	assert_string_equal(xp_service_name(tree, room), "make");
	task.comm = xp_tree_text(tree, "cc1");
	assert_int_equal(xp_tree_add_task(tree, &task, &nr), 0);
	assert_string_equal(xp_service_name(tree, room), "cc1");
	task.comm = xp_tree_text(tree, "as");
	assert_int_equal(xp_tree_add_task(tree, &task, &nr), 0);
	assert_string_equal(xp_service_name(tree, room), "make");
	xp_tree_free(tree);
}

static void deep_chains_are_written(void **state)
{
	enum { DEPTH = 20000 };
	struct written written = { 0 };
	uint32_t call = NO_CALL;
	struct xp_tree *tree;

	(void)state;
	assert_int_equal(xp_tree_new(&tree), 0);
	uint32_t event = event_of(tree, "cycles", false);
	for (int i = 0; i < DEPTH; i++)
		call = call_of(tree, call, "f", 0);
	count(tree, event, "deep", call, 1);
	assert_int_equal(strlen(folded(tree, &written, NULL)), DEPTH * 2 - 1 + strlen(" 1\n"));
	for (size_t i = 0; xp_export_format_at(i); i++)
		if (!(xp_export_format_at(i)->has & XP_EXPORT_SAMPLES))
			assert_int_equal(write_format(tree, xp_export_format_at(i), &written, NULL),
					 0);
	xp_str_fini(&written.text);
	xp_tree_free(tree);
}

static void nothing_is_written_too(void **state)
{
	struct written written = { 0 };
	struct xp_tree *tree;

	(void)state;
	assert_int_equal(xp_tree_new(&tree), 0);
	for (size_t i = 0; xp_export_format_at(i); i++) {
		const struct xp_export_format *format = xp_export_format_at(i);
		bool is_stream = format->has & XP_EXPORT_SAMPLES;

		assert_int_equal(write_format(tree, format, &written, NULL),
				 is_stream ? -EINVAL : 0);
	}
	const struct xp_export_opts none = { .event = 0 }, by = { .event = -1, .by = { XP_NR_BY } };
	assert_int_equal(write_format(tree, format_of("folded"), &written, &none), -EINVAL);
	assert_int_equal(write_format(tree, format_of("folded"), &written, &by), -EINVAL);
	xp_str_fini(&written.text);
	xp_tree_free(tree);
}

static void equal_trees_give_equal_bytes_and_failures_end_it(void **state)
{
	struct written first = { 0 }, second = { 0 };
	struct xp_tree *tree = made(), *other = made();

	(void)state;
	for (size_t i = 0; xp_export_format_at(i); i++) {
		const struct xp_export_format *format = xp_export_format_at(i);

		if (format->has & XP_EXPORT_SAMPLES)
			continue;
		assert_int_equal(write_format(tree, format, &first, NULL), 0);
		assert_int_equal(write_format(other, format, &second, NULL), 0);
		assert_int_equal(first.text.len, second.text.len);
		assert_memory_equal(first.text.s, second.text.s, first.text.len);
		second.room = 1;
		assert_int_equal(write_format(other, format, &second, NULL), -ENOSPC);
		second.room = 0;
	}
	xp_str_fini(&first.text);
	xp_str_fini(&second.text);
	xp_tree_free(tree);
	xp_tree_free(other);
}

static void differences_show_what_is_gone(void **state)
{
	struct written written = { 0 };
	struct xp_tree *tree, *base = made();
	struct xp_export_opts opts = { .event = 0, .base = base };

	(void)state;
	/* "read" had 9 of 11; now, of twice as much, "main" has all and "write" a half of it. */
	assert_int_equal(xp_tree_new(&tree), 0);
	uint32_t event = event_of(tree, "cycles", false);
	uint32_t outer = call_of(tree, NO_CALL, "main", 0);
	count(tree, event, "a", outer, 11);
	count(tree, event, "a", call_of(tree, outer, "write", 0), 11);
	assert_int_equal(write_format(tree, format_of("svg"), &written, &opts), 0);
	const char *text = xp_str_text(&written.text);
	assert_non_null(strstr(text, "<title>main\n22 cycles, 100.00%, before 100.00%</title>"));
	assert_non_null(
		strstr(text, "<title>read\nkernel\n0 cycles, 0.00%, before 81.82%</title>"));
	assert_non_null(strstr(text, "<title>write\n11 cycles, 50.00%, before 0.00%</title>"));
	assert_non_null(strstr(text, "class=\"l8 gone\"/>"));
	assert_non_null(strstr(text, "class=\"m8\"/>"));
	assert_non_null(strstr(text, "class=\"l0\"/>"));
	xp_str_fini(&written.text);
	xp_tree_free(tree);
	xp_tree_free(base);
}

/* Folded stacks have a mark where an earlier sample knew the caller; in pictures, a function is one
 * box, and says so if all of it is from earlier samples. */
static void pictures_have_one_box_per_function(void **state)
{
	struct written written = { 0 };
	struct xp_export_opts opts = { .event = 0 };
	struct xp_tree *tree;

	(void)state;
	assert_int_equal(xp_tree_new(&tree), 0);
	uint32_t event = event_of(tree, "cycles", false);
	uint32_t known = call_of(tree, NO_CALL, "main", 0);
	uint32_t joined = call_of(tree, NO_CALL, "main", XP_MARK_JOINED);
	uint32_t outer = call_of(tree, joined, "open", XP_MARK_JOINED);
	count(tree, event, "a", call_of(tree, joined, "read", 0), 1);
	count(tree, event, "a", call_of(tree, known, "read", 0), 2);
	count(tree, event, "a", call_of(tree, outer, "find", 0), 1);
	assert_string_equal(folded(tree, &written, NULL),
			    "main;read 2\nmain_[e];open_[e];find 1\nmain_[e];read 1\n");
	assert_int_equal(write_format(tree, format_of("svg"), &written, &opts), 0);
	const char *text = xp_str_text(&written.text);
	assert_non_null(strstr(text, "<title>main\n4 cycles, 100.00%</title>"));
	assert_non_null(strstr(text, "<title>read\n3 cycles, 75.00%</title>"));
	assert_non_null(strstr(text, "<title>open\nearlier sample\n1 cycles, 25.00%</title>"));
	xp_str_fini(&written.text);
	xp_tree_free(tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_are_sorted_and_added_up),
		cmocka_unit_test(marks_are_kept),
		cmocka_unit_test(names_are_no_syntax),
		cmocka_unit_test(folded_stacks_are_read),
		cmocka_unit_test(types_are_identifiers),
		cmocka_unit_test(periods_are_never_none),
		cmocka_unit_test(services_have_names),
		cmocka_unit_test(deep_chains_are_written),
		cmocka_unit_test(nothing_is_written_too),
		cmocka_unit_test(equal_trees_give_equal_bytes_and_failures_end_it),
		cmocka_unit_test(differences_show_what_is_gone),
		cmocka_unit_test(pictures_have_one_box_per_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
