/* SPDX-License-Identifier: MIT */
/*
 * The timeline from inside. Records become events and maps; sealing puts the events in the order of
 * their times, and makes of them, per process, the sets of ranges it had, and, per thread, its
 * names. Lookups only read.
 */
#ifndef SESSION_TIMELINE_IMPL_H
#define SESSION_TIMELINE_IMPL_H

#include <pthread.h>
#include <xperf/symtab.h>

#include "id-map.h"
#include "intern.h"
#include "ranges.h"
#include "timeline.h"

struct xp_dso;
struct xp_record;
struct xp_record_build_id;
struct xp_sample_id;

/* What happened, in the order it is done in when times are equal: that of the file. */
enum event_kind {
	EVENT_MAP,   /* @arg: of maps */
	EVENT_UNMAP, /* the same: what begins there went */
	EVENT_COMM,  /* @arg: of names */
	EVENT_EXEC,  /* the same, and all maps went */
	EVENT_FORK,  /* @arg: parent's pid, @parent_tid */
	EVENT_FOUND, /* the same, but it was there already: it was found, not made */
	EVENT_EXIT,
};

struct event {
	uint64_t time_ns;
	uint64_t position; /* in the file */
	uint32_t seq;
	uint8_t kind;
	bool is_kernel; /* maps only */
	int32_t pid, tid;
	uint32_t arg;
	int32_t parent_tid;
};

/* A map as it was recorded; parts of it are ranges. @moved_from: whose code it has, plus 1; 0: its
 * own
 */
struct mapping {
	uint64_t start, end, offset;
	uint64_t time_ns, inode;
	uint32_t dso, prot, flags;
	int32_t pid;
	uint32_t moved_from;
};

/* An address space, or the lack of one, from a time on. @before: that of before the exec */
struct version {
	uint64_t time_ns;
	uint32_t root, before;
};

/* All processes that have had this pid, one after the other. */
struct process {
	struct version *versions;
	uint32_t nr, cap;
	uint32_t stamp;
};

/* @comm: NULL: not known */
struct naming {
	uint64_t time_ns;
	const char *comm;
};

/* A thread. @to_ns: when another one got its tid, less one; XP_NO_TIME: none has */
struct task {
	int32_t pid, tid, parent_pid;
	uint64_t to_ns;
};

/* All threads that have had this tid. @task: the last of them */
struct thread {
	struct naming *names;
	uint32_t nr, cap;
	uint32_t task;
	bool has_ended;
};

/* An event's own time, and the one of which it is the only event. */
struct moment {
	uint64_t time_ns, position, moment_ns;
};

/* Of all events that have a time, in order. @near: a bit for each bucket of times, hashed: an event
 * may be in it */
struct moments {
	struct moment *at;
	size_t nr;
	uint64_t *near;
	size_t nr_bits; /* a power of two */
};

/* The end of call chains that was recorded later. */
struct later_chain {
	uint64_t cookie, time_ns, *ips;
	size_t nr;
	int32_t tid;
};

#define KERNEL_NAME "[kernel.kallsyms]"

/* What XP_FEATURE_BUILD_ID says of a file. @next: of those with the same name, -1: none */
struct known_id {
	const char *name;
	int next;
	uint8_t build_id[20];
	uint8_t len;
};

/* A growing array: @nr of @cap things at @at. */
struct vector {
	void *at;
	size_t nr, cap;
};

struct xp_timeline {
	bool is_sealed;
	struct xp_intern texts;  /* sealed with it */
	struct vector events;    /* struct event; none once it is sealed */
	struct vector maps;      /* struct mapping */
	struct vector names;     /* const char *; none once it is sealed */
	struct vector dsos;      /* struct xp_dso, by index */
	struct vector known;     /* struct known_id */
	struct xp_id_map dso_of; /* hash of a DSO's identity -> the first of its chain; likewise */
	struct vector dso_next;  /* int: the next with the same hash, -1: none; likewise */

