/* SPDX-License-Identifier: MIT
 *
 * The groups of points, one function each; main() runs those named by its arguments.
 */
#ifndef XPERF_TRUTH_FRAMES_H
#define XPERF_TRUTH_FRAMES_H

#ifdef __cplusplus
extern "C" {
#endif

struct truth_group {
	const char *name;
	void (*run)(void);
};

void group_frames(void); /* frames.c: sizes and shapes of frames, tail calls, long jumps */
void group_recursion(void);
void group_dynamic(void);
void group_cold(void);
void group_tail(void);
void group_jumps(void);
void group_callbacks(void); /* foreign.c: through libc, libraries and the vDSO */
void group_threads(void);
void group_vdso(void);
void group_library(void);
void group_dlopen(void);
void group_vfork(void);
void group_exec(void);
void group_signals(void); /* signals.c: handlers and other stacks */
void group_coroutines(void);
void group_steps(void);
void group_assembly(void);   /* assembly.c: unwind information by hand, x86-64 only */
void group_jit(void);        /* jit.c: code that the program makes */
void group_hot(void);        /* hot.c: for samples of the clock */
void group_exceptions(void); /* exceptions.cc */
void group_objects(void);
void kind_plain(void); /* kinds.c: for samples of the clock, too */
void kind_deep(void);
void kind_thread(void);
void kind_fiber(void);
void kind_signal(void);
void kind_elsewhere(void);
void kind_templates(void); /* exceptions.cc */
void kind_exceptions(void);
/* Works until TRUTH_MS milliseconds of CPU time are used; the first time, at a point. */
void kind_works(const char *point);

#ifdef __cplusplus
}
#endif
#endif
