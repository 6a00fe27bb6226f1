/* SPDX-License-Identifier: MIT */
/* .gnu_debuglink: the name of a file with the symbols of another one, and its checksum. */
#ifndef SYMBOL_DEBUGLINK_H
#define SYMBOL_DEBUGLINK_H

#include "elf-file.h"

struct debuglink {
	const char *name; /* valid until the file is closed */
	uint32_t checksum;
	bool has_checksum;
};

/* Reads the section. Returns false: there is none. */
bool xp_debuglink_of(struct xp_elf *elf, struct debuglink *ret_link);
/* True if a file has the checksum. */
bool xp_debuglink_fits(const struct debuglink *link, const char *path);

#endif
