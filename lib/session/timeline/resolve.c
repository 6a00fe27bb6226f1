/* SPDX-License-Identifier: MIT */
/*
 * From an address in a sample to a function: what was mapped there the timeline says, which
 * function is there the file's symbol table. The function is looked up once per file and address.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <xperf/data.h>
#include <xperf/resolve.h>
#include <xperf/sample.h>
#include <xperf/sys.h>
#include <xperf/traces.h>

#include "cleanup.h"
#include "ctx.h"
#include "dumps.h"
#include "hash.h"
#include "jit-dump.h"
#include "lasting.h"
#include "opts.h"
#include "reference.h"
#include "resolve-files.h"
#include "timeline-impl.h"
#include "traces.h"

/* What is known about an address of a file. */
struct found {
	uint64_t address; /* in the terms of its symbols */
	uint32_t key;     /* index of the DSO, plus 1; 0: free */
	struct xp_function function;
};

/* A DSO's symbols, opened when the first address in it is asked for, by any thread: whoever does
 * it at the same time finds the same. @symtab: NULL: not opened yet. @shift: by how much it has run
 * above where its symbols are; written before */
struct table {
	_Atomic(struct xp_symtab *) symtab;
	_Atomic uint64_t shift;
};

struct xp_resolver {
	const struct xp_timeline *timeline;
	struct xp_symbols *symbols;
	struct table *tables;
	int nr_tables;
	bool is_forked;      /* the tables are another's */
	struct found *found; /* NULL: nothing is kept */
	size_t nr, room;     /* room: a power of two */
	uint64_t seed;
};

enum { ROOM_AT_FIRST = 1024 };

/* A process in a container has written its own number into the name; the recording has the other
 * one. */
static int note_who_mapped(const struct xp_timeline *timeline, struct xp_symbols *symbols)
{
	const struct mapping *maps = timeline->maps.at;
	int err = 0, pid;

	for (size_t i = 0; i < timeline->maps.nr && !err; i++) {
		const struct xp_dso *dso = xp_timeline_dso(timeline, (int)maps[i].dso);
		const struct xp_symbol_file file = xp_timeline_file_of(dso);

		if (xp_jit_is_dump(dso->name, &pid) && pid != maps[i].pid)
			err = xp_symbols_add_dump(symbols, maps[i].pid, &file);
	}
	return err;
}

/* A JIT compiler maps its dump, so that the recording has its name: "/home/u/jit-12.dump". */
static int note_jitdumps(const struct xp_timeline *timeline, struct xp_symbols *symbols)
{
	bool are_any = false;
	int err = 0, pid;

	for (int i = 0; i < xp_timeline_nr_dsos(timeline) && !err; i++) {
		const struct xp_dso *dso = xp_timeline_dso(timeline, i);
		const struct xp_symbol_file file = xp_timeline_file_of(dso);

		if (!xp_jit_is_dump(dso->name, &pid))
			continue;
		are_any = true;
		err = xp_symbols_add_dump(symbols, pid, &file);
	}
	return !err && are_any ? note_who_mapped(timeline, symbols) : err;
}

static int report_process(int32_t pid, int32_t tid, int32_t parent_pid, const char *comm,
			  void *data)
{
	(void)parent_pid, (void)comm;
	return pid == tid ? xp_symbols_add_process(data, pid) : 0;
}

int xp_resolver_new(const struct xp_timeline *timeline, struct xp_symbols *symbols,
		    struct xp_resolver **ret_resolver)
{
	if (!timeline || !timeline->is_sealed)
		return -EINVAL;
	struct xp_resolver *resolver = calloc(1, sizeof(*resolver));
	if (!resolver)
		return -ENOMEM;
	*resolver = (struct xp_resolver){ .timeline = timeline,
					  .symbols = symbols,
					  .nr_tables = xp_timeline_nr_dsos(timeline),
					  .room = ROOM_AT_FIRST,
					  .seed = xp_hash_seed() };
	resolver->tables = calloc((size_t)resolver->nr_tables + 1, sizeof(*resolver->tables));
	resolver->found = calloc(resolver->room, sizeof(*resolver->found));
	if (!resolver->tables || !resolver->found || note_jitdumps(timeline, symbols) ||
	    xp_timeline_tasks(timeline, report_process, symbols)) {
		xp_resolver_free(resolver);
		return -ENOMEM;
	}
	*ret_resolver = resolver;
	return 0;
}

