/* SPDX-License-Identifier: MIT
 *
 * Code that the program makes itself, and what it writes down of it: in TRUTH_DIR/jit-PID.dump,
 * which is mapped so that a recording knows of it; with TRUTH_PERF_MAP in the environment, only
 * names, in /tmp/perf-PID.map.
 */
#ifndef XPERF_TRUTH_JIT_DUMP_H
#define XPERF_TRUTH_JIT_DUMP_H

#include <stddef.h>

/* @frames: instructions that describe its frame, NULL: it keeps the frame pointer, and nothing does
 */
struct made_code {
	const char *name;
	const void *code;
	size_t len;
	const unsigned char *frames;
	size_t frames_len;
};

/* Memory for code. */
void *made_room(void);
/* Puts code at an address in it, over what is there, and writes it down. Returns the address */
void *made_put(const struct made_code *code, void *at);
/* The same for what is there already, from another address. */
void *made_move(const struct made_code *code, void *from, void *to);
/* Whether descriptions of frames are written down. */
int made_is_described(void);

#endif
