/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints described, and their filters: what is wrong with one and where. The tracepoints are
 * those of tests/data/roots/parse; which filters are good was asked of Linux 6.18.
 */
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

#include "event.h"
#include "filter-check.h"
#include "uapi.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static struct xp_ctx *ctx;
static struct xp_diag diag;
static bool has_library;

static int start(void **state)
{
	char root[4096];
	struct xp_ctx_opts opts = { .size = sizeof(opts), .root = root };
	struct xp_tracepoint *tp;

	(void)state;
	snprintf(root, sizeof(root), "%s/tests/data/roots/parse", getenv("SOURCE_DIR"));
	if (xp_ctx_new(&opts, &ctx))
		return -1;
	int err = xp_tracepoint_new(ctx, "sched", "sched_switch", &tp, NULL);
	has_library = err != -ENOSYS;
	if (!err)
		xp_tracepoint_free(tp);
	return 0;
}

static int end(void **state)
{
	(void)state;
	xp_ctx_free(ctx);
	return 0;
}

static struct xp_tracepoint *describe(const char *subsystem, const char *event)
{
	struct xp_tracepoint *tp;

	if (!has_library)
		skip();
	assert_int_equal(xp_tracepoint_new(ctx, subsystem, event, &tp, &diag), 0);
	return tp;
}

static const struct xp_tracepoint_field *field(const struct xp_tracepoint *tp, const char *name)
{
	const struct xp_tracepoint_field *found = xp_tracepoint_field_find(tp, name, strlen(name));

	assert_non_null(found);
	return found;
}

static void description_is_what_tracefs_says(void **state)
{
	struct xp_tracepoint *tp = describe("sched", "sched_switch");

	(void)state;
	assert_int_equal(tp->id, 316);
	assert_string_equal(tp->subsystem, "sched");
	assert_string_equal(tp->event, "sched_switch");
	assert_string_equal(tp->print_fmt, "\"%s:%d -> %s:%d\", REC->prev_comm, REC->prev_pid, "
					   "REC->next_comm, REC->next_pid");
	assert_int_equal(tp->nr_fields, 9);
	assert_string_equal(tp->fields[0].name, "common_type");
	assert_string_equal(tp->fields[8].name, "next_pid");

	const struct xp_tracepoint_field *f = field(tp, "common_pid");
	assert_true(f->is_common && f->is_signed && !f->is_string && !f->is_array);
	f = field(tp, "prev_comm");
	assert_true(!f->is_common && f->is_string && f->is_array && !f->is_dynamic);
	assert_string_equal(f->type, "char[16]");
	assert_int_equal(f->offset, 8);
	assert_int_equal(f->size, 16);
	f = field(tp, "prev_state");
	assert_true(f->is_signed && f->size == 8 && f->offset == 32);
	assert_null(xp_tracepoint_field_find(tp, "prev", 4));
	assert_null(xp_tracepoint_field_find(tp, "prev_pidx", 9));
	xp_tracepoint_free(tp);
}

static void kinds_of_fields_are_distinguished(void **state)
{
	struct xp_tracepoint *tp = describe("irq", "irq_handler_entry");
	const struct xp_tracepoint_field *f = field(tp, "name");

	(void)state;
	assert_true(f->is_dynamic && f->is_string && !f->is_relative);
	xp_tracepoint_free(tp);
	tp = describe("syscalls", "sys_enter_read");
	assert_true(field(tp, "buf")->is_string);
	assert_true(field(tp, "mac")->is_array && !field(tp, "mac")->is_string);
	assert_false(field(tp, "fd")->is_signed);
	xp_tracepoint_free(tp);
}

static void what_cannot_be_described_is_said(void **state)
{
	static const struct {
		const char *subsystem, *event;
		int err;
		const char *what;
	} rows[] = {
		{ "sched", "nosuch", -ENOENT, "there is no tracepoint 'sched:nosuch'" },
		{ "..", "x", -ENOENT, "there is no tracepoint" },
		{ "sched", "sched_waking", -EBADMSG, "sched/sched_waking/format" },
	};
	struct xp_tracepoint *tp;

	(void)state;
	for (size_t i = 0; has_library && i < ARRAY_LEN(rows); i++) {
		assert_int_equal(
			xp_tracepoint_new(ctx, rows[i].subsystem, rows[i].event, &tp, &diag),
			rows[i].err);
		assert_non_null(strstr(diag.what, rows[i].what));
	}
	if (has_library)
		return;
	assert_int_equal(xp_tracepoint_new(ctx, "sched", "sched_switch", &tp, &diag), -ENOSYS);
	assert_non_null(strstr(diag.what, "libtraceevent"));
}

