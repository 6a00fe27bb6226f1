/* SPDX-License-Identifier: MIT */
#include "image.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "abbrev.h"

enum { PAGE = 4096, BITS = 64, AT_FIRST = 65536 };

static const char *const names[DWARF_NR_SECTIONS] = {
	[DWARF_INFO] = "info",         [DWARF_ABBREV] = "abbrev",
	[DWARF_LINE] = "line",         [DWARF_STR] = "str",
	[DWARF_LINE_STR] = "line_str", [DWARF_STR_OFFSETS] = "str_offsets",
	[DWARF_ADDR] = "addr",         [DWARF_RANGES] = "ranges",
	[DWARF_RNGLISTS] = "rnglists", [DWARF_CU_INDEX] = "cu_index",
};
static const char *const split_names[DWARF_NR_SECTIONS] = {
	[DWARF_INFO] = "info.dwo",
	[DWARF_ABBREV] = "abbrev.dwo",
	[DWARF_LINE] = "line.dwo",
	[DWARF_STR] = "str.dwo",
	[DWARF_STR_OFFSETS] = "str_offsets.dwo",
	[DWARF_RNGLISTS] = "rnglists.dwo",
	[DWARF_CU_INDEX] = "cu_index",
};

int xp_dwarf_image_open(const char *path, bool is_split, struct image *ret_image)
{
	struct image image = { .is_split = is_split };
	int err = xp_elf_open(path, &image.elf, NULL);

	if (err)
		return err;
	image.is_swapped =
		xp_elf_facts(image.elf).is_big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	image.left = AT_FIRST;
	*ret_image = image;
	return 0;
}

void xp_dwarf_image_close(struct image *image)
{
	for (size_t i = 0; i < DWARF_NR_SECTIONS; i++) {
		struct dwarf_content *content = &image->contents[i];

		if (content->present)
			munmap((void *)content->bytes, content->len);
		free(content->present);
	}
	for (size_t i = 0; i < image->nr_abbrevs; i++)
		xp_abbrevs_free(image->abbrevs[i]);
	free(image->abbrevs);
	free(image->units);
	xp_elf_close(image->elf);
	*image = (struct image){ 0 };
}

/* Room for the pages of a section, none of which is read yet. */
static int plan_pages(struct dwarf_content *content, const struct xp_elf_debug *debug)
{
	size_t nr_pages = (debug->len + PAGE - 1) / PAGE;
	uint64_t *present = calloc(nr_pages / BITS + 1, sizeof(*present));
	void *bytes = mmap(NULL, debug->len, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (!present || bytes == MAP_FAILED) {
		free(present);
		if (bytes != MAP_FAILED)
			munmap(bytes, debug->len);
		return -ENOMEM;
	}
	content->bytes = bytes;
	content->len = debug->len;
	content->present = present;
	content->offset = debug->offset;
	return 0;
}

static struct dwarf_content *content_of(struct image *image, enum dwarf_section section)
{
	struct dwarf_content *content = &image->contents[section];
	const char *name = (image->is_split ? split_names : names)[section];
	struct xp_elf_debug debug;
	int err = 0;

	if (content->is_asked)
		return content;
	if (name)
		err = xp_elf_debug_section(image->elf, name, &debug);
	content->is_asked = !xp_is_shortage(err);
	image_note(image, err);
	if (!name || err || !debug.len)
		return content;
	if (debug.bytes) {
		content->bytes = debug.bytes;
		content->len = debug.len;
	} else {
		err = plan_pages(content, &debug);
		content->is_asked = !err;
		image_note(image, err);
	}
	image->left += content->len;
	return content;
}

size_t xp_dwarf_section_len(struct image *image, enum dwarf_section section)
{
	return content_of(image, section)->len;
}

static bool is_present(const struct dwarf_content *content, size_t page)
{
	return content->present[page / BITS] >> (page % BITS) & 1;
}

/* Reads the pages that are not here yet, those in one row at once. */
static void read_pages(const struct image *image, struct dwarf_content *content, size_t first,
		       size_t last)
{
	for (size_t page = first, end; page <= last; page = end) {
		for (end = page; end <= last && !is_present(content, end); end++)
			content->present[end / BITS] |= UINT64_C(1) << (end % BITS);
		if (end == page) {
			end++;
			continue;
		}
		size_t at = page * PAGE;
		size_t len = end * PAGE < content->len ? (end - page) * PAGE : content->len - at;

		/* What the file has lost is zeros. */
		xp_elf_read(image->elf, content->offset + at, (char *)content->bytes + at, len);
	}
}

bool xp_dwarf_read(struct image *image, enum dwarf_section section, uint64_t offset, uint64_t len,
		   struct cursor *ret_cursor)
{
	struct dwarf_content *content = content_of(image, section);

	if (offset >= content->len || !len)
		return false;
	if (len > content->len - offset)
		len = content->len - offset;
	if (content->present)
		read_pages(image, content, offset / PAGE, (offset + len - 1) / PAGE);
	*ret_cursor = (struct cursor){ .at = content->bytes + offset,
				       .end = content->bytes + offset + len,
				       .is_swapped = image->is_swapped };
	return true;
}

const char *xp_dwarf_text(struct image *image, enum dwarf_section section, uint64_t offset)
{
	struct cursor c;

	/* Most end in the page they begin in. */
	for (uint64_t len = PAGE - offset % PAGE; xp_dwarf_read(image, section, offset, len, &c);
	     len *= 2) {
		bool is_all = cursor_left(&c) < len;
		const char *text = cursor_text(&c);

		if (text || is_all || len > UINT32_MAX)
			return text;
	}
	return NULL;
}
