/* SPDX-License-Identifier: MIT */
/*
 * The inside of the recorder.
 *
 *   rings -> reader (recorder-reader.c) -> blocks (recorder-queue.c) -> stages and file
 *                                                                        (recorder-writer.c)
 *
 * The reader waits for nothing but poll(2). What it copies it looks at once (recorder-scan.c), and
 * makes less of it when the disk does not follow (recorder-shed.c). The caller's thread
 * (recorder.c) puts its own records into the inbox, and asks for things by a request. Where a file
 * ends and the next one begins is recorder-files.c; CPUs that come are recorder-cpus.c.
 */
#ifndef SESSION_RECORDER_IMPL_H
#define SESSION_RECORDER_IMPL_H

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <xperf/attr.h>
#include <xperf/recorder.h>
#include <xperf/sys.h>

#include "id-map.h"
#include "recorder-band.h"
#include "recorder-rate.h"
#include "str.h"

/* --- blocks --- */

enum {
	XP_BLOCK_BYTES = 512 << 10, /* more than the writer collects, so that it copies nothing */
	XP_CHUNK_BYTES = 128 << 10, /* copied at once: still in the cache when it is looked at */
	XP_RECORD_ROOM = 64 << 10,  /* the largest record fits */
};

enum xp_block_kind {
	XP_BLOCK_RING,    /* the kernel's records */
	XP_BLOCK_OWN,     /* records that were injected */
	XP_BLOCK_OUTSIDE, /* one record, and bytes outside of it */
	XP_BLOCK_SWITCH,  /* nothing but a request: samples go to another file from here on */
	XP_BLOCK_ANSWER,  /* the request is carried out */
	XP_BLOCK_IDS,     /* struct xp_new_id: the file has to know them */
	XP_BLOCK_END,     /* the writer is done */
};

struct xp_block {
	struct xp_block *next;
	size_t waiting; /* bytes that count as backlog */
	enum xp_block_kind kind;
	bool flush;                 /* the file is to be brought to date behind it */
	bool has_maps;              /* there are MMAP or MMAP2 records in it */
	struct xp_request *request; /* of XP_BLOCK_SWITCH and _ANSWER */
	uint64_t round;             /* of unwinding.c: when it came */
	uint64_t latest_ns;         /* likewise: of its records */
	size_t room;
	size_t len;
	_Alignas(8) char bytes[];
};

/*
 * From one reader to one writer, neither of which ever waits for the other; blocks come back. There
 * are as many as ever waited at once, and the one that came back last is used first: it is still in
 * the cache.
 */
struct xp_block_queue {
	_Atomic(struct xp_block *) full; /* newest first */
	_Atomic(struct xp_block *) idle;
	struct xp_block *spare; /* of the reader alone */
	_Atomic size_t backlog; /* bytes between reader and writer */
	sem_t filled;           /* what the writer sleeps on */
};

int xp_blocks_init(struct xp_block_queue *q);
/* Frees all blocks; both threads have ended. */
void xp_blocks_fini(struct xp_block_queue *q);
/* A block with room for @bytes, empty, for the reader. NULL on out of memory. */
struct xp_block *xp_blocks_get(struct xp_block_queue *q, enum xp_block_kind kind, size_t bytes);
/* A block for whoever is not the reader. */
struct xp_block *xp_block_new(enum xp_block_kind kind, size_t bytes);
/* Gives a block to the writer. */
void xp_blocks_push(struct xp_block_queue *q, struct xp_block *block);
/* All that were pushed, in order, linked by next; NULL: none. */
struct xp_block *xp_blocks_pop_all(struct xp_block_queue *q);
/* The writer is done with a block. */
void xp_blocks_recycle(struct xp_block_queue *q, struct xp_block *block);

/* --- looking at records --- */

