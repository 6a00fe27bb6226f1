/* SPDX-License-Identifier: MIT */
/*
 * Zeros after each section of debug information. libdw (0.188) follows strings up to the zero that
 * ends them, also past the end of a section that is cut inside a string.
 *
 * A section is read with some bytes of what follows it in the file, which are then cleared; so
 * there is only one copy of it in memory. A packed section, and one at the end of the file, is
 * copied.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libdw-file.h"
#include "vec.h"

enum { PADDING = 16 };

/* Returns false if it cannot be read so; libdw will read it then. */
static bool read_padded(const struct libdw *lib, Elf_Scn *section, const GElf_Shdr *header)
{
	GElf_Shdr longer = *header;

	longer.sh_size += PADDING;
	lib->gelf_update_shdr(section, &longer);
	Elf_Data *data = lib->elf_rawdata(section, NULL);
	bool is_read = data && data->d_buf && data->d_size == longer.sh_size;
	if (is_read) {
		data->d_size -= PADDING;
		memset((char *)data->d_buf + data->d_size, 0, PADDING);
	}
	longer.sh_size = header->sh_size;
	lib->gelf_update_shdr(section, &longer);
	return is_read;
}

static int plan_copy(struct debug_file *file, Elf_Scn *section)
{
	if (vec_add(&file->copies, (size_t)file->nr_copies, sizeof(*file->copies)))
		return -ENOMEM;
	file->copies[file->nr_copies++] = (struct debug_copy){ .section = section };
	return 0;
}

int xp_debug_file_read_padded(const struct libdw *lib, struct debug_file *file)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;
	int err = 0;

	if (lib->elf_getshdrstrndx(file->elf, &names))
		return 0;
	while (!err && (section = lib->elf_nextscn(file->elf, section))) {
		const char *name = NULL;

		if (lib->gelf_getshdr(section, &header) && header.sh_type != SHT_NOBITS)
			name = lib->elf_strptr(file->elf, names, header.sh_name);
		if (!name || !strstr(name, "debug_"))
			continue;
		bool is_packed = header.sh_flags & SHF_COMPRESSED || !strncmp(name, ".z", 2);
		if (is_packed || !read_padded(lib, section, &header))
			err = plan_copy(file, section);
	}
	return err;
}

int xp_debug_file_copy_padded(const struct libdw *lib, struct debug_file *file)
{
	for (size_t i = 0; i < file->nr_copies; i++) {
		struct debug_copy *copy = &file->copies[i];
		Elf_Data *data = lib->elf_rawdata(copy->section, NULL);

		if (!data || !data->d_buf)
			continue;
		copy->bytes = calloc(1, data->d_size + PADDING);
		if (!copy->bytes)
			return -ENOMEM;
		data->d_buf = memcpy(copy->bytes, data->d_buf, data->d_size);
	}
	return 0;
}