static void good_filters_are_accepted(void **state)
{
	static const char *const filters[] = {
		"prev_pid == 1",
		"prev_pid==1||prev_pid==2&&prev_pid!=3",
		"!prev_pid == 1",
		"!!(prev_pid == 1)",
		"((prev_pid == 1) && !(next_pid == 2))",
		"  prev_pid\t==\n1  ",
		"prev_pid == -1",
		"prev_pid == 0x1F",
		"prev_pid == 017",
		"prev_pid == 18446744073709551615",
		"prev_state & 1",
		"prev_pid >= 1 && prev_pid <= 2 && prev_pid > 1 && prev_pid < 2",
		"prev_comm ~ \"x*\"",
		"prev_comm != 'it is \"quoted\"'",
		"prev_comm == \"\"",
		"prev_comm.ustring ~ \"x\"",
		"prev_state.function == schedule",
		"(prev_state.function != vfs_read ) && prev_pid == 1",
		"prev_state.function == 0xffffffff81000000",
		"common_pid != 0 && prev_comm ~ \"x*\"",
		"comm == \"a\" || COMM == \"b\"",
		"CPU == 1 || cpu == 1 || common_cpu == 1",
		"CPU & CPUS{0-1}",
		"prev_pid == 1 && ", /* the kernel takes it */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(filters); i++)
		if (xp_filter_check(ctx, "sched:sched_switch", filters[i], &diag))
			fail_msg("'%s': %s", filters[i], diag.what);
}

