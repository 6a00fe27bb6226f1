/* SPDX-License-Identifier: MIT */
/* Where cgroups are found, which a list means, and what binds to which event: machines as files. */
#include "stat-fixture.h"

#include "cgroup.h"

static void mount(struct fixture *f, const char *table)
{
	put_file(f->root, table, "/proc/mounts");
}

static void the_hierarchy_that_counts_is_found(void **state)
{
	static const struct {
		const char *mounts, *path;
	} cases[] = {
		{ "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n", "/sys/fs/cgroup" },
		{ "x /a cgroup rw,cpu 0 0\nx /b cgroup rw,perf_event 0 0\n", "/b" },
		{ "x /u cgroup2 rw 0 0\nx /b cgroup rw,net_cls,perf_event 0 0\n", "/b" },
		{ "x /b cgroup rw,no_perf_event 0 0\nx /u\\040v cgroup2 rw 0 0\n", "/u v" },
		{ "x /u cgroup2 rw 0 0\nx /v cgroup2 rw 0 0\n", "/u" },
		{ "proc /proc proc rw 0 0\nbroken\n", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;

		fixture_init(&f);
		mount(&f, cases[i].mounts);
		const char *path = xp_cgroups_path(f.ctx);
		assert_int_equal(!path, !cases[i].path);
		if (path)
			assert_string_equal(path, cases[i].path);
		fixture_fini(&f);
	}
}

/* @is_root: of the machine, not of a namespace */
static void machine(struct fixture *f, bool is_root)
{
	static const char *const names[] = { "web", "web-2", "db/one", "db/two.slice" };

	fixture_init(f);
	mount(f, "cgroup2 /cg cgroup2 rw 0 0\n");
	put_file(f->root, "", "/cg/cgroup.controllers");
	if (!is_root)
		put_file(f->root, "", "/cg/cgroup.events");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		put_file(f->root, "", "/cg/%s/cgroup.events", names[i]);
}

static int add_name(const char *name, void *data)
{
	strcat(strcat(data, name), " ");
	return 0;
}

static void names_and_patterns_mean_cgroups(void **state)
{
	static const struct {
		const char *names;
		int err, pos, len;
		const char *means; /* or what is said */
	} cases[] = {
		{ "web", 0, 0, 0, "web " },
		{ "/db/one,web,/db/one", 0, 0, 0, "db/one web " },
		{ "", 0, 0, 0, "/ " },
		{ "web,,/", 0, 0, 0, "web / " },
		{ "^web", 0, 0, 0, "web web-2 " },
		{ "web-2,web|two[.]", 0, 0, 0, "web-2 db/two.slice web " },
		{ ".+", 0, 0, 0, "/ db db/one db/two.slice web web-2 " },
		{ "web,wbe", -ENOENT, 4, 3, "'web'" },
		{ "two.slice", -ENOENT, 0, 9, "'db/two.slice'" },
		{ "cgroup.controllers", -ENOENT, 0, 18, "no cgroup" },
		{ "web/..", -ENOENT, 0, 6, "no cgroup" },
		{ "web,^x", -ENOENT, 4, 2, "No cgroup matches" },
		{ "[", -EINVAL, 0, 1, "nor a regular expression" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct xp_diag diag = { 0 };
		char means[256] = "";
		struct fixture f;

		machine(&f, true);
		int err = xp_cgroups_walk(f.ctx, cases[i].names, add_name, means, &diag);
		if (err != cases[i].err)
			fail_msg("'%s': %d, %s", cases[i].names, err, diag.what);
		if (!err) {
			assert_string_equal(means, cases[i].means);
		} else {
			assert_int_equal(diag.pos, cases[i].pos);
			assert_int_equal(diag.len, cases[i].len);
			assert_true(strstr(diag.what, cases[i].means) ||
				    strstr(diag.hint, cases[i].means));
			assert_string_equal(means, "");
		}
		assert_int_equal(xp_cgroups_walk(f.ctx, cases[i].names, add_name, means, NULL),
				 err);
		fixture_fini(&f);
	}
}

static void expect(const struct fixture *f, const char *cgroups)
{
	char text[128] = "";

	for (int i = 0; i < xp_evlist_nr(f->evlist); i++) {
		const char *name = xp_evsel_cgroup(xp_evlist_at(f->evlist, i));

		strcat(strcat(text, name ? name : "-"), " ");
	}
	assert_string_equal(text, cgroups);
}

/* As perf 6.1 does it: measured with `perf stat -a -e cs,cs,cs -G ...`. */
static void names_bind_to_events_in_order(void **state)
{
	static const struct {
		const char *names[3];
		int err;
		const char *cgroups;
	} cases[] = {
		{ { "web" }, 0, "web web web " },
		{ { "web", "db" }, 0, "web db web " },
		{ { "web,db" }, 0, "web db - " },
		{ { ",web" }, 0, "- web - " },
		{ { "web,", "db" }, 0, "web - db " },
		{ { "web,db,web,,," }, 0, "web db web " },
		{ { "," }, 0, "- - - " },
		{ { "web,db,web,web" }, -ERANGE, "web db web " },
		{ { "web", "db,web,db" }, -ERANGE, "web db web " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;
		int err = 0;

		machine(&f, true);
		for (int event = 0; event < 3; event++)
			add_event(&f, SW(CONTEXT_SWITCHES), "cs");
		assert_false(xp_evlist_has_cgroups(f.evlist));
		for (int n = 0; n < 3 && cases[i].names[n] && !err; n++)
			err = xp_evlist_bind_cgroups(f.evlist, cases[i].names[n], NULL);
		assert_int_equal(err, cases[i].err);
		expect(&f, cases[i].cgroups);
		assert_true(xp_evlist_has_cgroups(f.evlist));
		fixture_fini(&f);
	}
}

static void boxes_of_one_event_are_bound_together(void **state)
{
	struct fixture f;

	(void)state;
	machine(&f, true);
	for (int event = 0; event < 3; event++)
		add_event(&f, SW(CONTEXT_SWITCHES), "cs");
	xp_evlist_at(f.evlist, 1)->merged_into = xp_evlist_at(f.evlist, 0);
	assert_int_equal(xp_evlist_bind_cgroups(f.evlist, "web,db", NULL), 0);
	expect(&f, "web web db ");
	assert_int_equal(xp_evlist_bind_cgroup(f.evlist, 2, "/", NULL), 0);
	expect(&f, "web web / ");
	fixture_fini(&f);
}

static void the_root_is_all_but_in_a_namespace(void **state)
{
	(void)state;
	for (int is_root = 0; is_root < 2; is_root++) {
		struct fixture f;

		machine(&f, is_root);
		assert_int_equal(xp_cgroup_is_all(f.ctx, "/"), is_root);
		assert_false(xp_cgroup_is_all(f.ctx, "web"));
		fixture_fini(&f);
	}
	struct fixture f;
	fixture_init(&f);
	mount(&f, "x /b cgroup rw,perf_event 0 0\n");
	put_file(f.root, "", "/b/tasks");
	assert_false(xp_cgroup_is_all(f.ctx, "/"));
	put_file(f.root, "", "/b/release_agent");
	assert_true(xp_cgroup_is_all(f.ctx, "/"));
	fixture_fini(&f);
}

static void threads_have_no_cgroups(void **state)
{
	struct xp_open_opts opts = { .size = sizeof(opts) };
	struct xp_diag diag = { 0 };
	struct fixture f;

	(void)state;
	machine(&f, true);
	add_event(&f, SW(CONTEXT_SWITCHES), "cs");
	assert_int_equal(xp_evlist_bind_cgroups(f.evlist, "web", NULL), 0);
	assert_int_equal(xp_threads_one(f.ctx, 0, &opts.threads), 0);
	assert_int_equal(xp_evlist_open(f.evlist, &opts, &diag), -EINVAL);
	assert_non_null(strstr(diag.what, "counted on CPUs"));
	xp_threads_unref(opts.threads);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_hierarchy_that_counts_is_found),
		cmocka_unit_test(names_and_patterns_mean_cgroups),
		cmocka_unit_test(names_bind_to_events_in_order),
		cmocka_unit_test(boxes_of_one_event_are_bound_together),
		cmocka_unit_test(the_root_is_all_but_in_a_namespace),
		cmocka_unit_test(threads_have_no_cgroups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
