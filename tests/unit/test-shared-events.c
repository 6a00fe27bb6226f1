/* SPDX-License-Identifier: MIT */
/* Events that several processes read, on the simulated kernel: one list offers, another takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <xperf/xperf.h>

#include "list-impl.h"
#include "shared-events.h"
#include "shared-offer.h"
#include "sim.h"
#include "uapi.h"

struct fixture {
	struct sim *sim;
	struct xp_ctx *ctx;
	struct xp_evlist *theirs, *ours;
	int offer;
};

static struct xp_evlist *make_list(const struct fixture *f, const char *events)
{
	struct xp_evlist *list;
	struct xp_diag diag = { 0 };

	assert_int_equal(xp_evlist_new(f->ctx, &list), 0);
	if (xp_evlist_parse(list, events, &diag))
		fail_msg("'%s': %s", events, diag.what);
	return list;
}

static void open_list(struct xp_evlist *list)
{
	struct xp_open_opts opts = { .size = sizeof(opts) };

	assert_int_equal(xp_evlist_open(list, &opts, NULL), 0);
	assert_int_equal(xp_evlist_enable(list), 0);
}

/* @theirs are offered, @ours are to be opened. */
static void setup(struct fixture *f, const char *theirs, const char *ours)
{
	*f = (struct fixture){ .sim = sim_new("machine cpus=2\npmu general=4\n",
					      "test-shared-events") };
	assert_non_null(f->sim);
	struct xp_ctx_opts ctx_opts = sim_ctx_opts(f->sim);
	assert_int_equal(xp_ctx_new(&ctx_opts, &f->ctx), 0);
	f->theirs = make_list(f, theirs);
	open_list(f->theirs);
	f->offer = xp_shared_events_offer(f->theirs, sim_self(f->sim));
	f->ours = make_list(f, ours);
}

static void teardown(struct fixture *f)
{
	const struct xp_sys *sys = f->ctx->sys;

	xp_evlist_free(f->ours);
	xp_evlist_free(f->theirs);
	if (f->offer >= 0)
		sys->close(sys, f->offer);
	xp_ctx_free(f->ctx);
	assert_int_equal(sim_leaks(f->sim, stderr), 0);
	sim_free(f->sim);
}

static uint64_t id_of(const struct xp_evlist *list, int event, int cpu)
{
	const struct xp_sys *sys = list->ctx->sys;
	uint64_t id = 0;

	sys->ioctl(sys, xp_evsel_fd(list->at[event], cpu, 0), PERF_EVENT_IOC_ID,
		   (unsigned long)(uintptr_t)&id);
	assert_true(id > 0);
	return id;
}

static bool is_shared(const struct fixture *f, int our_event, int their_event)
{
	bool on_0 = id_of(f->ours, our_event, 0) == id_of(f->theirs, their_event, 0);

	assert_int_equal(on_0, id_of(f->ours, our_event, 1) == id_of(f->theirs, their_event, 1));
	return on_0;
}

static void open_ours(struct fixture *f)
{
	xp_shared_events_reuse(f->ours);
	open_list(f->ours);
}

static void events_that_count_the_same_are_shared(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, "instructions,page-faults,branches:u", "page-faults,branches,instructions");
	assert_true(f.offer >= 0);
	open_ours(&f);
	assert_true(is_shared(&f, 0, 1));
	assert_false(is_shared(&f, 1, 2));
	assert_true(is_shared(&f, 2, 0));
	teardown(&f);
}

static void groups_are_shared_as_a_whole(void **state)
{
	static const struct {
		const char *theirs, *ours;
		bool shared;
	} cases[] = {
		{ "{instructions,branches}", "{instructions,branches}", true },
		{ "{instructions,branches}", "{branches,instructions}", false },
		{ "{instructions,branches}", "instructions,branches", false },
		{ "instructions,branches", "{instructions,branches}", false },
		{ "{instructions,branches,page-faults}", "{instructions,branches}", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fixture f;

		setup(&f, cases[i].theirs, cases[i].ours);
		open_ours(&f);
		for (int event = 0; event < 2; event++)
			if (is_shared(&f, event, event) != cases[i].shared)
				fail_msg("%s, offered %s: event %d", cases[i].ours, cases[i].theirs,
					 event);
		teardown(&f);
	}
}

/* A switch is counted before it is attributed only if the event is younger than that of switches.
 */
static void switches_are_not_shared(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, "context-switches", "context-switches");
	assert_int_equal(f.offer, -ENOENT);
	open_ours(&f);
	assert_false(is_shared(&f, 0, 0));
	teardown(&f);
}

