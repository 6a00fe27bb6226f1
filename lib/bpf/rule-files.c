/* SPDX-License-Identifier: MIT */
/* From rules of lib/unwind to rows of 8 bytes, file by file. */
#include "rule-files.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "each-rule.h"
#include "vec.h"

/* Registers of x86-64, as DWARF numbers them, and where the rule has them. */
enum { REG_BP = 6, REG_SP = 7, SAVED_RA = 0, SAVED_BP = 1 };

/* --- rows --- */

static enum rule_row_kind kind_of(const struct rule *rule)
{
	switch (rule->kind) {
	case RULE_NONE:
		return ROW_NONE;
	case RULE_END:
		return ROW_OUTERMOST;
	case RULE_SIGNAL:
		return ROW_SIGNAL;
	case RULE_PLT:
		return ROW_PLT;
	case RULE_FRAME:
		return rule->cfa_reg == REG_SP   ? ROW_SP
		       : rule->cfa_reg == REG_BP ? ROW_BP
						 : ROW_ODD;
	case RULE_DEREF:
		return rule->cfa_reg == REG_BP ? ROW_DEREF_BP : ROW_ODD;
	default:
		return ROW_ODD;
	}
}

/* Whether registers and offsets are where a row can say. */
static bool fits(const struct rule *rule, int32_t offset)
{
	bool has_ra = rule->saved >> SAVED_RA & 1 && rule->at[SAVED_RA] == -1;
	int bp = rule->saved >> SAVED_BP & 1 ? rule->at[SAVED_BP] : 1;

	return has_ra && bp && bp >= INT8_MIN && bp <= INT8_MAX && offset <= ROW_OFFSET_MAX &&
	       offset >= -ROW_OFFSET_MAX;
}

uint32_t xp_rule_row_of(const struct rule *rule)
{
	enum rule_row_kind kind = kind_of(rule);
	int32_t offset = kind == ROW_PLT ? rule->plt_from : rule->cfa_offset;
	uint32_t bp = rule->saved >> SAVED_BP & 1 ? (uint8_t)rule->at[SAVED_BP] : 0;

	if (kind == ROW_NONE || kind == ROW_ODD || kind == ROW_OUTERMOST || kind == ROW_SIGNAL)
		return kind;
	if (!fits(rule, offset))
		return ROW_ODD;
	return kind | bp << ROW_BP_SHIFT | (uint32_t)offset << ROW_OFFSET_SHIFT;
}

/* --- one file --- */

struct making {
	struct rule_tables *tables;
	uint32_t first, nr;
};

static int add_row(void *data, uint64_t start, uint64_t end, const struct rule *rule)
{
	struct making *making = data;
	struct rule_row *rows = making->tables->rows + making->first;
	uint32_t row = xp_rule_row_of(rule);

	/* Without a row, none of the file is right. */
	if (end > UINT32_MAX)
		return -ERANGE;
	if (making->first + making->nr + 1 >= RULE_ROWS_MAX)
		return -ENOSPC;
	if (!making->nr || rows[making->nr - 1].rule != row)
		rows[making->nr++] = (struct rule_row){ (uint32_t)start, row };
	/* Where the last function ends; what follows is written over it. */
	rows[making->nr] = (struct rule_row){ (uint32_t)end, ROW_NONE };
	return 0;
}

/* Code without any description has frame pointers, or ends chains; what describes it in another way
 * than by a table ends them. */
static void make_rows(struct rule_files *files, uint32_t number)
{
	struct rule_tables *tables = files->tables;
	struct rule_file *file = &tables->files[number];
	struct making making = { .tables = tables, .first = tables->nr_rows };
	int err = xp_unwind_file_each_rule(files->files[number], add_row, &making);
	bool by_pointers = err == -ENODATA || err == -ENOSPC;

	xp_unwind_file_forget(files->files[number]);
	if (!err && making.nr) {
		file->first = making.first;
		file->nr = making.nr + 1;
		tables->nr_rows += file->nr;
	}
	if (err == -ENOSPC)
		atomic_fetch_add(&files->nr_beyond, 1);
	__atomic_store_n(&file->state, by_pointers ? RULE_FILE_POINTERS : RULE_FILE_HAS_ROWS,
			 __ATOMIC_RELEASE);
}

