/* SPDX-License-Identifier: MIT */
/* A file: where it is, which frame sections describe its code, what they say. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/symtab.h>
#include <xperf/unwind.h>

#include "build-id.h"
#include "cleanup.h"
#include "unwind-impl.h"

int xp_unwind_file_elf(struct xp_unwind_file *file, struct xp_elf **ret_elf)
{
	if (file->code.image)
		return xp_elf_open_image(file->code.image, file->code.image_len, ret_elf);
	return file->code.fd >= 0 ? xp_elf_open_fd(file->code.fd, ret_elf) : -ENOENT;
}

static int state_of(int err)
{
	return err == -ENOSYS                     ? XP_SYMTAB_NO_LIBRARY
	       : err == -EMFILE || err == -ENFILE ? XP_SYMTAB_NO_DESCRIPTOR
						  : XP_SYMTAB_DAMAGED;
}

static void open_code(struct xp_unwind_file *file)
{
	const struct xp_symbol_file recorded = { .path = file->name,
						 .build_id = file->id.bytes,
						 .build_id_len = file->id.len,
						 .inode = file->inode,
						 .inode_generation = file->inode_generation };

	file->is_open = true;
	file->state = file->code.fd < 0 && !file->code.image
			      ? xp_symbols_open_code(file->unwind->symbols, &recorded, &file->code)
			      : XP_SYMTAB_FOUND;
	int err = file->state < 0                          ? file->state
		  : file->state == XP_SYMTAB_NO_DESCRIPTOR ? -EMFILE
							   : 0;
	/* The next time it is tried again. */
	if (unwind_note(file->unwind, err)) {
		file->is_open = false;
		file->state = state_of(err);
	}
}

static void open_file(struct xp_unwind_file *file)
{
	struct xp_elf *elf;

	open_code(file);
	if (file->state != XP_SYMTAB_FOUND || file->is_jit)
		return;
	int err = xp_unwind_file_elf(file, &elf);
	if (!err) {
		file->machine = xp_machine_find(xp_elf_facts(elf).machine);
		int nr = xp_elf_segments(elf, &file->segments);
		file->nr_segments = nr > 0 ? (size_t)nr : 0;
		err = nr < 0 ? nr : 0;
		xp_elf_close(elf);
	}
	if (err)
		file->state = state_of(err);
	if (unwind_note(file->unwind, err))
		file->is_open = false;
}

bool xp_unwind_file_is_open(struct xp_unwind_file *file, const struct machine *machine)
{
	if (!file->is_open)
		open_file(file);
	return file->state == XP_SYMTAB_FOUND && file->machine == machine;
}

/* Reads a frame section. Returns 0, -ENODATA, others: it cannot be read. */
static int open_source(struct xp_unwind_file *file, int source, struct xp_elf *elf)
{
	struct frame_source *to = &file->rules.sources[source];
	int err = source == SOURCE_EH ? xp_cfi_image_eh(elf, &to->image)
				      : xp_cfi_image_debug(elf, &to->image);

	if (!err)
		err = xp_cfi_open(&to->image, &to->cfi);
	unwind_note(file->unwind, err);
	if (err) {
		free(to->image.bytes);
		*to = (struct frame_source){ 0 };
		return err;
	}
	xp_unwind_file_account(file, to->image.len);
	return 0;
}

static void load_jit(struct xp_unwind_file *file)
{
	if (file->state == XP_SYMTAB_FOUND && !file->jit)
		xp_jit_read(file);
}

void xp_unwind_file_load(struct xp_unwind_file *file)
{
	struct xp_elf *elf;

	if (!file->is_open)
		open_file(file);
	if (file->is_jit) {
		load_jit(file);
		return;
	}
	if (file->is_loaded || file->state != XP_SYMTAB_FOUND || !file->machine)
		return;
	unsigned int since = file->unwind->nr_shortages;
	file->is_loaded = true;
	int err = xp_unwind_file_elf(file, &elf);
	if (err) {
		file->is_loaded = !unwind_note(file->unwind, err);
		return;
	}
	xp_eh_table_find(elf, &file->rules.table);
	err = open_source(file, SOURCE_EH, elf);
	if (err != -ENOSYS)
		open_source(file, SOURCE_DEBUG, elf);
	else
		file->state = XP_SYMTAB_NO_LIBRARY;
	xp_elf_close(elf);
	if (file->unwind->nr_shortages != since)
		xp_unwind_file_unload(file);
}

