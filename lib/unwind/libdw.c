/* SPDX-License-Identifier: MIT */
/*
 * Call frame information through libdw, which is loaded when the first file is read and not linked.
 * It is given an image with nothing but frame sections, so that it reads no file, and nothing else
 * of one, and descriptions are checked before it executes them.
 *
 * Source: libdw.h, dwarf_cfi_addrframe() and what follows it.
 */
#include <dlfcn.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>

#include "cfi-image.h"
#include "cfi.h"
#include "cleanup.h"
#include "libdw-check.h"
#include "loaded.h"
#include "vec.h"

/* The functions used, by the types the header gives them. */
struct libdw {
	void *handle;
	__typeof__(elf_version) *version;
	__typeof__(elf_memory) *memory;
	__typeof__(elf_end) *elf_end;
	__typeof__(elf_getscn) *section;
	__typeof__(elf_getdata) *data;
	__typeof__(dwarf_begin_elf) *begin;
	__typeof__(dwarf_end) *end;
	__typeof__(dwarf_getcfi) *getcfi;
	__typeof__(dwarf_getcfi_elf) *getcfi_elf;
	__typeof__(dwarf_cfi_end) *cfi_end;
	__typeof__(dwarf_next_cfi) *next;
	__typeof__(dwarf_cfi_addrframe) *addrframe;
	__typeof__(dwarf_frame_info) *info;
	__typeof__(dwarf_frame_cfa) *cfa;
	__typeof__(dwarf_frame_register) *reg;
};

static const struct loaded_function functions[] = {
	{ "elf_version", offsetof(struct libdw, version) },
	{ "elf_memory", offsetof(struct libdw, memory) },
	{ "elf_end", offsetof(struct libdw, elf_end) },
	{ "elf_getscn", offsetof(struct libdw, section) },
	{ "elf_getdata", offsetof(struct libdw, data) },
	{ "dwarf_begin_elf", offsetof(struct libdw, begin) },
	{ "dwarf_end", offsetof(struct libdw, end) },
	{ "dwarf_getcfi", offsetof(struct libdw, getcfi) },
	{ "dwarf_getcfi_elf", offsetof(struct libdw, getcfi_elf) },
	{ "dwarf_cfi_end", offsetof(struct libdw, cfi_end) },
	{ "dwarf_next_cfi", offsetof(struct libdw, next) },
	{ "dwarf_cfi_addrframe", offsetof(struct libdw, addrframe) },
	{ "dwarf_frame_info", offsetof(struct libdw, info) },
	{ "dwarf_frame_cfa", offsetof(struct libdw, cfa) },
	{ "dwarf_frame_register", offsetof(struct libdw, reg) },
};

/*
 * @own:   of .eh_frame; what is of .debug_frame belongs to @dwarf
 * @table: libdw uses it; without entries: it reads one description after the other, all of which
 *         are checked before the first one is searched
 */
struct xp_cfi {
	struct libdw lib;
	Elf *elf;
	Dwarf *dwarf;
	Dwarf_CFI *cfi, *own;
	struct eh_table table;
	const unsigned char *table_bytes;
	struct cfi_check check;
	enum { NOT_CHECKED, CAN_BE_READ, REFUSED } state;
};

/* Of the frames as libdw has unpacked them. */
static bool begin_check(struct xp_cfi *cfi, const struct cfi_image *image)
{
	const struct libdw *lib = &cfi->lib;
	Elf_Scn *section = lib->section(cfi->elf, image->nr_sections);

	cfi->table = image->table;
	cfi->table_bytes = image->first;
	cfi->check = (struct cfi_check){ .next = lib->next,
					 .ident = image->bytes,
					 .data = section ? lib->data(section, NULL) : NULL,
					 .address = image->address,
					 .is_eh = image->is_eh,
					 .cie = UINT64_MAX,
					 .fde = UINT64_MAX };
	return cfi->check.data && cfi->check.data->d_buf;
}

static int begin(struct xp_cfi *cfi, const struct cfi_image *image)
{
	struct libdw *lib = &cfi->lib;

	lib->handle =
		library_load("libdw.so.1", RTLD_NODELETE, functions, XP_ARRAY_LEN(functions), lib);
	if (!lib->handle || lib->version(EV_CURRENT) == EV_NONE)
		return -ENOSYS;
	cfi->elf = lib->memory(image->bytes, image->len);
	if (cfi->elf && image->is_eh)
		cfi->cfi = cfi->own = lib->getcfi_elf(cfi->elf);
	else if (cfi->elf && (cfi->dwarf = lib->begin(cfi->elf, DWARF_C_READ, NULL)))
		cfi->cfi = lib->getcfi(cfi->dwarf);
	return cfi->cfi && begin_check(cfi, image) ? 0 : -ENODATA;
}