	struct xp_id_map processes_of, threads_of; /* pid, tid -> position */
	struct vector processes, threads, tasks;
	struct process kernel;
	struct ranges ranges;
	uint32_t nr_stamps;

	bool has_kernel, kernel_is_file; /* the second: it is known by its vmlinux */
	int nr_shared_ids;
	struct mapping kernel_text; /* below all else of the kernel */
	const char *reference;      /* NULL: not known */
	uint64_t reference_address;

	struct vector chains; /* struct later_chain, in order once it is sealed */

	bool has_positions;
	uint64_t position; /* in the file, of the record that was added last */
	struct moments moments;

	pthread_mutex_t lock; /* of unnamed, the one thing that changes later */
	struct xp_intern unnamed;
};

/* Makes room for one more of @size bytes. Returns it, zeroed and counted, or NULL. */
void *xp_vector_add(struct vector *vector, size_t size);

/* When a thread got the name that it has at a time, as by fork or exec. Returns 0: it has none. */
uint64_t xp_timeline_named_ns(const struct xp_timeline *timeline, int32_t tid, uint64_t time_ns);

/* Gives each event its moment, once they are in order. Returns 0 or -ENOMEM. */
int xp_timeline_make_moments(struct xp_timeline *timeline);
void xp_timeline_free_moments(struct xp_timeline *timeline);

/* Keeps what a CALLCHAIN_DEFERRED says. Returns 0 or -ENOMEM. */
int xp_timeline_add_chain(struct xp_timeline *timeline, const struct xp_record *record,
			  const struct xp_sample_id *id);
void xp_timeline_sort_chains(struct xp_timeline *timeline);
void xp_timeline_free_chains(struct xp_timeline *timeline);

/*
 * Finds or makes a DSO; @name of @len bytes, @build_id: NULL or 20 bytes. @jit_pid: -1, or whose
 * code it is. Returns its position, or -ENOMEM.
 */
int xp_timeline_dso_for(struct xp_timeline *timeline, const char *name, size_t len,
			const uint8_t *build_id, size_t build_id_len, bool is_kernel,
			int32_t jit_pid);
/* The DSO of a process' map, which may stand for code made at run time. Returns as
 * xp_timeline_dso_for(). */
int xp_timeline_user_dso(struct xp_timeline *timeline, const struct xp_symbol_file *file,
			 int32_t pid, bool is_code);
/* Whether a DSO stands for code made at run time, whose functions are in /tmp/perf-PID.map. */
bool xp_timeline_is_listed(const struct xp_dso *dso);
/* What symbols and rules of a DSO are looked up by. */
struct xp_symbol_file xp_timeline_file_of(const struct xp_dso *dso);
/* Gives build ids that are known to those without, and makes one of those that are the same.
 * Returns 0 or -ENOMEM. */
int xp_timeline_finalize_dsos(struct xp_timeline *timeline);
/* What a module is shown as that has a name in a recording. Returns NULL when out of memory. */
const char *xp_timeline_module_name(struct xp_timeline *timeline, const char *path);
/* shared-ids.c: forgets ids that several modules have. Returns 0 or -ENOMEM. */
int xp_timeline_drop_shared_ids(struct xp_timeline *timeline);

/* How the kernel was recorded: the name of its reference symbol ("_text") and its address then.
 * Returns 0, -ENODATA. */
int xp_timeline_kernel_reference(const struct xp_timeline *timeline, const char **ret_name,
				 uint64_t *ret_address);

/* From XP_FEATURE_BUILD_ID, before the timeline is sealed. Returns 0 or -ENOMEM. */
int xp_timeline_set_build_id(struct xp_timeline *timeline, const struct xp_record_build_id *record);

/* A map is about to be put into a set of ranges: notes whose code is in it, or in one beside it. */
void xp_timeline_note_moved(struct xp_timeline *timeline, uint32_t root, uint32_t idx);

#endif
