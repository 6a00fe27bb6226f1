/* SPDX-License-Identifier: MIT */
/* A dump of code that was made, as a file of an unwinder: read when it grows, looked up by offset,
 * and one description open at a time. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xperf/symtab.h>
#include <xperf/unwind.h>

#include "jit-file.h"
#include "jit.h"
#include "unwind-impl.h"

/* --- reading --- */

static size_t read_bytes(void *data, uint64_t offset, void *buf, size_t len)
{
	return xp_unwind_file_bytes(data, offset, buf, len);
}

static uint64_t file_len(const struct xp_unwind_file *file)
{
	struct stat st;

	if (file->code.image)
		return file->code.image_len;
	return file->code.fd >= 0 && !fstat(file->code.fd, &st) && st.st_size > 0
		       ? (uint64_t)st.st_size
		       : 0;
}

/* A file in which nothing can be found has no machine. */
void xp_jit_read(struct xp_unwind_file *file)
{
	struct jit *jit = file->jit ? file->jit : calloc(1, sizeof(*jit));

	file->jit = jit;
	if (!jit || jit->is_damaged)
		return;
	uint64_t len = file_len(file), before = jit->code.bytes;
	if (jit->code.has_header && len <= jit->len)
		return;
	jit->len = len;
	int err = xp_jit_code_read(&jit->code, len, read_bytes, file);
	jit->is_damaged = err == -ENOEXEC;
	if (jit->code.has_header)
		file->machine = xp_machine_find((int)jit->code.header.machine);
	xp_unwind_file_account(file, jit->code.bytes - before);
}

void xp_jit_free(struct xp_unwind_file *file)
{
	if (file->jit)
		xp_jit_code_fini(&file->jit->code);
	free(file->jit);
	file->jit = NULL;
}

size_t xp_jit_code_len(const struct xp_unwind_file *file, uint64_t offset)
{
	const struct jit_function *function =
		file->jit ? xp_jit_function_at(&file->jit->code, offset) : NULL;

	return function ? (size_t)(function->code_at + function->len - offset) : 0;
}

/* --- descriptions --- */

static void close_frames(struct xp_unwind_file *file)
{
	struct frame_source *source = &file->rules.sources[SOURCE_EH];
	uint64_t bytes = source->image.len;

	xp_cfi_close(source->cfi);
	free(source->image.bytes);
	*source = (struct frame_source){ 0 };
	file->rules.bytes -= bytes;
	atomic_fetch_sub(&file->unwind->memory, bytes);
}

static int make_image(struct xp_unwind_file *file, const struct jit_frames *frames,
		      struct cfi_image *ret_image)
{
	void *bytes = malloc(frames->len);

	if (!bytes)
		return -ENOMEM;
	int err = xp_unwind_file_bytes(file, frames->at, bytes, frames->len) == frames->len
			  ? xp_cfi_image_made(bytes, frames->len, frames->address, file->machine,
					      ret_image)
			  : -ENOENT;
	free(bytes);
	return err;
}

static int open_frames(struct xp_unwind_file *file, const struct jit_frames *frames)
{
	struct frame_source *source = &file->rules.sources[SOURCE_EH];
	struct jit *jit = file->jit;

	if (source->cfi && jit->open_at == frames->at && jit->open_address == frames->address)
		return 0;
	close_frames(file);
	int err = make_image(file, frames, &source->image);
	if (!err)
		err = xp_cfi_open(&source->image, &source->cfi);
	if (err) {
		free(source->image.bytes);
		*source = (struct frame_source){ 0 };
		if (err == -ENOSYS)
			file->state = XP_SYMTAB_NO_LIBRARY;
		return err == -ENOMEM ? err : -ENOENT;
	}
	jit->open_at = frames->at;
	jit->open_address = frames->address;
	xp_unwind_file_account(file, source->image.len);
	return 0;
}

int xp_jit_look_up(struct xp_unwind_file *file, uint64_t offset, struct cfi_row *ret_row)
{
	const struct jit_function *function =
		file->jit ? xp_jit_function_at(&file->jit->code, offset) : NULL;
	const struct machine *machine = file->machine;

	if (!function)
		return -ENOENT;
	uint64_t address = function->address + (offset - function->code_at);
	int err = open_frames(file, &function->frames)
			  ?: xp_cfi_find(file->rules.sources[SOURCE_EH].cfi, address,
					 machine->saved, machine->nr_saved, ret_row);
	if (err)
		return err;
	/* From addresses to offsets; it can hold for more than this function. */
	uint64_t before = address - ret_row->start, after = ret_row->end - address;
	uint64_t first = function->code_at, end = first + function->len;
	ret_row->start = before < offset - first ? offset - before : first;
	ret_row->end = after < end - offset ? offset + after : end;
	return 0;
}

