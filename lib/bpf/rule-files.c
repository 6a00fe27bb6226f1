/* SPDX-License-Identifier: MIT */
/* Numbers of files, and where their rows are. */
#include "rule-files.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xperf/unwind.h>

#include "each-rule.h"
#include "rule-rows.h"

#define NS_PER_S UINT64_C(1000000000)

/* --- room --- */

/* The kernel's walks read neither rows nor numbers of a file that no map has. */
static bool is_unused(const struct known_file *known)
{
	return known->file && !known->maps && known->state != FILE_WAITS;
}

static void give_way(struct rule_files *files, uint32_t number)
{
	struct rule_file *file = &files->tables->files[number];

	files->nr_unused_rows -= file->nr;
	if (file->nr)
		xp_row_room_free(&files->room, file->first, file->nr);
	file->nr = 0;
	__atomic_store_n(&file->state, RULE_FILE_PENDING, __ATOMIC_RELEASE);
	files->known[number].state = FILE_GAVE_WAY;
}

/* The file with rows that has not been mapped for the longest time. RULE_NO_FILE: there is none. */
static uint32_t find_oldest(const struct rule_files *files)
{
	uint32_t oldest = RULE_NO_FILE;

	for (uint32_t i = RULE_NO_FILE + 1; i < files->nr; i++)
		if (is_unused(&files->known[i]) && files->tables->files[i].nr &&
		    (oldest == RULE_NO_FILE ||
		     files->known[i].unused_since < files->known[oldest].unused_since))
			oldest = i;
	return oldest;
}

static bool could_fit(const struct rule_files *files, size_t nr)
{
	return nr <= files->room.nr_free + files->nr_unused_rows;
}

static bool alloc_rows(struct rule_files *files, size_t nr, uint32_t *ret_first)
{
	if (!could_fit(files, nr))
		return false;
	while (!xp_row_room_alloc(&files->room, (uint32_t)nr, ret_first)) {
		uint32_t oldest = find_oldest(files);

		if (oldest == RULE_NO_FILE)
			return false;
		give_way(files, oldest);
	}
	return true;
}

/* --- one file --- */

static int store(struct rule_files *files, uint32_t number, const struct rule_rows *rows)
{
	struct rule_file *file = &files->tables->files[number];
	uint32_t first = 0;

	if (!rows->nr)
		return 0;
	pthread_mutex_lock(&files->lock);
	bool fits = alloc_rows(files, rows->nr, &first);
	pthread_mutex_unlock(&files->lock);
	if (!fits)
		return -ENOSPC;
	memcpy(files->tables->rows + first, rows->at, rows->nr * sizeof(*rows->at));
	file->first = first;
	file->nr = (uint32_t)rows->nr;
	return 0;
}

/*
 * Code without any description has frame pointers, or ends chains; what describes it in another way
 * than by a table ends them.
 * Returns 0, or how many rows found no room.
 */
static uint32_t make_rows(struct rule_files *files, uint32_t number, struct xp_unwind_file *file)
{
	struct rule_rows rows;
	int err = xp_rule_rows_make(file, &rows) ?: store(files, number, &rows);
	bool by_pointers = err == -ENODATA || err == -ENOSPC;
	uint32_t nr = rows.nr ? (uint32_t)rows.nr : UINT32_MAX;

	xp_rule_rows_fini(&rows);
	__atomic_store_n(&files->tables->files[number].state,
			 by_pointers ? RULE_FILE_POINTERS : RULE_FILE_HAS_ROWS, __ATOMIC_RELEASE);
	return err == -ENOSPC ? nr : 0;
}

/* Chains that ended in a file for lack of rows. */
static uint64_t nr_missed(const struct rule_files *files, uint32_t number)
{
	return __atomic_load_n(&files->tables->files[number].ended[RULE_END_NOT_YET],
			       __ATOMIC_RELAXED);
}

static void note_made(struct rule_files *files, uint32_t number, uint32_t too_many)
{
	struct known_file *known = &files->known[number];

	known->state = too_many ? FILE_NO_ROOM : FILE_DONE;
	if (too_many && !known->too_many)
		files->nr_beyond++;
	known->too_many = too_many;
	known->missed = nr_missed(files, number);
	if (!known->maps)
		files->nr_unused_rows += files->tables->files[number].nr;
}

/* --- which is next --- */

static bool is_missed(const struct rule_files *files, uint32_t number)
{
	return nr_missed(files, number) != files->known[number].missed;
}

/* Whether making rows costs no more than what was copied for lack of them: a copy of a stack costs
 * the kernel, the ring and the unwinder 3 us more than a walk of 11 frames, rows 4 to 8 ns for each
 * byte of a file. Source: measured, libc.so.6 (1.9 MB), libLLVM-14.so.1 (110 MB) of Debian 12. */