void xp_unwind_file_unload(struct xp_unwind_file *file)
{
	struct file_rules *rules = &file->rules;

	for (size_t i = 0; i < NR_SOURCES; i++) {
		xp_cfi_close(rules->sources[i].cfi);
		free(rules->sources[i].image.bytes);
	}
	for (size_t i = 0; i < rules->nr_pages; i++)
		free(rules->pages[i].rows);
	free(rules->pages);
	free(rules->rules);
	free(rules->functions);
	free(rules->go.bytes);
	index_fini(&rules->by_number);
	index_fini(&rules->by_rule);
	atomic_fetch_sub(&file->unwind->memory, rules->bytes);
	*rules = (struct file_rules){ 0 };
	file->is_loaded = false;
	xp_jit_free(file);
}

void xp_unwind_file_close(struct xp_unwind_file *file)
{
	if (file->code.fd >= 0)
		close(file->code.fd);
	file->code.fd = -1;
}

void xp_unwind_file_open_again(struct xp_unwind_file *file)
{
	if (file->state != XP_SYMTAB_FOUND || file->code.fd >= 0 || file->code.image)
		return;
	free(file->segments);
	file->segments = NULL;
	file->nr_segments = 0;
	open_file(file);
}

static int use_separate(struct xp_elf *elf, void *data)
{
	struct xp_unwind_file *file = data;

	if (xp_machine_find(xp_elf_facts(elf).machine) != file->machine)
		return -ENODATA;
	return open_source(file, SOURCE_SEPARATE, elf);
}

/* Servers are asked only of files that say nothing themselves. */
static void search_separate(struct xp_unwind_file *file)
{
	const struct frame_source *sources = file->rules.sources;
	bool with_servers = !sources[SOURCE_EH].cfi && !sources[SOURCE_DEBUG].cfi;
	struct xp_build_id id = file->id;
	struct xp_elf *elf;

	int err = xp_unwind_file_elf(file, &elf);
	file->rules.is_searched = !unwind_note(file->unwind, err);
	if (err)
		return;
	if (!id.len && file->code.fd >= 0 && xp_build_id_of_fd(file->code.fd, &id))
		id.len = 0;
	err = xp_symbols_search_debug(file->unwind->symbols, file->name, &id, elf, with_servers,
				      use_separate, file);
	file->rules.is_searched = !unwind_note(file->unwind, err);
	xp_elf_close(elf);
}

int xp_unwind_file_look_up(struct xp_unwind_file *file, uint64_t address, struct cfi_row *ret_row)
{
	const struct machine *machine = file->machine;
	int err = -ENOENT;

	if (file->is_jit)
		return xp_jit_look_up(file, address, ret_row);
	for (int i = 0; i < NR_SOURCES && err == -ENOENT; i++) {
		if (i == SOURCE_SEPARATE && !file->rules.is_searched)
			search_separate(file);
		if (file->rules.sources[i].cfi)
			err = xp_cfi_find(file->rules.sources[i].cfi, address, machine->saved,
					  machine->nr_saved, ret_row);
	}
	return err;
}

/* Parts of two segments may be in one page of the file, which is mapped whole. */
uint64_t xp_unwind_file_address(const struct xp_unwind_file *file, uint64_t offset)
{
	enum { PAGE = 4096 };
	const struct xp_elf_segment *near = NULL;

	for (size_t i = 0; i < file->nr_segments; i++) {
		const struct xp_elf_segment *segment = &file->segments[i];

		if (offset + PAGE < segment->offset ||
		    offset >= segment->offset + segment->len + PAGE)
			continue;
		bool is_in = offset >= segment->offset && offset - segment->offset < segment->len;
		if (is_in && segment->is_executable)
			return segment->address + (offset - segment->offset);
		if (!near || segment->is_executable || is_in)
			near = segment;
	}
	return near ? near->address + (offset - near->offset) : offset;
}