/* --- times --- */

/* Adds to a time of which 0 and the last one have a meaning of their own. */
static uint64_t shifted(uint64_t time_ns, int64_t by)
{
	uint64_t sum = time_ns + (uint64_t)by;

	if (!time_ns || time_ns == UINT64_MAX)
		return time_ns;
	if (by < 0)
		return sum > time_ns ? 0 : sum;
	return sum < time_ns ? UINT64_MAX - 1 : sum;
}

/* Whether the header's time is one of the records' clock: V8 and CPython have microseconds of
 * another one there (node 20, Python 3.13, measured). */
static bool has_time(const struct jit_code *code)
{
	const uint64_t most_ns = UINT64_C(600) * 1000000000;

	return code->has_records && code->header.time_ns <= code->first_ns &&
	       code->first_ns - code->header.time_ns <= most_ns;
}

/* From times of samples to those of the dump. Returns false: they have nothing to do with each
 * other. */
static bool find_shift(const struct xp_unwind_file *file, int64_t *ret_shift)
{
	const struct jit_code *code = &file->jit->code;

	*ret_shift = 0;
	if (code->header.has_own_clock)
		return false;
	if (file->jit_clock.is_monotonic)
		return true;
	*ret_shift = (int64_t)(code->header.time_ns - file->jit_clock.mapped_ns);
	return file->jit_clock.mapped_ns && has_time(code);
}

/* --- what others ask --- */

static void set_map(struct xp_unwind_file *file, const struct jit_place *place,
		    struct xp_unwind_map *ret_map)
{
	*ret_map = (struct xp_unwind_map){
		.start = place->start,
		.end = place->end,
		.offset = file->jit->code.functions[place->function].code_at,
		.file = file,
		.is_executable = true,
	};
}

static bool find(struct xp_unwind_file *file, uint64_t address, uint64_t time_ns,
		 struct xp_unwind_map *ret_map, uint64_t ret_span[2])
{
	const struct jit_code *code = file->jit ? &file->jit->code : NULL;
	const struct jit_place *place;
	int64_t shift;

	ret_span[0] = 0;
	ret_span[1] = UINT64_MAX;
	if (!code || !code->nr_functions)
		return false;
	if (find_shift(file, &shift)) {
		place = xp_jit_place_at(code, address, shifted(time_ns, shift), ret_span);
		ret_span[0] = shifted(ret_span[0], -shift);
		ret_span[1] = shifted(ret_span[1], -shift);
	} else {
		place = xp_jit_place_always(code, address);
	}
	if (!place || place->function == UINT32_MAX)
		return false;
	set_map(file, place, ret_map);
	return true;
}

bool xp_jit_find(struct xp_unwind_file *file, uint64_t address, uint64_t time_ns,
		 struct xp_unwind_map *ret_map, uint64_t ret_span[2])
{
	pthread_mutex_lock(&file->lock);
	xp_unwind_file_load(file);
	bool is_found = find(file, address, time_ns, ret_map, ret_span);
	pthread_mutex_unlock(&file->lock);
	return is_found;
}

bool xp_jit_refresh(struct xp_unwind_file *file, uint64_t *ret_latest_ns)
{
	int64_t shift;

	pthread_mutex_lock(&file->lock);
	size_t nr = file->jit ? file->jit->code.nr_places : 0;
	xp_unwind_file_load(file);
	if (file->jit)
		xp_jit_read(file);
	bool is_other = file->jit && file->jit->code.nr_places != nr;
	if (is_other)
		*ret_latest_ns = find_shift(file, &shift)
					 ? shifted(file->jit->code.latest_ns, -shift)
					 : XP_NO_TIME;
	pthread_mutex_unlock(&file->lock);
	return is_other;
}

void xp_jit_retire(struct xp_unwind_file *file)
{
	pthread_mutex_lock(&file->lock);
	xp_unwind_file_unload(file);
	xp_unwind_file_close(file);
	file->is_open = true;
	file->state = XP_SYMTAB_NO_FILE;
	pthread_mutex_unlock(&file->lock);
}
