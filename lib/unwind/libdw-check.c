/* SPDX-License-Identifier: MIT */
/*
 * Whether a frame section can be given to libdw: each description that it may execute is looked at
 * before, with the entry that it has in common with others. What compilers do not write is refused.
 *
 * Source: Linux Standard Base 5.0, 10.5 and 10.6; libdw.h, dwarf_next_cfi().
 */
#include "libdw-check.h"

#include <elf.h>
#include <string.h>

#include "cfi-program.h"

/* Encodings of pointers: the size is in the low bits, what it is relative to in others. */
enum { SIZE = 0x07, SIGNED = 0x08, BASE = 0x70, FROM_HERE = 0x10, MAX_BASE = 0x40, OMITTED = 0xff };
/* A common entry can be that of each function, and is looked at again then. */
enum { MAX_COMMON = 1024 };

static size_t word_bytes(const struct cfi_check *check)
{
	return check->ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
}

/* Bytes of a pointer; 0: of no fixed size. */
static size_t pointer_bytes(const struct cfi_check *check, uint8_t encoding)
{
	static const uint8_t sizes[SIZE + 1] = { [2] = 2, [3] = 4, [4] = 8 };

	if ((encoding & BASE) > MAX_BASE)
		return 0;
	return encoding & SIZE ? sizes[encoding & SIZE] : word_bytes(check);
}

/* Of what the letters of a common entry announce, how pointers are written. */
static bool read_augmentation(struct cfi_check *check, const Dwarf_CIE *cie)
{
	const uint8_t *at = cie->augmentation_data, *end = at + cie->augmentation_data_size;
	const char *letter = cie->augmentation;
	size_t bytes;

	check->address_bytes = word_bytes(check);
	check->encoding = 0;
	check->has_sizes = *letter == 'z';
	if (!*letter)
		return true;
	if (!check->has_sizes || end > cie->initial_instructions_end)
		return false;
	while (*++letter) {
		switch (*letter) {
		case 'S': /* a signal's handler */
		case 'B': /* another key of return addresses */
		case 'G': /* tagged stacks */
			continue;
		case 'R':
		case 'L':
		case 'P':
			break;
		default:
			return false;
		}
		if (at >= end)
			return false;
		bytes = *at == OMITTED && *letter != 'R' ? 0 : pointer_bytes(check, *at);
		if (!bytes && *at != OMITTED)
			return false;
		at++;
		if (*letter == 'R') {
			check->address_bytes = bytes;
			check->encoding = at[-1];
		}
		if (*letter == 'P' && bytes > (size_t)(end - at))
			return false;
		if (*letter == 'P')
			at += bytes;
	}
	return check->address_bytes;
}

/* libdw adds to an offset before it compares it. */
static bool entry_at(const struct cfi_check *check, uint64_t offset, Dwarf_CFI_Entry *entry)
{
	Dwarf_Off next = offset;

	return offset < check->data->d_size &&
	       !check->next(check->ident, check->data, check->is_eh, offset, &next, entry);
}

static bool check_cie(struct cfi_check *check, uint64_t offset)
{
	Dwarf_CFI_Entry entry;

	if (check->cie == offset)
		return check->is_cie_ok;
	check->cie = offset;
	check->is_cie_ok = false;
	if (!entry_at(check, offset, &entry) || !dwarf_cfi_cie_p(&entry) ||
	    !read_augmentation(check, &entry.cie))
		return false;
	const uint8_t *at = entry.cie.initial_instructions;
	const uint8_t *end = entry.cie.initial_instructions_end;
	check->is_cie_ok =
		end - at <= MAX_COMMON && xp_cfi_program_ok(at, end, check->address_bytes);
	return check->is_cie_ok;
}

static bool check_fde(struct cfi_check *check, const Dwarf_FDE *fde)
{
	const uint8_t *at = fde->start;
	uint64_t len;

	if (!check_cie(check, fde->CIE_pointer) ||
	    (size_t)(fde->end - at) < 2 * check->address_bytes)
		return false;
	at += 2 * check->address_bytes;
	if (check->has_sizes) {
		size_t bytes = xp_cfi_leb128(at, fde->end, &len);

		if (!bytes || len > (size_t)(fde->end - at) - bytes)
			return false;
		at += bytes + len;
	}
	return xp_cfi_program_ok(at, fde->end, check->address_bytes);
}

bool xp_cfi_check_one(struct cfi_check *check, uint64_t offset)
{
	Dwarf_CFI_Entry entry;

	if (check->fde == offset)
		return check->is_fde_ok;
	check->fde = offset;
	check->is_fde_ok = entry_at(check, offset, &entry) && !dwarf_cfi_cie_p(&entry) &&
			   check_fde(check, &entry.fde);
	return check->is_fde_ok;
}

/* libdw ends where it cannot go on, and leaves out single ones that it cannot read. */
bool xp_cfi_check_all(struct cfi_check *check)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next, offset = 0;
	int err;

	for (; offset < check->data->d_size; offset = next) {
		next = offset;
		err = check->next(check->ident, check->data, check->is_eh, offset, &next, &entry);
		if (err > 0 || next <= offset)
			break;
		if (err < 0)
			continue;
		if (dwarf_cfi_cie_p(&entry) ? !check_cie(check, offset)
					    : !check_fde(check, &entry.fde))
			return false;
	}
	return true;
}

/* --- where descriptions begin --- */

/* Returns false: it counts from something else than itself. */
static bool read_start(struct cfi_check *check, const Dwarf_FDE *fde, uint64_t *ret_start)
{
	const uint8_t *first = check->data->d_buf;
	unsigned int unused_bits = 64 - 8 * (unsigned int)check->address_bytes;
	uint64_t value = 0;

	memcpy(&value, fde->start, check->address_bytes);
	if (check->encoding & SIGNED)
		value = (uint64_t)((int64_t)(value << unused_bits) >> unused_bits);
	if ((check->encoding & BASE) == FROM_HERE)
		value += check->address + (uint64_t)(fde->start - first);
	*ret_start = value;
	return !(check->encoding & BASE) || (check->encoding & BASE) == FROM_HERE;
}

bool xp_cfi_next_start(struct cfi_check *check, uint64_t *offset, uint64_t *ret_start)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;
	int err;

	for (uint64_t at = *offset; at < check->data->d_size; at = next) {
		next = at;
		err = check->next(check->ident, check->data, check->is_eh, at, &next, &entry);
		if (err > 0 || next <= at)
			break;
		if (err || dwarf_cfi_cie_p(&entry) || !check_fde(check, &entry.fde) ||
		    !read_start(check, &entry.fde, ret_start))
			continue;
		*offset = next;
		return true;
	}
	return false;
}