/* --- the thread --- */

static void *make(void *data)
{
	struct rule_files *files = data;

	pthread_mutex_lock(&files->lock);
	while (!files->is_over) {
		if (files->nr_made == files->nr_waiting) {
			pthread_cond_wait(&files->wake, &files->lock);
			continue;
		}
		uint32_t number = (uint32_t)files->nr_made;
		pthread_mutex_unlock(&files->lock);
		if (number != RULE_NO_FILE)
			make_rows(files, number);
		pthread_mutex_lock(&files->lock);
		files->nr_made++;
		pthread_cond_broadcast(&files->made);
	}
	pthread_mutex_unlock(&files->lock);
	return NULL;
}

/* A thread that sees no signal: those are the caller's. */
static int start_thread(struct rule_files *files)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int err = pthread_create(&files->thread, NULL, make, files);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	files->has_thread = !err;
	return -err;
}

int xp_rule_files_start(struct rule_files *files, struct rule_tables *tables)
{
	*files = (struct rule_files){ .tables = tables };
	pthread_mutex_init(&files->lock, NULL);
	pthread_cond_init(&files->wake, NULL);
	pthread_cond_init(&files->made, NULL);
	files->files = calloc(RULE_FILES_MAX, sizeof(struct xp_unwind_file *));
	files->nr_files = files->nr_waiting = files->nr_made = RULE_NO_FILE + 1;
	return files->files ? start_thread(files) : -ENOMEM;
}

void xp_rule_files_stop(struct rule_files *files)
{
	if (!files->tables)
		return;
	pthread_mutex_lock(&files->lock);
	files->is_over = true;
	pthread_cond_signal(&files->wake);
	pthread_mutex_unlock(&files->lock);
	if (files->has_thread)
		pthread_join(files->thread, NULL);
	pthread_cond_destroy(&files->made);
	pthread_cond_destroy(&files->wake);
	pthread_mutex_destroy(&files->lock);
	index_fini(&files->by_file);
	free(files->files);
	*files = (struct rule_files){ 0 };
}

/* --- numbers --- */

/* Files that are open because rows will be made. */
enum { FILES_OPEN_MAX = 256 };

uint32_t xp_rule_files_number(struct rule_files *files, struct xp_unwind_file *file)
{
	uint64_t hash = xp_hash_word(xp_hash_seed(), (uintptr_t)file);
	size_t number = files->nr_files, at;

	for (struct index_walk walk = index_walk(&files->by_file, hash); index_next(&walk, &at);)
		if (files->files[at] == file)
			return (uint32_t)at;
	if (number == RULE_FILES_MAX || index_add(&files->by_file, hash, number)) {
		atomic_fetch_add(&files->nr_beyond, 1);
		return RULE_NO_FILE;
	}
	files->files[number] = file;
	files->nr_files++;
	pthread_mutex_lock(&files->lock);
	files->nr_waiting = files->nr_files;
	pthread_cond_signal(&files->wake);
	while (files->nr_waiting - files->nr_made > FILES_OPEN_MAX)
		pthread_cond_wait(&files->made, &files->lock);
	pthread_mutex_unlock(&files->lock);
	return (uint32_t)number;
}

void xp_rule_files_wait(struct rule_files *files)
{
	pthread_mutex_lock(&files->lock);
	while (files->nr_made != files->nr_waiting)
		pthread_cond_wait(&files->made, &files->lock);
	pthread_mutex_unlock(&files->lock);
}

uint64_t xp_rule_files_beyond(struct rule_files *files)
{
	return atomic_load(&files->nr_beyond);
}