static void close_tables(struct xp_resolver *resolver)
{
	for (int i = 0; resolver->tables && i < resolver->nr_tables; i++)
		if (resolver->tables[i].symtab)
			xp_symtab_close(resolver->tables[i].symtab);
	free(resolver->tables);
}

void xp_resolver_free(struct xp_resolver *resolver)
{
	if (!resolver)
		return;
	if (!resolver->is_forked)
		close_tables(resolver);
	free(resolver->found);
	free(resolver);
}

int xp_resolver_fork(const struct xp_resolver *resolver, struct xp_resolver **ret_resolver)
{
	struct xp_resolver *forked = malloc(sizeof(*forked));

	if (!forked)
		return -ENOMEM;
	*forked = *resolver;
	forked->is_forked = true;
	forked->found = NULL;
	*ret_resolver = forked;
	return 0;
}

/* --- which kernel it is --- */

/* A feature that is one string: padded length, text. */
static bool feature_is(const struct xp_data *data, enum xp_feature feature, const char *text)
{
	size_t len, text_len = strlen(text) + 1;
	const char *at = xp_data_feature(data, feature, &len);

	return at && len >= sizeof(uint32_t) + text_len &&
	       !memcmp(at + sizeof(uint32_t), text, text_len);
}

bool xp_data_is_of_this_kernel(const struct xp_data *data, struct xp_ctx *ctx)
{
	struct utsname name;

	return !ctx->sys->uname(ctx->sys, &name) &&
	       feature_is(data, XP_FEATURE_OSRELEASE, name.release) &&
	       feature_is(data, XP_FEATURE_ARCH, name.machine);
}

bool xp_data_is_of_this_machine(const struct xp_data *data, struct xp_ctx *ctx)
{
	struct utsname name;

	return !ctx->sys->uname(ctx->sys, &name) &&
	       feature_is(data, XP_FEATURE_HOSTNAME, name.nodename) &&
	       feature_is(data, XP_FEATURE_ARCH, name.machine);
}

/* --- files --- */

static bool is_kernel_core(const struct xp_dso *dso)
{
	return dso->is_kernel && !strncmp(dso->name, "[kernel", strlen("[kernel"));
}

/* How far the kernel ran above where its symbols are now: it is moved at every boot. */
static uint64_t kernel_shift(const struct xp_resolver *resolver, struct xp_symtab *symtab)
{
	const char *name;
	uint64_t then, now;

	if (xp_timeline_kernel_reference(resolver->timeline, &name, &then) ||
	    xp_symtab_reference(symtab, name, &now))
		return 0;
	return then - now;
}

static struct xp_symtab *open_table(struct xp_resolver *resolver, const struct xp_dso *dso,
				    struct table *table)
{
	const struct xp_symbol_file file = xp_timeline_file_of(dso);
	struct xp_symtab *symtab, *before = NULL;

	if (xp_symbols_open_file(resolver->symbols, &file, &symtab))
		return NULL;
	if (is_kernel_core(dso))
		atomic_store_explicit(&table->shift, kernel_shift(resolver, symtab),
				      memory_order_relaxed);
	/* Another thread may have it open by now. */
	if (!atomic_compare_exchange_strong(&table->symtab, &before, symtab))
		xp_symtab_close(symtab);
	return symtab;
}

/* Returns NULL without memory. */
static struct xp_symtab *symtab_of(struct xp_resolver *resolver, const struct xp_dso *dso)
{
	struct table *table = &resolver->tables[dso->index];
	struct xp_symtab *symtab = atomic_load_explicit(&table->symtab, memory_order_acquire);

	return symtab ? symtab : open_table(resolver, dso, table);
}

/* --- files, at the same time --- */

/* Threads take one DSO after the other. */
struct opening {
	struct xp_resolver *resolver;
	const uint8_t *wanted; /* XP_OPEN_... */
	atomic_int next, err;
};