size_t xp_unwind_file_bytes(struct xp_unwind_file *file, uint64_t offset, void *buf, size_t len)
{
	const struct xp_code_file *code = &file->code;

	if (code->image && offset < code->image_len) {
		len = len < code->image_len - offset ? len : code->image_len - offset;
		memcpy(buf, (const char *)code->image + offset, len);
		return len;
	}
	ssize_t got =
		code->fd >= 0 && offset <= INT64_MAX ? pread(code->fd, buf, len, (off_t)offset) : 0;
	return got < 0 ? 0 : (size_t)got;
}

size_t xp_unwind_file_read(struct xp_unwind_file *file, uint64_t offset, void *buf, size_t len)
{
	if (file->is_jit) {
		size_t there = xp_jit_code_len(file, offset);

		len = len < there ? len : there;
	}
	return xp_unwind_file_bytes(file, offset, buf, len);
}

size_t xp_unwind_file_copy(struct xp_unwind_file *file, uint64_t offset, void *buf, size_t len)
{
	pthread_mutex_lock(&file->lock);
	if (!file->is_open)
		open_file(file);
	size_t got = xp_unwind_file_read(file, offset, buf, len);
	pthread_mutex_unlock(&file->lock);
	return got;
}

const char *xp_unwind_file_name(const struct xp_unwind_file *file)
{
	return file->name;
}

bool xp_unwind_file_is_made(struct xp_unwind_file *file)
{
	static const char dotnet[] = "/memfd:doublemapper";

	if (!file || file->is_jit || !strncmp(file->name, dotnet, sizeof(dotnet) - 1))
		return true;
	pthread_mutex_lock(&file->lock);
	bool is_no_file = file->is_open && file->state == XP_SYMTAB_NOT_A_FILE;
	pthread_mutex_unlock(&file->lock);
	return is_no_file;
}

bool xp_unwind_file_is_first(struct xp_unwind_file *file, const struct machine *machine,
			     uint64_t offset, bool is_return)
{
	struct function function;

	pthread_mutex_lock(&file->lock);
	bool is_first = !file->is_jit && xp_unwind_file_is_open(file, machine) &&
			xp_function_find(file, xp_unwind_file_address(file, offset), &function) &&
			function.is_first && (is_return || !function.is_clone);
	pthread_mutex_unlock(&file->lock);
	return is_first;
}

enum xp_unwind_end xp_unwind_file_end(struct xp_unwind_file *file)
{
	pthread_mutex_lock(&file->lock);
	int state = file->state;
	pthread_mutex_unlock(&file->lock);
	if (state == XP_SYMTAB_NO_LIBRARY)
		return XP_UNWIND_NO_LIBRARY;
	return state == XP_SYMTAB_FOUND || state == XP_SYMTAB_NOT_A_FILE ? XP_UNWIND_NO_INFO
									 : XP_UNWIND_NO_FILE;
}

const char *xp_unwind_file_reason(struct xp_unwind_file *file)
{
	static const char *const reasons[] = {
		[XP_SYMTAB_FOUND] =
			"no call frame information (.eh_frame, .debug_frame), and no debug "
			"file was found",
		[XP_SYMTAB_NO_FILE] = "the file does not exist",
		[XP_SYMTAB_OTHER_FILE] = "the file's build id differs from the recorded one",
		[XP_SYMTAB_FORBIDDEN] = "no permission to read the file",
		[XP_SYMTAB_DAMAGED] = "the file is damaged, or not an ELF file",
		[XP_SYMTAB_NOT_A_FILE] = "this is not a file",
		[XP_SYMTAB_NO_LIBRARY] = "libdw is not installed",
		[XP_SYMTAB_UNCERTAIN] =
			"no build id was recorded, and the running kernel may be another one",
		[XP_SYMTAB_REPLACED] = "the file was replaced after it had been mapped",
		[XP_SYMTAB_NO_DESCRIPTOR] = "too many files are open",
	};
	const char *reason = "";

	pthread_mutex_lock(&file->lock);
	bool has_rules = (!file->is_open && file->state != XP_SYMTAB_NO_DESCRIPTOR) ||
			 (file->is_jit && file->state == XP_SYMTAB_FOUND);
	for (size_t i = 0; i < NR_SOURCES; i++)
		has_rules = has_rules || file->rules.sources[i].cfi;
	if (!has_rules && (size_t)file->state < XP_ARRAY_LEN(reasons) && reasons[file->state])
		reason = reasons[file->state];
	pthread_mutex_unlock(&file->lock);
	return reason;
}
