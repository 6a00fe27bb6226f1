/* SPDX-License-Identifier: MIT */
/* Events under the names their makers gave them, as libpfm4 knows them. */
#ifndef EVSEL_VENDOR_WALK_H
#define EVSEL_VENDOR_WALK_H

#include <xperf/api.h>

struct xp_diag;

/*
 * struct xp_vendor_pmu - a PMU of some machine
 * @name:       as in "skx::INST_RETIRED"; this and @desc live as long as the process
 * @desc:       whose it is: "Intel Skylake X"
 * @nr_events:  how many events it has
 * @id:         for xp_vendor_walk_events()
 * @is_present: this machine has it
 * @is_core:    it belongs to a processor core
 * @is_generic: it stands for the kernel's own names, which every machine has
 */
struct xp_vendor_pmu {
	const char *name;
	const char *desc;
	int nr_events;
	int id;
	bool is_present;
	bool is_core;
	bool is_generic;
};

/*
 * struct xp_vendor_event - an event of a PMU
 * @name: without unit masks; this and @desc live as long as the process
 * @desc: one or more sentences of its maker
 * @id:   for xp_vendor_walk_attrs()
 */
struct xp_vendor_event {
	const char *name;
	const char *desc;
	int id;
};

/*
 * struct xp_vendor_attr - what can follow an event, after a colon
 * @name:       this and @desc live as long as the process
 * @desc:       one sentence
 * @is_umask:   a unit mask: which part of the event is counted; otherwise a modifier
 * @is_default: the unit mask that is used when none is given
 * @is_flag:    a modifier that is on or off ("i"); others want a number ("c=1")
 */
struct xp_vendor_attr {
	const char *name;
	const char *desc;
	bool is_umask;
	bool is_default;
	bool is_flag;
};

/* Called once per PMU, event or attribute. Return 0 to go on; any other value stops the walk and
 * becomes its result. */
typedef int (*xp_vendor_pmu_fn)(const struct xp_vendor_pmu *pmu, void *data);
typedef int (*xp_vendor_event_fn)(const struct xp_vendor_event *event, void *data);
typedef int (*xp_vendor_attr_fn)(const struct xp_vendor_attr *attr, void *data);

/*
 * xp_vendor_walk_pmus - go through all PMUs libpfm4 knows, those of this machine first
 * @diag: on failure, a sentence for the user; may be NULL
 *
 * Loads libpfm4 when called first; it stays loaded. While it loads it must not race with changes of
 * the environment, where libpfm4 finds its settings.
 *
 * Returns 0, what @fn returned, or
 *   -ENOSYS  this library was built without libpfm4, or libpfm4 cannot be loaded
 *
 * Source: libpfm(3), pfm_get_pmu_info(3).
 */
int xp_vendor_walk_pmus(xp_vendor_pmu_fn fn, void *data, struct xp_diag *diag);

/*
 * xp_vendor_walk_events - go through the events of a PMU. Returns as xp_vendor_walk_pmus().
 */
int xp_vendor_walk_events(const struct xp_vendor_pmu *pmu, xp_vendor_event_fn fn, void *data,
			  struct xp_diag *diag);

/*
 * xp_vendor_walk_attrs - go through what can follow an event: unit masks, then modifiers.
 * Returns as xp_vendor_walk_pmus().
 */
int xp_vendor_walk_attrs(const struct xp_vendor_event *event, xp_vendor_attr_fn fn, void *data,
			 struct xp_diag *diag);

#endif
