/* SPDX-License-Identifier: MIT */
/*
 * .gnu_debuglink: a name, NULs up to a multiple of 4, the CRC of the file it names. Source: GDB's
 * manual, "Debugging Information in Separate Files"; the polynomial is that of ISO 3309.
 */
#include "debuglink.h"

#include <string.h>
#include <unistd.h>

#include "build-id.h"
#include "cleanup.h"

enum { PIECE = 1 << 16 };

bool xp_debuglink_of(struct xp_elf *elf, struct debuglink *ret_link)
{
	struct xp_elf_section section;

	if (xp_elf_section(elf, ".gnu_debuglink", &section) || !section.bytes ||
	    !memchr(section.bytes, '\0', section.len))
		return false;
	struct debuglink link = { .name = (const char *)section.bytes };
	size_t at = (strlen(link.name) + 4) / 4 * 4;
	link.has_checksum = section.len >= at + sizeof(link.checksum);
	for (size_t i = 0; link.has_checksum && i < sizeof(link.checksum); i++)
		link.checksum |= (uint32_t)section.bytes[at + i]
				 << 8 * (xp_elf_facts(elf).is_big_endian ? 3 - i : i);
	*ret_link = link;
	return true;
}

static void make_table(uint32_t table[256])
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t crc = byte;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
		table[byte] = crc;
	}
}

bool xp_debuglink_fits(const struct debuglink *link, const char *path)
{
	uint32_t table[256], crc = UINT32_MAX;
	unsigned char bytes[PIECE];
	int fd = link->has_checksum ? xp_build_id_open(path) : -1;
	ssize_t n = -1;

	if (fd < 0)
		return false;
	make_table(table);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < n; i++)
			crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 255];
	close(fd);
	return !n && ~crc == link->checksum;
}
