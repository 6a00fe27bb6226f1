/* SPDX-License-Identifier: MIT */
/* The text behind an address: " function+0x10 (file)". */
#ifndef SCRIPT_PLACES_H
#define SCRIPT_PLACES_H

#include <stdbool.h>
#include <stdint.h>

struct script;
struct places;
struct sink;
struct xp_frame;
struct xp_line;

/* An address of a process at a time. @mode: XP_MISC_KERNEL, XP_MISC_USER ...; @is_return: of a call
 * chain, where the call before it is meant; @is_joined: of an earlier sample */
struct where {
	uint64_t ip, time_ns;
	int32_t pid;
	uint16_t mode;
	bool is_return, is_joined;
};

/* Returns NULL without memory. */
struct places *places_new(void);
void places_free(struct places *places);
/* Prints function and file, as far as @fields say. Returns 0 or -ENOMEM. */
int place_show(struct script *script, uint64_t fields, const struct where *where);
/* Appends a line of source, "file.c:12"; where it is not known, the address in the file. */
void line_put(struct sink *out, const struct xp_frame *frame, const struct xp_line *line,
	      bool full_path);
/* The same will be printed soon; @is_near: and this was said before. The time does not matter. */
void place_prefetch(const struct script *script, uint64_t fields, const struct where *where,
		    bool is_near);

#endif