/* The counters of struct xp_recorder_stats; one thread writes each, all read. */
enum xp_counter {
	XP_NR_SAMPLES,
	XP_NR_RECORDS,
	XP_NR_BYTES,
	XP_NR_LOST,
	XP_NR_SHED,
	XP_NR_CUT,
	XP_NR_THROTTLED,
	XP_NR_WAKEUPS,
	XP_FIRST_TIME,
	XP_LAST_TIME,
	XP_NR_RINGS_GONE,
	XP_NR_WATCHED,
	/* of the writer */
	XP_NR_UNWRITTEN,
	XP_NR_BEYOND, /* samples and bytes that the size limit left out */
	XP_BYTES_BEYOND,
	XP_NR_HELD, /* samples that the writer held back, and made: off-cpu.c */
	XP_NR_MADE,
	XP_FILE_BYTES,
	XP_IS_FULL,
	XP_BYTES_UNWOUND, /* by which samples became shorter */
	XP_NR_SHORT,      /* chains that end where the copy of the stack ends */
	XP_NR_BAD,        /* samples that are none of their event */
	XP_NR_COUNTERS,
};

struct xp_ctx;
struct xp_data_writer;
struct xp_evlist;
struct xp_evsel;
struct xp_off_cpu;
struct xp_record;
struct xp_sample_id;
struct xp_shed;
struct xp_sys;
/* An id that an event got when it was opened again. */
struct xp_new_id {
	int event;      /* position in the list */
	uint64_t known; /* an id that it had before; 0: none */
	uint64_t id;
};

/* Ids of the events that are watched. */
struct xp_watched {
	struct xp_watched *before; /* that was replaced; whoever had it may be looking at it */
	uint64_t ids[];            /* ended by 0 */
};

/* Where records of a list name their event and time; the same in all its samples. */
struct xp_scan {
	int time_at; /* word of a sample, header excluded; -1: none, or not the same in all */
	int id_at;   /* likewise */
	_Atomic(struct xp_watched *) watched; /* NULL: none */
	bool watch_all;                       /* there is one event only */
	const struct xp_shed *events;
	uint64_t names_ns; /* of the reader: the latest record so far that names something */
	_Atomic uint64_t counters[XP_NR_COUNTERS];
};

/* What is in one piece of records. */
struct xp_scanned {
	size_t bytes; /* of whole records */
	bool damaged; /* what follows is no record */
	bool has_maps;
};

void xp_scan_init(struct xp_scan *scan, const struct xp_evlist *evlist,
		  const struct xp_shed *events);
void xp_scan_fini(struct xp_scan *scan);
/* Watches those of the ids that an event has which is watched. Returns 0 or -ENOMEM. */
int xp_scan_watch(struct xp_scan *scan, const struct xp_new_id *ids, size_t nr);
/* Counts what is in @len bytes, the last record of which may not be there in full. */
struct xp_scanned xp_scan_records(struct xp_scan *scan, const char *records, size_t len);

/* Only the counter's thread calls this. */
static inline void xp_scan_set(struct xp_scan *scan, enum xp_counter counter, uint64_t n)
{
	atomic_store_explicit(&scan->counters[counter], n, memory_order_relaxed);
}

static inline void xp_scan_add(struct xp_scan *scan, enum xp_counter counter, uint64_t n)
{
	xp_scan_set(scan, counter,
		    atomic_load_explicit(&scan->counters[counter], memory_order_relaxed) + n);
}

static inline uint64_t xp_scan_get(const struct xp_scan *scan, enum xp_counter counter)
{
	return atomic_load_explicit(&scan->counters[counter], memory_order_relaxed);
}

/* --- making less of it --- */

enum {
	XP_SHED_SAMPLES = 0,       /* samples are dropped */
	XP_SHED_NOTHING = 1 << 16, /* no stack is as large */
};

/*
 * What to do when so much waits for the disk: bytes that the stack of a sample may have, or one of
 * the above. They become fewer step by step as the backlog grows, and more again as it falls.
 */
uint32_t xp_shed_stack_bytes(size_t backlog, size_t limit);

struct xp_shed_event {
	const struct xp_attr *attr;
	uint64_t id;      /* one of them; 0: none */
	uint64_t dropped; /* samples that are not reported yet */
};

/* The events of all ids. The writer looks them up, too, so that a table never changes. */
struct xp_shed_ids {
	struct xp_shed_ids *before; /* the table that this one replaced; may be in use */
	struct xp_id_map map;
};

/* Samples that BPF writes, walked.h. */
struct xp_shed_walked {
	struct xp_attr attr;
	struct xp_shed_event event;
	struct xp_id_map ids;
};

