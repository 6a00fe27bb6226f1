/* SPDX-License-Identifier: MIT */
/* Source: dwz(1), --multifile and --relative; gdb's manual, "Debugging Information in Separate
 * Files". */
#include "alt.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "build-id.h"

/* What .gnu_debugaltlink holds. */
struct link {
	const char *name;
	const uint8_t *id;
	size_t id_len;
};

static bool find_link(const struct image *main, struct link *ret_link)
{
	enum { MIN_ID = 2, MAX_ID = 64 };
	struct xp_elf_section section;

	if (xp_elf_section(main->elf, ".gnu_debugaltlink", &section) || !section.bytes)
		return false;
	const uint8_t *end = memchr(section.bytes, '\0', section.len);
	if (!end)
		return false;
	*ret_link = (struct link){ .name = (const char *)section.bytes,
				   .id = end + 1,
				   .id_len = section.len - (size_t)(end + 1 - section.bytes) };
	return ret_link->id_len >= MIN_ID && ret_link->id_len <= MAX_ID;
}

static struct image *open_at(struct image *main, const char *path, const struct link *link)
{
	struct xp_build_id id;
	int err = xp_symbol_build_id(path, &id, NULL);

	image_note(main, err);
	if (err || id.len > link->id_len || memcmp(id.bytes, link->id, id.len) != 0)
		return NULL;
	struct image *image = malloc(sizeof(*image));
	err = image ? xp_dwarf_image_open(path, false, image) : -ENOMEM;
	if (!err)
		return image;
	image_note(main, err);
	free(image);
	return NULL;
}

struct image *xp_dwarf_alt_open(struct image *main, const char *path)
{
	char at[PATH_MAX], real[PATH_MAX];
	struct link link;

	if (!find_link(main, &link) || !realpath(path, real))
		return NULL;
	int len = snprintf(at, sizeof(at), "/usr/lib/debug/.build-id/%02x/", link.id[0]);
	for (size_t i = 1; i < link.id_len; i++)
		len += snprintf(at + len, sizeof(at) - (size_t)len, "%02x", link.id[i]);
	snprintf(at + len, sizeof(at) - (size_t)len, ".debug");
	struct image *image = open_at(main, at, &link);
	if (image)
		return image;
	int dir_len = *link.name == '/' ? 0 : (int)(strrchr(real, '/') + 1 - real);
	len = snprintf(at, sizeof(at), "%.*s%s", dir_len, real, link.name);
	return len < (int)sizeof(at) ? open_at(main, at, &link) : NULL;
}