static bool is_worth_it(struct rule_files *files, uint32_t number)
{
	enum { BYTES_OF_A_COPY = 512 };
	struct known_file *known = &files->known[number];
	uint64_t missed = nr_missed(files, number) - known->missed;

	if (!missed || !files->is_thrifty)
		return missed;
	if (!known->bytes)
		known->bytes = xp_unwind_file_size(known->file);
	return missed * BYTES_OF_A_COPY >= known->bytes;
}

static uint32_t remove_waiting(struct rule_files *files, size_t at)
{
	uint32_t number = files->waiting[at];

	files->nr_waiting--;
	memmove(&files->waiting[at], &files->waiting[at + 1],
		(files->nr_waiting - at) * sizeof(*files->waiting));
	return number;
}

/* Its rows are made when a chain ends for lack of them, or when it is mapped again. */
static void put_off(struct rule_files *files, size_t at)
{
	struct known_file *known = &files->known[remove_waiting(files, at)];

	known->state = FILE_GAVE_WAY;
	xp_unwind_file_forget(known->file);
}

static void add_waiting(struct rule_files *files, uint32_t number)
{
	if (files->nr_waiting == RULE_FILES_WAITING)
		put_off(files, 0);
	files->known[number].state = FILE_WAITS;
	files->waiting[files->nr_waiting++] = number;
	pthread_cond_signal(&files->wake);
}

/* Its place among those that wait. */
static size_t find_next(const struct rule_files *files)
{
	for (size_t i = 0; i < files->nr_waiting; i++)
		if (is_missed(files, files->waiting[i]))
			return i;
	return 0;
}

/* --- the thread --- */

static void wait_for(struct rule_files *files, uint64_t now_ns, uint64_t pause_ns)
{
	uint64_t until_ns = now_ns + pause_ns;
	struct timespec until = { .tv_sec = (time_t)(until_ns / NS_PER_S),
				  .tv_nsec = (long)(until_ns % NS_PER_S) };

	pthread_cond_timedwait(&files->wake, &files->lock, &until);
}

