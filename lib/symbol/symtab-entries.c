/* SPDX-License-Identifier: MIT */
/*
 * The tables that a symbolizer has: found again by path and build id, also for the next recording
 * while they are true, and forgotten when nobody has asked for them for a while.
 *
 * A table is true while stat(2) says the same of the recorded file and of the one that its symbols
 * are from, so that no file is opened; of the kernel, while its modules are the same ones. What it
 * does not show, as a debug file that is installed later, is found when the table is made anew,
 * which it is now and then. What was not found is looked for again, and what a JIT compiler writes
 * into a dump is read again: with mmap(2), times of a file say little.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "build-id.h"
#include "cleanup.h"
#include "ctx.h"
#include "hash.h"
#include "kernel-cache.h"
#include "lasting.h"
#include "symtab-impl.h"

/* As many recordings a table is kept without being asked for, and as many of those tables; after so
 * many it is made anew, and after so many lines of source were looked up in it. */
enum { UNUSED_ROUNDS = 16, UNUSED_TABLES = 64, MADE_ROUNDS = 64, MOST_LINES = 1 << 16 };

/* --- whether a table is true --- */

/* What is known of a file without opening it; 0: there is none. */
static uint64_t stamp_of(const struct xp_ctx *ctx, const char *path)
{
	struct stat st;

	if (!path || ctx->sys->stat(ctx->sys, path, &st))
		return 0;
	const uint64_t facts[] = {
		st.st_dev,
		st.st_ino,
		(uint64_t)st.st_size,
		(uint64_t)st.st_mtim.tv_sec,
		(uint64_t)st.st_mtim.tv_nsec,
		(uint64_t)st.st_ctim.tv_sec,
		(uint64_t)st.st_ctim.tv_nsec,
	};
	return xp_hash_bytes(xp_hash_seed(), facts, sizeof(facts));
}

static uint64_t file_stamp(const struct xp_symtab *symtab)
{
	xp_auto_free char *path = xp_symtab_file_path(symtab);

	return stamp_of(symtab->symbols->ctx, path);
}

void xp_symtab_stamp_file(struct xp_symtab *symtab)
{
	const struct xp_symbols *symbols = symtab->symbols;

	if (symbols->round && !symtab->stamps)
		symtab->stamps = malloc(sizeof(*symtab->stamps));
	if (!symtab->stamps)
		return;
	*symtab->stamps = (struct stamps){
		.made_in = symbols->round,
		.file = file_stamp(symtab),
		.kernel = symbols->kernel_stamp,
	};
}

void xp_symtab_stamp_path(struct xp_symtab *symtab)
{
	if (symtab->stamps)
		symtab->stamps->path = stamp_of(symtab->symbols->ctx, symtab->path);
}

static bool has_dump(const struct xp_symtab *symtab)
{
	const struct jitdump *dump = symtab->symbols->jitdumps;
	int32_t pid = xp_symtab_jit_pid(symtab->name);

	while (dump && dump->pid != pid)
		dump = dump->next;
	return dump;
}

/* The same of what its kind is made from beside files. */
static bool is_true_of_kind(const struct xp_symtab *symtab)
{
	switch (xp_symtab_kind_of(symtab->name)) {
	case XP_SYMTAB_KIND_KERNEL:
		return symtab->stamps->kernel &&
		       symtab->stamps->kernel == symtab->symbols->kernel_stamp;
	case XP_SYMTAB_KIND_JIT:
		return !has_dump(symtab);
	default:
		return true;
	}
}

static bool is_true(const struct xp_symtab *symtab)
{
	const struct xp_symbols *symbols = symtab->symbols;
	const struct stamps *stamps = symtab->stamps;

	return stamps && symbols->round - stamps->made_in < MADE_ROUNDS &&
	       symtab->state == XP_SYMTAB_FOUND &&
	       (!symtab->lines || symtab->lines->nr < MOST_LINES) && is_true_of_kind(symtab) &&
	       stamps->file == file_stamp(symtab) &&
	       stamps->path == stamp_of(symbols->ctx, symtab->path);
}

/* It is looked at once in each round. */
static bool is_current(struct xp_symtab *symtab)
{
	if (symtab->round != symtab->symbols->round) {
		symtab->round = symtab->symbols->round;
		symtab->is_stale = symtab->is_stale || !is_true(symtab);
	}
	return !symtab->is_stale;
}

/* --- finding --- */

static struct xp_symtab **slot_of(struct xp_symtab **slots, size_t nr_slots, const char *path,
				  const struct xp_build_id *id)
{
	uint64_t hash = xp_hash_bytes(xp_hash_seed(), id->bytes, id->len);

	return &slots[xp_hash_bytes(hash, path, strlen(path)) & (nr_slots - 1)];
}

static int grow(struct xp_symbols *symbols)
{
	size_t nr_slots = symbols->nr_slots ? symbols->nr_slots * 2 : 64;
	struct xp_symtab **slots = calloc(nr_slots, sizeof(struct xp_symtab *));

	if (!slots)
		return -ENOMEM;
	for (struct xp_symtab *symtab = symbols->first; symtab; symtab = symtab->next) {
		struct xp_symtab **slot = slot_of(slots, nr_slots, symtab->name, &symtab->id);

		symtab->next_slot = *slot;
		*slot = symtab;
	}
	free(symbols->slots);
	symbols->slots = slots;
	symbols->nr_slots = nr_slots;
	return 0;
}

