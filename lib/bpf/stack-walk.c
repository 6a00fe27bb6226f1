/* SPDX-License-Identifier: MIT */
/* One lock for what the recorder's threads report of processes, and the ends of chains. */
#include "stack-walk.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <xperf/attr.h>
#include <xperf/chain-ends.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/unwind.h>

#include "each-rule.h"
#include "event.h"
#include "rule-band.h"

struct stack_walk {
	struct rule_tables tables;
	struct rule_files files;
	struct rule_band band;
	pthread_mutex_t lock; /* of the band */
};

/* --- the whole --- */

/* The kernel's numbers of processes are those of records in the first namespace only. Source:
 * linux/proc_ns.h, PROC_PID_INIT_INO. */
static bool is_first_namespace(void)
{
	enum { FIRST = 0xeffffffc };
	struct stat st;

	return stat("/proc/self/ns/pid", &st) || (uint32_t)st.st_ino == (uint32_t)FIRST;
}

static int stop(void *data, uint64_t start, uint64_t end, const struct rule *rule)
{
	(void)data, (void)start, (void)end, (void)rule;
	return 1;
}

/* Whether rules of a file can be made at all: of this program. */
static int try_rules(struct xp_unwind *unwind, struct xp_diag *diag)
{
	static const char self[] = "/proc/self/exe";
	struct xp_unwind_file *file;

	if (xp_unwind_open(unwind, self, NULL, 0, &file))
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	if (xp_unwind_file_each_rule(file, stop, NULL) != -ENOENT)
		return 0;
	return xp_diag_set(diag, -ENOSYS, "Rules of stacks cannot be made: %s",
			   xp_unwind_file_reason(file));
}

#if defined(__x86_64__)
static const bool is_known = true;
#else
static const bool is_known = false;
#endif

int xp_stack_walk_check(struct xp_diag *diag)
{
	if (!is_known)
		return xp_diag_set(diag, -EOPNOTSUPP, "Rules of stacks are known of x86-64 only");
	if (!is_first_namespace())
		return xp_diag_set(diag, -EOPNOTSUPP,
				   "Processes have other numbers in this container than in the "
				   "kernel");
	return 0;
}

/* Whether records of maps have build ids. */
static bool has_build_ids(const struct xp_evlist *evlist)
{
	for (int i = 0; i < xp_evlist_nr(evlist); i++)
		if (xp_evsel_attr_const(xp_evlist_at((struct xp_evlist *)evlist, i))->build_id)
			return true;
	return false;
}

int xp_stack_walk_open(const struct xp_evlist *evlist, const struct stack_walk_opts *opts,
		       struct stack_walk **ret_walk, struct xp_diag *diag)
{
	struct stack_walk *walk = calloc(1, sizeof(*walk));

	if (!walk)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	pthread_mutex_init(&walk->lock, NULL);
	int err = xp_stack_walk_check(diag)
			  ?: try_rules(opts->unwind, diag)
			  ?: xp_rule_tables_open(&walk->tables, diag);
	if (!err) {
		err = xp_rule_files_start(&walk->files, &walk->tables, RULE_ROWS_MAX,
					  opts->cpu_ppm);
		walk->files.on_demand = opts->on_demand;
		walk->files.is_thrifty = opts->is_thrifty;
		walk->tables.gone = xp_rule_files_unuse;
		walk->tables.gone_data = &walk->files;
		if (err)
			xp_diag_set(diag, err, "Out of memory");
	}
	walk->band = (struct rule_band){
		.ctx = xp_evlist_at((struct xp_evlist *)evlist, 0)->ctx,
		.build_ids = has_build_ids(evlist),
		.tables = &walk->tables,
		.files = &walk->files,
		.unwind = opts->unwind,
	};
	if (err)
		xp_stack_walk_close(walk);
	else
		*ret_walk = walk;
	return err;
}

void xp_stack_walk_close(struct stack_walk *walk)
{
	if (!walk)
		return;
	xp_rule_files_stop(&walk->files);
	xp_rule_band_fini(&walk->band);
	xp_rule_tables_close(&walk->tables);
	pthread_mutex_destroy(&walk->lock);
	free(walk);
}