/* Wrong whether the fields are known or not. */
static const struct bad {
	const char *filter;
	int pos, len;
	const char *what, *hint;
} bad_syntax[] = {
	{ "", 0, 1, "the filter is empty", "" },
	{ "  ", 2, 1, "the filter is empty", "" },
	{ "!", 1, 1, "a condition is missing", "" },
	{ "(", 1, 1, "a condition is missing", "" },
	{ "()", 1, 1, "the name of a field is missing", "" },
	{ ")", 0, 1, "the name of a field is missing", "" },
	{ "&& prev_pid == 1", 0, 1, "the name of a field is missing", "" },
	{ "\"a\" == prev_comm", 0, 1, "the name of a field is missing", "" },
	{ "prev_pid == 1 || || prev_pid == 2", 17, 1, "the name of a field is missing", "" },
	{ "(prev_pid == 1 && )", 18, 1, "the name of a field is missing", "" },
	{ "prev_pid", 8, 1, "'prev_pid' is not compared with anything", "operators are" },
	{ "prev_pid 1", 9, 1, "'prev_pid' is not compared with anything", "operators are" },
	{ "prev_pid && next_pid", 9, 1, "'prev_pid' is not compared with anything", "operators are" },
	{ "prev_pid = 1", 9, 1, "'prev_pid' is not compared with anything", "Did you mean '=='?" },
	{ "prev_comm =~ \"x\"", 10, 1, "'prev_comm' is not compared", "Did you mean '~'?" },
	{ "prev_pid ==", 11, 1, "what 'prev_pid' is compared with is missing", "" },
	{ "prev_pid == )", 12, 1, "what 'prev_pid' is compared with is missing", "" },
	{ "prev_pid == abc", 12, 3, "'abc' is neither a number nor a quoted string", "" },
	{ "prev_pid == 1a", 12, 2, "'1a' is not a number", "" },
	{ "prev_pid == 08", 12, 2, "'08' is not a number", "" },
	{ "prev_pid == 0x", 12, 2, "'0x' is not a number", "" },
	{ "prev_pid == - 1", 12, 1, "'-' is not a number", "" },
	{ "prev_pid == 18446744073709551616", 12, 20, "longer than 64 bits", "" },
	{ "prev_comm == \"a", 13, 1, "this quote is never closed", "" },
	{ "prev_comm == 'a\"", 13, 1, "this quote is never closed", "" },
	{ "prev_comm == \"a\\\"b\"", 17, 1, "'&&' or '||' is missing", "" },
	{ "CPU & CPUS{0", 6, 4, "this brace is never closed", "" },
	{ "(prev_pid == 1", 0, 1, "this '(' is never closed", "" },
	{ "((prev_pid == 1) || (next_pid == 1)", 0, 1, "this '(' is never closed", "" },
	{ "(prev_pid == 1 && (next_pid == 1", 18, 1, "this '(' is never closed", "" },
	{ "prev_pid == 1)", 13, 1, "this ')' closes nothing", "" },
	{ "prev_pid == 1 next_pid == 1", 14, 8, "'&&' or '||' is missing", "" },
	{ "prev_pid == 1 and next_pid == 1", 14, 3, "'&&' or '||'", "Did you mean '&&'?" },
	{ "prev_pid == 1 OR next_pid == 1", 14, 2, "'&&' or '||'", "Did you mean '||'?" },
	{ "prev_pid == 1 & next_pid == 1", 14, 1, "'&&' or '||'", "Did you mean '&&'?" },
	{ "prev_pid == 1 | next_pid == 1", 14, 1, "'&&' or '||'", "Did you mean '||'?" },
	{ "common_pid == \"1\"", 14, 3, "'common_pid' is a number", "" },
	{ "common_pid ~ 1", 11, 1, "'common_pid' is a number", "" },
	{ "common_flags == -1", 16, 2, "'common_flags' is never negative", "" },
	{ "comm == x", 8, 1, "'x' is neither", "Quote it: comm == \"x\"" },
	{ "prev_state.function == ", 23, 1, "what 'prev_state' is compared with is missing", "" },
	{ "prev_state.function == \"a\"", 23, 3, "without quotes", "" },
	{ "(prev_state.function == a)", 25, 1, "a blank is missing", "" },
	{ "prev_state.function ~ a", 20, 1, "compare functions with == or !=", "" },
	{ "prev_state.function <= a", 20, 2, "compare functions with == or !=", "" },
}, bad_fields[] = {
	{ "prev_pdi == 0", 0, 8, "sched:sched_switch has no field 'prev_pdi'",
	  "Did you mean 'prev_pid'?" },
	{ "prev_pid == 1 && common_pdi == 0", 17, 10, "has no field 'common_pdi'",
	  "Did you mean 'common_pid'?" },
	{ "nosuch == 0", 0, 6, "has no field 'nosuch'",
	  "Its fields: prev_comm, prev_pid, prev_state, next_comm, next_pid" },
	{ "0", 0, 1, "has no field '0'", "Its fields" },
	{ "prev_pid ~ \"x\"", 9, 1, "'prev_pid' is a number, and ~ compares strings", "" },
	{ "prev_pid == \"1\"", 12, 3, "'prev_pid' is a number", "" },
	{ "prev_comm < \"a\"", 10, 1, "'prev_comm' is a string", "" },
	{ "prev_comm & 1", 10, 1, "'prev_comm' is a string", "" },
	{ "prev_comm == 1", 13, 1, "'prev_comm' is a string: quote", "" },
	{ "prev_comm == x*", 13, 1, "'x' is neither", "Quote it: prev_comm == \"x\"" },
};

static void check_bad(const struct bad *rows, size_t nr, const char *tracepoint)
{
	for (size_t i = 0; i < nr; i++) {
		const struct bad *row = &rows[i];
		int err = xp_filter_check(ctx, tracepoint, row->filter, &diag);

		if (err != -EINVAL || diag.pos != row->pos || diag.len != row->len ||
		    !strstr(diag.what, row->what) || !strstr(diag.hint, row->hint) ||
		    (!*row->hint && *diag.hint))
			fail_msg("'%s': %d at %d+%d '%s' '%s'", row->filter, err, diag.pos,
				 diag.len, diag.what, diag.hint);
	}
}

static void bad_filters_have_a_place(void **state)
{
	(void)state;
	check_bad(bad_syntax, ARRAY_LEN(bad_syntax), "sched:sched_switch");
	check_bad(bad_syntax, ARRAY_LEN(bad_syntax), NULL);
	check_bad(bad_syntax, ARRAY_LEN(bad_syntax), "sched:nosuch");
}

