/* SPDX-License-Identifier: MIT */
/*
 * How much of a file may be content. A sparse file of a few kilobytes can claim to have many
 * gigabytes; what is read of it is memory, so it is bounded by what the file takes on the disk.
 */
#ifndef SYMBOL_ON_DISK_H
#define SYMBOL_ON_DISK_H

#include <stdint.h>
#include <sys/stat.h>

/* The most bytes one part of a file may have. File systems that compress store tables of symbols in
 * no less than a tenth. */
static inline uint64_t xp_on_disk_limit(const struct stat *st)
{
	enum { ALWAYS = 16 << 20, RATIO = 64, BLOCK = 512 };

	return ALWAYS + (uint64_t)st->st_blocks * BLOCK * RATIO;
}

#endif