struct xp_shed {
	struct xp_shed_event *events;
	int nr_events;
	_Atomic(struct xp_shed_ids *) ids;
	_Atomic(struct xp_shed_walked *) walked; /* NULL: none yet; is set once */
	bool pending;                            /* some event's dropped is not 0 */
	bool share_ids;                          /* samples of some event can have ids of others */
};

int xp_shed_init(struct xp_shed *shed, struct xp_evlist *evlist);
void xp_shed_fini(struct xp_shed *shed);
/* Adds ids to those that are known. Returns 0 or -ENOMEM. */
int xp_shed_add_ids(struct xp_shed *shed, const struct xp_new_id *ids, size_t nr);
/* From now on samples with these ids are those that BPF writes. Returns 0 or -ENOMEM. */
int xp_shed_add_walked(struct xp_shed *shed, const struct xp_attr *attr, const uint64_t *ids,
		       size_t nr);
/* The event with an id, but that of samples that BPF writes; NULL: none. */
struct xp_shed_event *xp_shed_event_by_id(const struct xp_shed *shed, uint64_t id);
/* Whether an event is that of samples that BPF writes. */
static inline bool xp_shed_is_walked(const struct xp_shed *shed, const struct xp_shed_event *event)
{
	const struct xp_shed_walked *walked =
		atomic_load_explicit(&shed->walked, memory_order_acquire);

	return walked && event == &walked->event;
}
/* The event a record names; NULL: none. */
struct xp_shed_event *xp_shed_event_of(const struct xp_shed *shed, const struct xp_record *record);
/* The time of a record, for tasks that of the event itself; XP_NO_TIME: it has none. */
uint64_t xp_shed_time_of(const struct xp_shed *shed, const struct xp_record *record);
/* In place, the last record need not be there in full: samples that have the id of another
 * recorder's event get one of the event that they are of, where that is known. */
void xp_shed_own_samples(const struct xp_shed *shed, char *records, size_t len);
/* Of whole records, in place: no map claims a build id if no event asks for them. */
void xp_shed_clear_build_ids(const struct xp_shed *shed, char *records, size_t len);
/* Makes less of whole records, in place. @stack_bytes: from xp_shed_stack_bytes(). Returns the
 * bytes that are left. */
size_t xp_shed_records(struct xp_shed *shed, struct xp_scan *scan, uint32_t stack_bytes,
		       char *records, size_t len);
/* Writes LOST_SAMPLES for what was dropped of one event, if there is room and anything to report.
 * Returns its bytes. */
size_t xp_shed_report(struct xp_shed_event *event, char *buf, size_t room);

/* --- the recorder --- */

struct xp_unwinding;

enum xp_request_kind {
	XP_REQUEST_SNAPSHOT,
	XP_REQUEST_PREPARE,
	XP_REQUEST_SWITCH,
	XP_REQUEST_CPUS
};

/* On the asking thread's stack, until it is answered. */
struct xp_request {
	enum xp_request_kind kind;
	struct xp_data_writer *writer;
	uint64_t names_ns; /* the answer to XP_REQUEST_PREPARE */
	int err;
	sem_t answered;
};

struct xp_recorder {
	const struct xp_ctx *ctx;
	const struct xp_sys *sys;
	struct xp_recorder_opts opts;
	struct xp_data_writer *writer; /* of the writer's thread */
	int nr_rings;                  /* of the reader, once it is started */
	bool has_overwritten;
	bool can_reopen;       /* recorder-cpus.c */
	uint64_t lost_before;  /* likewise: of descriptors that are closed */
	uint64_t next_flush;   /* of the reader */
	uint64_t maps_wait_ns; /* likewise: how long maps may be left in rings */
	bool was_any;        /* likewise: there were records since the pass before the last flush */
	uint64_t last_flush; /* of the writer */
	/* of the writer, for recorder-files.c */
	struct xp_data_writer *old; /* that gets names still, see xp_files_switch() */
	struct xp_str names;        /* what the next file has to begin with */
	uint64_t unwritten;         /* samples of files before this one */
	uint64_t earlier_bytes;     /* of files before this one */
	bool size_reported;
	struct pollfd *polled;  /* one per ring, and notify_fd */
	bool *gone;             /* by ring */
	struct xp_block *block; /* being filled; NULL: none */
	struct xp_block *end;   /* the last one, kept so that it is there */
	struct xp_block_queue queue;
	struct xp_scan scan;
	struct xp_shed shed;
	struct xp_band_pass band;       /* of the reader */
	struct xp_rate rate;            /* likewise */
	size_t least_ring_bytes;        /* likewise */
	struct xp_unwinding *unwinding; /* of the writer; NULL: stacks stay */
	struct xp_off_cpu *off_cpu;     /* of the writer; NULL: waits are not asked for */