static void a_shared_event_stays_without_who_opened_it(void **state)
{
	struct xp_counts *counts;
	struct fixture f;

	(void)state;
	setup(&f, "cpu-clock", "cpu-clock");
	open_ours(&f);
	assert_true(is_shared(&f, 0, 0));
	xp_evlist_close(f.theirs);
	assert_int_equal(xp_counts_new(1, 2, 1, &counts), 0);
	assert_int_equal(xp_evlist_read(f.ours, NULL, counts), 0);
	uint64_t before = xp_counts_at(counts, 0, 0, 0)->value;
	sim_advance(f.sim, 5000000);
	assert_int_equal(xp_evlist_read(f.ours, NULL, counts), 0);
	assert_true(xp_counts_at(counts, 0, 0, 0)->value >= before + 5000000);
	xp_counts_free(counts);
	teardown(&f);
}

/* What was closed since, and whose number is another's now, is not taken for it. */
static void a_descriptor_of_another_event_is_not_taken(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, "page-faults", "page-faults");
	xp_evlist_close(f.theirs);
	open_list(f.theirs);
	open_ours(&f);
	assert_false(is_shared(&f, 0, 0));
	teardown(&f);
}

static void change_offer(const struct fixture *f, void (*change)(struct offer *offer))
{
	_Alignas(8) char bytes[4096] = { 0 };
	uint32_t key = 0;
	union bpf_attr attr = { .map_fd = (uint32_t)f->offer };

	attr.key = (uintptr_t)&key;
	attr.value = (uintptr_t)bytes;
	assert_int_equal(f->ctx->sys->bpf(f->ctx->sys, BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr)),
			 0);
	change((struct offer *)bytes);
	assert_int_equal(f->ctx->sys->bpf(f->ctx->sys, BPF_MAP_UPDATE_ELEM, &attr, sizeof(attr)),
			 0);
}

static void of_another_version(struct offer *offer)
{
	offer->event_size += 8;
}

static void with_too_many_events(struct offer *offer)
{
	offer->nr_events = UINT32_MAX;
}

static void with_too_many_cpus(struct offer *offer)
{
	offer->nr_cpus = UINT32_MAX;
}

static void of_no_process(struct offer *offer)
{
	offer->pid = INT32_MAX;
}

static void of_a_negative_process(struct offer *offer)
{
	offer->pid = -1;
}

static void of_another_namespace(struct offer *offer)
{
	offer->pid_namespace++;
}

static void with_a_group_beyond_its_end(struct offer *offer)
{
	offer_events(offer)->nr_in_group = 2;
}

static void with_other_descriptors(struct offer *offer)
{
	offer_fd(offer, 0, 0)->fd = 0;
	offer_fd(offer, 0, 1)->fd = INT32_MAX;
}

static void offers_that_cannot_be_are_ignored(void **state)
{
	static const struct {
		const char *ours;
		void (*change)(struct offer *offer);
	} cases[] = {
		{ "page-faults", of_another_version },
		{ "page-faults", with_too_many_events },
		{ "page-faults", with_too_many_cpus },
		{ "page-faults", of_no_process },
		{ "page-faults", of_a_negative_process },
		{ "page-faults", of_another_namespace },
		{ "page-faults", with_other_descriptors },
		{ "{page-faults,cpu-clock}", with_a_group_beyond_its_end },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fixture f;

		setup(&f, "page-faults", cases[i].ours);
		change_offer(&f, cases[i].change);
		open_ours(&f);
		assert_false(is_shared(&f, 0, 0));
		teardown(&f);
	}
}

/* Without the privilege nothing is found, and events are opened. */
static void without_privileges_events_are_opened(void **state)
{
	struct fixture f = { .sim = sim_new("machine cpus=2\nuser uid=1000 paranoid=-1\n",
					    "test-shared-events") };

	(void)state;
	struct xp_ctx_opts ctx_opts = sim_ctx_opts(f.sim);
	assert_int_equal(xp_ctx_new(&ctx_opts, &f.ctx), 0);
	f.theirs = make_list(&f, "page-faults");
	f.ours = make_list(&f, "page-faults");
	open_list(f.theirs);
	f.offer = xp_shared_events_offer(f.theirs, sim_self(f.sim));
	assert_int_equal(f.offer, -EPERM);
	open_ours(&f);
	assert_false(is_shared(&f, 0, 0));
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_that_count_the_same_are_shared),
		cmocka_unit_test(groups_are_shared_as_a_whole),
		cmocka_unit_test(switches_are_not_shared),
		cmocka_unit_test(a_shared_event_stays_without_who_opened_it),
		cmocka_unit_test(a_descriptor_of_another_event_is_not_taken),
		cmocka_unit_test(offers_that_cannot_be_are_ignored),
		cmocka_unit_test(without_privileges_events_are_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