/* Whether there is one, and time for it. If not, that was waited for. */
static bool is_time(struct rule_files *files)
{
	struct timespec time;

	if (!files->nr_waiting) {
		pthread_cond_wait(&files->wake, &files->lock);
		return false;
	}
	clock_gettime(CLOCK_MONOTONIC, &time);
	uint64_t now = (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_nsec;
	uint64_t pause = cpu_share_pause(&files->share, now, cpu_share_spent());
	if (!pause || files->nr_awaiting)
		return true;
	wait_for(files, now, pause);
	return false;
}

static void make_next(struct rule_files *files)
{
	size_t at = find_next(files);

	if (!files->known[files->waiting[at]].maps) {
		put_off(files, at);
		return;
	}
	uint32_t number = remove_waiting(files, at);
	struct xp_unwind_file *file = files->known[number].file;

	files->is_making = true;
	pthread_mutex_unlock(&files->lock);
	uint32_t too_many = make_rows(files, number, file);
	pthread_mutex_lock(&files->lock);
	files->is_making = false;
	note_made(files, number, too_many);
}

static void *make(void *data)
{
	struct rule_files *files = data;

	pthread_mutex_lock(&files->lock);
	while (!files->is_over)
		if (is_time(files)) {
			make_next(files);
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

/* Its waits have ends by CLOCK_MONOTONIC. */
static void init_wake(struct rule_files *files)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&files->wake, &attr);
	pthread_condattr_destroy(&attr);
}

int xp_rule_files_start(struct rule_files *files, struct rule_tables *tables, uint32_t nr_rows,
			uint64_t cpu_ppm)
{
	enum { SAVED_SECONDS = 1000 }; /* all files that are mapped at first need rows */

	*files = (struct rule_files){ .tables = tables,
				      .nr = RULE_NO_FILE + 1,
				      .share = { .ppm = cpu_ppm, .seconds = SAVED_SECONDS } };
	pthread_mutex_init(&files->lock, NULL);
	init_wake(files);
	pthread_cond_init(&files->made, NULL);
	files->known = calloc(RULE_FILES_MAX, sizeof(*files->known));
	if (!files->known || xp_row_room_init(&files->room, nr_rows))
		return -ENOMEM;
	return start_thread(files);
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
	xp_row_room_fini(&files->room);
	free(files->known);
	*files = (struct rule_files){ 0 };
}

/* --- numbers --- */

static uint64_t hash_of(const struct xp_unwind_file *file)
{
	return xp_hash_word(xp_hash_seed(), (uintptr_t)file);
}

static uint32_t find(const struct rule_files *files, const struct xp_unwind_file *file)
{
	size_t at;

	for (struct index_walk walk = index_walk(&files->by_file, hash_of(file));
	     index_next(&walk, &at);)
		if (files->known[at].file == file)
			return (uint32_t)at;
	return RULE_NO_FILE;
}

static void forget(struct rule_files *files, uint32_t number)
{
	give_way(files, number);
	files->known[number] = (struct known_file){ 0 };
	files->tables->files[number] = (struct rule_file){ 0 };
}

/* All files that no process maps lose their numbers. What ended in them has no name any more. */
static void forget_unused(struct rule_files *files)
{
	index_fini(&files->by_file);
	for (uint32_t i = RULE_NO_FILE + 1; i < files->nr; i++) {
		if (is_unused(&files->known[i]))
			forget(files, i);
		/* A file that is not in the index has another number when it is mapped again. */
		else if (files->known[i].file)
			index_add(&files->by_file, hash_of(files->known[i].file), i);
	}
}

/* Both return RULE_NO_FILE: there is none. */
static uint32_t find_free(const struct rule_files *files)
{
	for (uint32_t i = RULE_NO_FILE + 1; i < files->nr; i++)
		if (!files->known[i].file)
			return i;
	return RULE_NO_FILE;
}

static uint32_t new_number(struct rule_files *files)
{
	if (files->nr < RULE_FILES_MAX)
		return files->nr++;
	uint32_t number = find_free(files);
	if (number != RULE_NO_FILE)
		return number;
	forget_unused(files);
	return find_free(files);
}

static uint32_t add(struct rule_files *files, struct xp_unwind_file *file)
{
	uint32_t number = new_number(files);

	if (number == RULE_NO_FILE || index_add(&files->by_file, hash_of(file), number)) {
		files->nr_beyond++;
		return RULE_NO_FILE;
	}
	files->known[number].file = file;
	return number;
}

/* Rows are made at first, and again after they gave way, or where there may be room by now. */
static bool needs_rows(const struct rule_files *files, const struct known_file *known)
{
	return known->state == FILE_NEW || known->state == FILE_GAVE_WAY ||
	       (known->state == FILE_NO_ROOM && !known->maps && could_fit(files, known->too_many));
}

static void use(struct rule_files *files, uint32_t number)
{
	struct known_file *known = &files->known[number];

	if (needs_rows(files, known) && files->on_demand)
		known->state = FILE_GAVE_WAY;
	else if (needs_rows(files, known))
		add_waiting(files, number);
	else if (!known->maps && known->state == FILE_DONE)
		files->nr_unused_rows -= files->tables->files[number].nr;
	known->maps++;
}

uint32_t xp_rule_files_use(struct rule_files *files, struct xp_unwind_file *file)
{
	pthread_mutex_lock(&files->lock);
	uint32_t number = find(files, file);

	if (number == RULE_NO_FILE)
		number = add(files, file);
	if (number != RULE_NO_FILE)
		use(files, number);
	pthread_mutex_unlock(&files->lock);
	return number;
}

static void unuse(struct rule_files *files, uint32_t number)
{
	struct known_file *known = &files->known[number];

	if (number == RULE_NO_FILE || --known->maps)
		return;
	known->unused_since = ++files->nr_unused;
	if (known->state != FILE_WAITS)
		files->nr_unused_rows += files->tables->files[number].nr;
}

void xp_rule_files_unuse(void *data, const struct rule_map *maps, uint32_t nr)
{
	struct rule_files *files = data;

	pthread_mutex_lock(&files->lock);
	for (uint32_t i = 0; i < nr; i++)
		unuse(files, maps[i].file);
	pthread_mutex_unlock(&files->lock);
}

void xp_rule_files_look(struct rule_files *files)
{
	pthread_mutex_lock(&files->lock);
	for (uint32_t i = RULE_NO_FILE + 1; i < files->nr; i++) {
		const struct known_file *known = &files->known[i];

		if (known->maps && known->state == FILE_GAVE_WAY && is_worth_it(files, i))
			add_waiting(files, i);
	}
	pthread_mutex_unlock(&files->lock);
}

/* --- answers --- */

void xp_rule_files_wait(struct rule_files *files)
{
	pthread_mutex_lock(&files->lock);
	files->nr_awaiting++;
	pthread_cond_signal(&files->wake);
	while (files->nr_waiting || files->is_making)
		pthread_cond_wait(&files->made, &files->lock);
	files->nr_awaiting--;
	pthread_mutex_unlock(&files->lock);
}

uint64_t xp_rule_files_beyond(struct rule_files *files)
{
	pthread_mutex_lock(&files->lock);
	uint64_t nr = files->nr_beyond;
	pthread_mutex_unlock(&files->lock);
	return nr;
}

const char *xp_rule_files_name(struct rule_files *files, uint32_t number)
{
	pthread_mutex_lock(&files->lock);
	const struct xp_unwind_file *file = files->known[number].file;
	pthread_mutex_unlock(&files->lock);
	return file ? xp_unwind_file_name(file) : NULL;
}