int xp_cfi_open(const struct cfi_image *image, struct xp_cfi **ret_cfi)
{
	struct xp_cfi *cfi = calloc(1, sizeof(*cfi));

	if (!cfi)
		return -ENOMEM;
	int err = begin(cfi, image);
	if (err)
		xp_cfi_close(cfi);
	else
		*ret_cfi = cfi;
	return err;
}

void xp_cfi_close(struct xp_cfi *cfi)
{
	if (!cfi)
		return;
	if (cfi->own)
		cfi->lib.cfi_end(cfi->own);
	if (cfi->dwarf)
		cfi->lib.end(cfi->dwarf);
	if (cfi->elf)
		cfi->lib.elf_end(cfi->elf);
	if (cfi->lib.handle)
		dlclose(cfi->lib.handle);
	free(cfi);
}

/* Copies an expression. Returns false: there is no room for it. */
static bool add_ops(struct cfi_row *row, struct cfi_value *value, const Dwarf_Op *ops, size_t nr)
{
	if (nr > (size_t)(CFI_OPS - row->nr_ops))
		return false;
	value->kind = CFI_EXPRESSION;
	value->first = row->nr_ops;
	value->nr = (uint16_t)nr;
	for (size_t i = 0; i < nr; i++)
		row->ops[row->nr_ops++] = (struct cfi_op){
			.number = ops[i].number,
			.number2 = ops[i].number2,
			.offset = (uint32_t)ops[i].offset,
			.atom = ops[i].atom,
		};
	return true;
}

static void add_register(const struct xp_cfi *cfi, Dwarf_Frame *frame, int reg, struct cfi_row *row)
{
	Dwarf_Op room[3], *ops;
	struct cfi_value *value = &row->regs[reg];
	size_t nr;

	if (cfi->lib.reg(frame, reg, room, &ops, &nr))
		return;
	if (nr)
		add_ops(row, value, ops, nr);
	else
		value->kind = ops ? CFI_UNDEFINED : CFI_SAME;
}

static int read_frame(const struct xp_cfi *cfi, Dwarf_Frame *frame, const uint8_t *regs, size_t nr,
		      struct cfi_row *row)
{
	Dwarf_Addr start, end;
	Dwarf_Op *ops;
	size_t nr_ops;

	row->ra = cfi->lib.info(frame, &start, &end, &row->is_signal);
	row->start = start;
	row->end = end;
	if (row->ra < 0 || row->ra >= CFI_REGS)
		return -ENOENT;
	row->nr_ops = 0;
	row->cfa.kind = CFI_UNKNOWN;
	for (size_t i = 0; i < CFI_REGS; i++)
		row->regs[i].kind = CFI_UNKNOWN;
	if (!cfi->lib.cfa(frame, &ops, &nr_ops) && nr_ops)
		add_ops(row, &row->cfa, ops, nr_ops);
	for (size_t i = 0; i < nr; i++)
		add_register(cfi, frame, regs[i], row);
	if (row->regs[row->ra].kind == CFI_UNKNOWN)
		add_register(cfi, frame, row->ra, row);
	return 0;
}

static bool can_read_all(struct xp_cfi *cfi)
{
	if (cfi->state == NOT_CHECKED)
		cfi->state = xp_cfi_check_all(&cfi->check) ? CAN_BE_READ : REFUSED;
	return cfi->state == CAN_BE_READ;
}

static bool can_execute(struct xp_cfi *cfi, uint64_t address)
{
	return cfi->table.nr ? xp_cfi_check_one(
				       &cfi->check,
				       xp_eh_table_search(&cfi->table, cfi->table_bytes, address))
			     : can_read_all(cfi);
}

int xp_cfi_find(struct xp_cfi *cfi, uint64_t address, const uint8_t *regs, size_t nr,
		struct cfi_row *ret_row)
{
	Dwarf_Frame *frame;

	if (!can_execute(cfi, address) || cfi->lib.addrframe(cfi->cfi, address, &frame))
		return -ENOENT;
	int err = read_frame(cfi, frame, regs, nr, ret_row);
	free(frame);
	return err ? err : address < ret_row->end ? 0 : -ENOENT;
}

int xp_cfi_starts(struct xp_cfi *cfi, uint64_t **ret_starts, size_t *ret_nr)
{
	uint64_t *starts = NULL, offset = 0, start;
	size_t nr = 0;

	if (!can_read_all(cfi))
		return -ENODATA;
	while (xp_cfi_next_start(&cfi->check, &offset, &start)) {
		if (vec_add(&starts, nr, sizeof(*starts))) {
			free(starts);
			return -ENOMEM;
		}
		starts[nr++] = start;
	}
	*ret_starts = starts;
	*ret_nr = nr;
	return nr ? 0 : -ENODATA;
}