int xp_stack_walk_use(const struct stack_walk *walk, struct xp_bpf *bpf)
{
	return walk ? xp_rule_tables_share(&walk->tables, bpf) : xp_rule_tables_leave_out(bpf);
}

void xp_stack_walk_note(struct stack_walk *walk, const struct xp_record *record, uint64_t time_ns)
{
	pthread_mutex_lock(&walk->lock);
	xp_rule_band_note(&walk->band, record, time_ns);
	pthread_mutex_unlock(&walk->lock);
}

void xp_stack_walk_known(struct stack_walk *walk, uint64_t until_ns)
{
	pthread_mutex_lock(&walk->lock);
	xp_rule_band_known(&walk->band, until_ns);
	pthread_mutex_unlock(&walk->lock);
}

/* The reader can note records between two processes. */
void xp_stack_walk_describe(struct stack_walk *walk)
{
	uint32_t at = 0, pid;

	while ((pid = xp_rule_tables_unknown(&walk->tables, &at))) {
		pthread_mutex_lock(&walk->lock);
		xp_rule_band_describe(&walk->band, pid);
		pthread_mutex_unlock(&walk->lock);
	}
	xp_rule_files_look(&walk->files);
}

void xp_stack_walk_wait(struct stack_walk *walk)
{
	xp_rule_files_wait(&walk->files);
}

uint64_t xp_stack_walk_beyond(struct stack_walk *walk)
{
	return xp_rule_files_beyond(&walk->files);
}

uint64_t xp_stack_walk_bytes(void)
{
	enum { OVERHEAD = 48 }; /* of an element of a hash. Source: kernel/bpf/hashtab.c */

	return RULE_ROWS_MAX * sizeof(struct rule_row) + RULE_MAPS_MAX * sizeof(struct rule_map) +
	       RULE_FILES_MAX * sizeof(struct rule_file) + RULE_CHANGES * sizeof(uint64_t) +
	       RULE_PROCESSES_MAX * (OVERHEAD + sizeof(uint64_t) + sizeof(struct rule_process));
}

/* --- ends --- */

static const enum xp_chain_end meanings[RULE_NR_ENDS] = {
	[RULE_END_NO_ROW] = XP_CHAIN_NO_RULES,   [RULE_END_ODD] = XP_CHAIN_COMPLEX,
	[RULE_END_NOT_YET] = XP_CHAIN_TOO_NEW,   [RULE_END_INSIDE] = XP_CHAIN_INSIDE,
	[RULE_END_COMPLETE] = XP_CHAIN_COMPLETE, [RULE_END_NO_MAP] = XP_CHAIN_NOWHERE,
	[RULE_END_NEW] = XP_CHAIN_TOO_NEW,       [RULE_END_LIMIT] = XP_CHAIN_LIMIT,
	[RULE_END_STACK] = XP_CHAIN_INSIDE,      [RULE_END_32_BIT] = XP_CHAIN_INSIDE,
};

/* Those that end in files. What is counted there meanwhile is in none of the other counts. */
static int add_files(struct stack_walk *walk, int end, uint64_t left, struct xp_chain_ends *ends)
{
	int err = 0;

	for (uint32_t i = 0; i < walk->files.nr && !err; i++) {
		uint64_t nr = __atomic_load_n(&walk->tables.files[i].ended[end], __ATOMIC_RELAXED);

		nr = nr < left ? nr : left;
		left -= nr;
		if (nr)
			err = xp_chain_ends_add(ends, meanings[end],
						xp_rule_files_name(&walk->files, i), nr);
	}
	return err ?: xp_chain_ends_add(ends, meanings[end], NULL, left);
}

int xp_stack_walk_add_ends(struct stack_walk *walk, const struct stack_ends *counts,
			   struct xp_chain_ends *ends)
{
	int err = 0;

	pthread_mutex_lock(&walk->lock);
	for (int end = 0; end < RULE_NR_ENDS && !err; end++)
		err = end < RULE_ENDS_OF_FILES
			      ? add_files(walk, end, counts->nr[end], ends)
			      : xp_chain_ends_add(ends, meanings[end], NULL, counts->nr[end]);
	pthread_mutex_unlock(&walk->lock);
	return err;
}
