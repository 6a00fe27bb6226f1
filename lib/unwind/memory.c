/* SPDX-License-Identifier: MIT */
/* What an unwinder sees of an address space: maps, and memory. */
#include <string.h>

#include "walk-impl.h"

static struct known_map *slot_of(const struct xp_unwinder *unwinder, uint64_t page)
{
	return &unwinder->maps[xp_hash_word(unwinder->space | 1, page) & (MAPS - 1)];
}

bool xp_unwinder_map(struct xp_unwinder *unwinder, uint64_t address, struct xp_unwind_map *ret_map)
{
	enum { PAGE_SHIFT = 12 };
	uint64_t page = address >> PAGE_SHIFT;
	struct known_map *slot = slot_of(unwinder, page);
	struct xp_unwind_map map = { .start = 0 };

	if (unwinder->space && slot->space == unwinder->space && slot->page == page &&
	    address >= slot->map.start && address < slot->map.end) {
		*ret_map = slot->map;
		return true;
	}
	int found = unwinder->calls.map(unwinder->calls.data, address, &map);
	if (found < 0)
		unwinder->err = found;
	if (found <= 0 || address < map.start || address >= map.end)
		return false;
	*slot = (struct known_map){ unwinder->space, page, map };
	*ret_map = map;
	return true;
}

/* Of the file that is mapped there. */
static size_t read_file(struct xp_unwinder *unwinder, uint64_t address, void *buf, size_t len)
{
	struct xp_unwind_map map;

	if (!xp_unwinder_map(unwinder, address, &map) || !map.file)
		return 0;
	if (len > map.end - address)
		len = (size_t)(map.end - address);
	return xp_unwind_file_copy(map.file, map.offset + (address - map.start), buf, len);
}

bool xp_unwinder_read(struct xp_unwinder *unwinder, uint64_t address, void *buf, size_t len)
{
	uint64_t at = address - unwinder->stack_address;

	if (at < unwinder->stack_len && len <= unwinder->stack_len - at) {
		memcpy(buf, unwinder->stack + at, len);
		return true;
	}
	const struct xp_unwind_calls *calls = &unwinder->calls;
	return (calls->read && calls->read(calls->data, address, buf, len) == len) ||
	       read_file(unwinder, address, buf, len) == len;
}