	pthread_mutex_t inbox_lock; /* held for a memcpy at most; the reader only tries */
	struct xp_block *inbox, *inbox_last;

	atomic_bool keeps_names;   /* a switch is coming */
	_Atomic uint64_t names_ns; /* the next file has names that are later */

	int notify_fd; /* wakes the reader */
	int news_fd;   /* readable: there is something to be reported */
	_Atomic(struct xp_request *) request;
	atomic_bool stopping;
	atomic_int failed;
	atomic_bool all_ended;
	int start_err; /* of the reader */
	sem_t started;
	pthread_t reader, writing;
	bool has_threads;
	bool has_stopped;
};

static inline void xp_recorder_notify(const struct xp_recorder *r, int fd)
{
	uint64_t one = 1;

	r->sys->write(r->sys, fd, &one, sizeof(one));
}

/* Asks the reader, and waits for its answer. Returns what became of it. */
int xp_recorder_ask(struct xp_recorder *r, struct xp_request *request);
/*
 * What the kernel has lost of an event at one place, as a record of its own, which is added to
 * *lost. @buf has XP_LOST_RECORD_BYTES. Returns the record's bytes; 0: nothing was lost.
 */
size_t xp_recorder_lost_record(struct xp_recorder *r, struct xp_evsel *evsel, int cell, void *buf,
			       uint64_t *lost);

/* Adds a record of the recorder's own to those of the rings. */
void xp_reader_add_record(struct xp_recorder *r, const void *record, size_t len);
/* Makes room for so many rings. Returns 0 or -ENOMEM. */
int xp_reader_reserve_rings(struct xp_recorder *r, int nr);
/* Looks which rings the list has; there is room for them. */
void xp_reader_plan_rings(struct xp_recorder *r);
/* Empties the rings once; @due: whatever is in them, and hands over what is collected. */
void xp_reader_pass(struct xp_recorder *r, bool due);
/* recorder-rate.c: before anything is recorded, and behind a pass, lowers or raises the rate. */
void xp_reader_begin_rate(struct xp_recorder *r);
void xp_reader_look_at_rate(struct xp_recorder *r, uint64_t now_ns);
/* Looks which rings have lost their tasks, by what poll has said. */
void xp_reader_see_hangups(struct xp_recorder *r);
/* Does what a request asks; the answer may come later, from the writer. */
void xp_reader_serve(struct xp_recorder *r, struct xp_request *request);
/* The last of it: all that is there, and the end. */
void xp_reader_end(struct xp_recorder *r);
void *xp_reader_thread(void *recorder);
/* recorder-cpus.c: opens events on CPUs that came back, or online. Returns 0 or a negative errno.
 */
int xp_reader_reopen_cpus(struct xp_recorder *r);

/* recorder-files.c */
/* Whether a record says what tasks, maps or symbols are called. */
bool xp_names_something(const struct xp_record *record);
/* All others are called by the writer. */
/* Writes records of rings, as many samples as the limit allows. */
int xp_files_write(struct xp_recorder *r, const char *records, size_t len);
/* Makes the ids in a block known to the file (recorder-cpus.c). Returns 0 or a negative errno. */
int xp_files_add_ids(struct xp_recorder *r, const struct xp_block *block);
/* Notifies the caller's thread when a size is reached. */
void xp_files_look(struct xp_recorder *r);
/* The file gets no more samples, but names until xp_files_end_switch(). */
void xp_files_switch(struct xp_recorder *r, struct xp_request *request);
void xp_files_end_switch(struct xp_recorder *r, struct xp_request *request);
/* Counts samples that could not be written. */
void xp_files_note_unwritten(struct xp_recorder *r);

/* Writes all blocks that were pushed. Returns false behind the last. */
bool xp_writer_drain(struct xp_recorder *r);
void *xp_writer_thread(void *recorder);

#endif