static void *open_next(void *arg)
{
	struct opening *opening = arg;
	const struct xp_resolver *resolver = opening->resolver;
	int i;

	while ((i = atomic_fetch_add(&opening->next, 1)) < resolver->nr_tables) {
		const struct xp_line *none;
		struct xp_symtab *symtab;

		if (!opening->wanted[i])
			continue;
		symtab = symtab_of(opening->resolver, xp_timeline_dso(resolver->timeline, i));
		/* Whatever address is the first, it opens the debug information. */
		if (!symtab ||
		    (opening->wanted[i] & XP_OPEN_LINES && xp_symtab_lines(symtab, 0, &none) < 0))
			opening->err = -ENOMEM;
	}
	return NULL;
}

int xp_resolver_open(struct xp_resolver *resolver, const uint8_t *wanted, int nr_threads)
{
	struct opening opening = { .resolver = resolver, .wanted = wanted };
	pthread_t threads[XP_RESOLVER_THREADS];
	int nr = 0;

	while (nr + 1 < nr_threads && nr < XP_RESOLVER_THREADS &&
	       !pthread_create(&threads[nr], NULL, open_next, &opening))
		nr++;
	open_next(&opening);
	while (nr)
		pthread_join(threads[--nr], NULL);
	return opening.err;
}

/* --- what was found before --- */

static size_t slot_of(const struct xp_resolver *resolver, uint64_t address, uint32_t key)
{
	uint64_t hash = xp_hash_word(resolver->seed, address ^ (uint64_t)key << 48);
	size_t mask = resolver->room - 1, at = (size_t)hash & mask;

	while (resolver->found[at].key &&
	       (resolver->found[at].key != key || resolver->found[at].address != address))
		at = (at + 1) & mask;
	return at;
}

static int grow(struct xp_resolver *resolver)
{
	struct found *old = resolver->found;
	size_t old_room = resolver->room;
	struct found *larger = calloc(old_room * 2, sizeof(*larger));

	if (!larger)
		return -ENOMEM;
	resolver->found = larger;
	resolver->room = old_room * 2;
	for (size_t i = 0; i < old_room; i++)
		if (old[i].key)
			larger[slot_of(resolver, old[i].address, old[i].key)] = old[i];
	free(old);
	return 0;
}

static int find_function(struct xp_resolver *resolver, struct xp_symtab *symtab, uint64_t address,
			 uint32_t key, struct xp_function *ret_function)
{
	size_t at;

	if (xp_symtab_get_state(symtab) != XP_SYMTAB_FOUND)
		return 0; /* there may be many such files, which need no memory each */
	if (!resolver->found) {
		xp_symtab_find(symtab, address, ret_function);
		return 0;
	}
	at = slot_of(resolver, address, key);
	if (!resolver->found[at].key) {
		if (resolver->nr * 2 >= resolver->room) {
			if (grow(resolver))
				return -ENOMEM;
			at = slot_of(resolver, address, key);
		}
		resolver->found[at] = (struct found){ .address = address, .key = key };
		xp_symtab_find(symtab, address, &resolver->found[at].function);
		resolver->nr++;
	}
	*ret_function = resolver->found[at].function;
	return 0;
}

/* --- the whole way --- */

static uint64_t address_of(const struct xp_resolver *resolver, const struct xp_map *map,
			   const struct xp_symtab *symtab, uint64_t ip)
{
	if (is_kernel_core(map->dso))
		return ip - atomic_load_explicit(&resolver->tables[map->dso->index].shift,
						 memory_order_relaxed);
	return xp_symtab_address(symtab, ip - map->start + map->offset);
}

/* Finds the function in the file of the frame's map. */
static int find_in_map(struct xp_resolver *resolver, uint64_t ip, bool is_return,
		       struct xp_frame *frame)
{
	const struct xp_dso *dso = frame->map.dso;

	frame->symtab = symtab_of(resolver, dso);
	if (!frame->symtab)
		return -ENOMEM;
	frame->address = address_of(resolver, &frame->map, frame->symtab, ip);
	return find_function(resolver, frame->symtab, frame->address - is_return,
			     (uint32_t)dso->index + 1, &frame->function);
}