static void fields_are_those_of_the_tracepoint(void **state)
{
	(void)state;
	if (!has_library)
		skip();
	check_bad(bad_fields, ARRAY_LEN(bad_fields), "sched:sched_switch");
	/* Its own field is a number, whatever is called "cpu" elsewhere. */
	assert_int_equal(xp_filter_check(ctx, "syscalls:sys_enter_read", "cpu == \"x\"", &diag),
			 -EINVAL);
	assert_int_equal(xp_filter_check(ctx, "syscalls:sys_enter_read", "fd == -1", &diag),
			 -EINVAL);
	/* What is not known is the kernel's to judge. */
	assert_int_equal(xp_filter_check(ctx, "syscalls:sys_enter_read", "mac == 1", &diag), 0);
	assert_int_equal(xp_filter_check(ctx, "sched:sched_wakeup", "nosuch == 1", &diag), 0);
	assert_int_equal(xp_filter_check(ctx, NULL, "nosuch ~ 'x' && nosuch < 1", &diag), 0);
	assert_int_equal(xp_filter_check(ctx, "ftrace:function", "ip == schedule", &diag), 0);
}

static void very_deep_filters_are_refused(void **state)
{
	char text[300];

	(void)state;
	memset(text, '(', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(xp_filter_check(ctx, NULL, text, &diag), -EINVAL);
	assert_non_null(strstr(diag.what, "too many parentheses"));
}

static void probes_have_the_common_fields_only(void **state)
{
	(void)state;
	assert_int_equal(xp_filter_check(ctx, "uprobe", "common_pid == 1 && comm ~ 'x*'", &diag),
			 0);
	assert_int_equal(xp_filter_check(ctx, "kprobe", "comm == 1", &diag), -EINVAL);
	assert_int_equal(xp_filter_check(ctx, "uprobe", "common_pdi == 1", &diag), -EINVAL);
	assert_string_equal(diag.what, "uprobe has no field 'common_pdi'");
	assert_non_null(strstr(diag.hint, "'common_pid'"));
	assert_int_equal(xp_filter_check(ctx, "uprobe", "qwertyuiop == 1", &diag), -EINVAL);
	assert_non_null(strstr(diag.hint, "Its only fields are"));
}

static void filters_of_an_event_add_up(void **state)
{
	struct xp_evlist *evlist;

	(void)state;
	assert_int_equal(xp_evlist_new(ctx, &evlist), 0);
	assert_int_equal(xp_evlist_parse(evlist, "sched:sched_switch/name=x/,cs,1:2", &diag), 0);
	struct xp_evsel *tp = xp_evlist_at(evlist, 0);
	assert_string_equal(xp_evsel_filter(tp), "");
	assert_int_equal(xp_evsel_add_filter(tp, "prev_pid == 1", &diag), 0);
	assert_string_equal(xp_evsel_filter(tp), "prev_pid == 1");
	assert_int_equal(xp_evsel_add_filter(tp, "prev_pid = 1", &diag), -EINVAL);
	assert_int_equal(xp_evsel_add_filter(tp, "next_pid != 1 || next_pid != 2", &diag), 0);
	assert_string_equal(xp_evsel_filter(tp),
			    "(prev_pid == 1) && (next_pid != 1 || next_pid != 2)");
	if (has_library) {
		assert_int_equal(xp_evsel_add_filter(tp, "nosuch == 1", &diag), -EINVAL);
		assert_non_null(strstr(diag.what, "sched:sched_switch has no field"));
	}
	assert_int_equal(xp_evsel_add_filter(xp_evlist_at(evlist, 1), "x == 1", &diag),
			 -EOPNOTSUPP);
	assert_non_null(strstr(diag.what, "cs cannot be filtered"));
	xp_evlist_free(evlist);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(description_is_what_tracefs_says),
		cmocka_unit_test(kinds_of_fields_are_distinguished),
		cmocka_unit_test(what_cannot_be_described_is_said),
		cmocka_unit_test(good_filters_are_accepted),
		cmocka_unit_test(bad_filters_have_a_place),
		cmocka_unit_test(fields_are_those_of_the_tracepoint),
		cmocka_unit_test(very_deep_filters_are_refused),
		cmocka_unit_test(probes_have_the_common_fields_only),
		cmocka_unit_test(filters_of_an_event_add_up),
	};

	return cmocka_run_group_tests(tests, start, end);
}