/* A build id says more than an inode. */
static bool is_of(const struct xp_symtab *symtab, const struct xp_symbol_file *file,
		  const struct xp_build_id *id)
{
	return !strcmp(symtab->name, file->path) && xp_build_id_equal(&symtab->id, id) &&
	       (id->len || (symtab->inode == file->inode &&
			    symtab->inode_generation == file->inode_generation));
}

struct xp_symtab *xp_symbols_entry(struct xp_symbols *symbols, const struct xp_symbol_file *file)
{
	const struct xp_build_id id = xp_symtab_id_of(file);
	struct xp_symtab **slot, *symtab;

	if (symbols->nr == symbols->nr_slots && grow(symbols))
		return NULL;
	slot = slot_of(symbols->slots, symbols->nr_slots, file->path, &id);
	for (symtab = *slot; symtab; symtab = symtab->next_slot)
		if (is_of(symtab, file, &id) && is_current(symtab)) {
			symtab->users++;
			return symtab;
		}
	size_t path_len = strlen(file->path);
	symtab = calloc(1, sizeof(*symtab) + path_len + 1);
	if (!symtab)
		return NULL;
	symtab->name = memcpy(symtab->name_text, file->path, path_len);
	symtab->lock = &symbols->locks[symbols->nr % SYMTAB_LOCKS];
	symtab->symbols = symbols;
	symtab->users = 1;
	symtab->round = symbols->round;
	symtab->id = id;
	symtab->inode = file->inode;
	symtab->inode_generation = file->inode_generation;
	symtab->next = symbols->first;
	symbols->first = symtab;
	symtab->next_slot = *slot;
	*slot = symtab;
	symbols->nr++;
	return symtab;
}

void xp_symtab_forget(struct xp_symtab *symtab)
{
	pthread_mutex_lock(&symtab->symbols->lock);
	symtab->is_stale = true;
	pthread_mutex_unlock(&symtab->symbols->lock);
}

void xp_symtab_close(struct xp_symtab *symtab)
{
	pthread_mutex_lock(&symtab->symbols->lock);
	symtab->users--;
	pthread_mutex_unlock(&symtab->symbols->lock);
}

/* --- the next recording --- */

static void drop(struct xp_symbols *symbols, struct xp_symtab **at)
{
	struct xp_symtab *symtab = *at;
	struct xp_symtab **slot =
		slot_of(symbols->slots, symbols->nr_slots, symtab->name, &symtab->id);

	*at = symtab->next;
	while (*slot != symtab)
		slot = &(*slot)->next_slot;
	*slot = symtab->next_slot;
	symbols->nr--;
	xp_symtab_free(symtab);
}

/* For how many rounds tables are kept that are not asked for. */
static uint32_t rounds_to_keep(const struct xp_symbols *symbols)
{
	size_t of_age[UNUSED_ROUNDS + 1] = { 0 }, nr = 0;
	uint32_t age = 0;

	for (const struct xp_symtab *symtab = symbols->first; symtab; symtab = symtab->next)
		if (symbols->round - symtab->round <= UNUSED_ROUNDS)
			of_age[symbols->round - symtab->round]++;
	while (age < UNUSED_ROUNDS && (nr += of_age[age + 1]) <= UNUSED_TABLES)
		age++;
	return age;
}

static void forget(struct xp_symbols *symbols)
{
	uint32_t age = rounds_to_keep(symbols);

	for (struct xp_symtab **at = &symbols->first; *at;) {
		const struct xp_symtab *symtab = *at;
		bool is_kept = symtab->state == XP_SYMTAB_FOUND && !symtab->is_stale &&
			       symbols->round - symtab->round <= age;

		if (symtab->users || is_kept)
			at = &(*at)->next;
		else
			drop(symbols, at);
	}
}

/* 0: nothing is known. */
static uint64_t kernel_stamp(const struct xp_symbols *symbols)
{
	uint64_t modules = xp_kernel_modules(symbols->ctx, NULL, NULL);

	return modules ? xp_hash_word(modules, stamp_of(symbols->ctx, symbols->kallsyms)) : 0;
}

/* A text that could not be read is read again, too. */
static void renew_text(struct xp_symbols *symbols)
{
	uint64_t stamp = kernel_stamp(symbols);

	if (symbols->text && stamp && stamp == symbols->kernel_stamp)
		return;
	symbols->kernel_stamp = stamp;
	xp_kernel_text_unref(symbols->text);
	symbols->text = NULL;
	symbols->text_is_read = false;
}

void xp_symbols_renew(struct xp_symbols *symbols)
{
	xp_symbols_free_jitdumps(symbols);
	symbols->roots.nr_pids = symbols->roots.nr = 0;
	symbols->roots.are_known = false;
	renew_text(symbols);
	forget(symbols);
	symbols->round++;
}