/* Memory of which no list has a function: it may be text that was moved there. */
static int find_moved(struct xp_resolver *resolver, int32_t pid, uint64_t ip, bool is_return,
		      uint64_t time_ns, struct xp_frame *frame)
{
	struct xp_frame moved = *frame;

	if (!xp_timeline_moved_at(resolver->timeline, pid, ip, time_ns, &moved.map))
		return 0;
	int err = find_in_map(resolver, ip, is_return, &moved);
	if (!err && (moved.function.name || xp_symtab_get_state(frame->symtab) != XP_SYMTAB_FOUND))
		*frame = moved;
	return err;
}

/* Nothing is mapped there: behind the kernel's text there is code where it has a function. */
static int find_behind(struct xp_resolver *resolver, uint64_t ip, bool is_return, uint64_t time_ns,
		       struct xp_frame *frame)
{
	struct xp_frame behind = *frame;

	if (frame->cpumode != XP_MISC_KERNEL ||
	    !xp_timeline_behind_text_at(resolver->timeline, ip, time_ns, &behind.map))
		return 0;
	int err = find_in_map(resolver, ip, is_return, &behind);
	if (!err && behind.function.name)
		*frame = behind;
	return err;
}

static int find_frame(struct xp_resolver *resolver, int32_t pid, uint16_t cpumode, uint64_t ip,
		      bool is_return, uint64_t time_ns, struct xp_frame *frame)
{
	*frame = (struct xp_frame){
		.size = sizeof(*frame),
		.ip = ip,
		.cpumode = cpumode,
		.address = ip,
		.map = { .size = sizeof(frame->map) },
	};

	if (!xp_timeline_map_at(resolver->timeline, pid, cpumode, ip, time_ns, &frame->map) ||
	    !frame->map.dso) {
		xp_timeline_gap_at(resolver->timeline, pid, cpumode, ip, time_ns, &frame->map);
		return find_behind(resolver, ip, is_return, time_ns, frame);
	}
	const struct xp_dso *dso = frame->map.dso;
	if (dso->is_symbol) {
		frame->address = ip - frame->map.start;
		frame->function = (struct xp_function){ .name = dso->name,
							.size = frame->map.end - frame->map.start };
		return 0;
	}
	int err = find_in_map(resolver, ip, is_return, frame);
	return err || frame->function.name || !dso->is_jit
		       ? err
		       : find_moved(resolver, pid, ip, is_return, time_ns, frame);
}

int xp_resolver_frame(struct xp_resolver *resolver, int32_t pid, uint16_t cpumode, uint64_t ip,
		      bool is_return, uint64_t time_ns, struct xp_frame *ret_frame)
{
	struct xp_frame frame;

	if (ret_frame->size == sizeof(frame))
		return find_frame(resolver, pid, cpumode, ip, is_return, time_ns, ret_frame);
	int err = find_frame(resolver, pid, cpumode, ip, is_return, time_ns, &frame);
	return err ? err : XP_OUTPUT_COPY(ret_frame, &frame, struct xp_frame, map.to_ns);
}

static const char *kernel_function(uint64_t address, uint64_t *ret_start, void *data)
{
	struct xp_frame frame = { .size = sizeof(frame) };

	if (xp_resolver_frame(data, -1, XP_MISC_KERNEL, address, false, XP_NO_TIME, &frame))
		return NULL;
	*ret_start = address - (frame.address - frame.function.start);
	return frame.function.name;
}

void xp_resolver_name_traces(struct xp_resolver *resolver, struct xp_traces *traces)
{
	xp_traces_set_functions(traces, kernel_function, resolver);
}

int xp_frame_lines(const struct xp_frame *frame, bool is_return, const struct xp_line **ret_lines)
{
	uint64_t address = frame->address;

	if (!frame->symtab)
		return 0;
	/* What calls a function that does not return may be the last of its own. */
	if (is_return && frame->function.name && address > frame->function.start)
		address--;
	return xp_symtab_lines(frame->symtab, address, ret_lines);
}
