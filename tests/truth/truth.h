/* SPDX-License-Identifier: MIT
 *
 * Programs that know their own call chains. Each function that matters pushes where it is, and
 * where it returns to, on a shadow stack. At a point, a function touches a page that nothing
 * touched before: a recording of page faults with addresses has exactly one sample of it, and the
 * file of truth has a line with the page and the shadow stack. judge.c compares both.
 *
 * One thread at a time uses this; it is safe in signal handlers. Macros, since the return address
 * and the stack pointer have to be those of the function itself.
 */
#ifndef XPERF_TRUTH_H
#define XPERF_TRUTH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum truth_kind {
	TRUTH_FRAME = 'r',       /* a function, and the address that it returns to */
	TRUTH_INTERRUPTED = 'x', /* below the frame of a signal handler: where the signal came */
	TRUTH_ANY = 's',         /* from here on, any chain that another point has */
};

struct truth_entry {
	enum truth_kind kind;
	uintptr_t pc;   /* in the function */
	uintptr_t back; /* where it returns to, or where it was interrupted */
	uintptr_t sp;   /* its stack pointer, after the prologue */
};

/* Of a thread, or of a coroutine. */
struct truth_stack {
	const char *start; /* the function that a whole chain ends with; NULL: that of a thread */
	volatile int depth;
	struct truth_entry entries[1024];
};

extern __thread struct truth_stack *truth_stack;

/* truth_open - begin the file of truth, in the directory TRUTH_DIR; called by main() */
void truth_open(struct truth_stack *stack);

/* truth_close - write what is known of maps, and the rest of the file */
void truth_close(void);

/* truth_note - a line for what is on the shadow stack now. Returns the page to touch */
volatile char *truth_note(const char *name, uintptr_t pc, uintptr_t sp);

/*
 * truth_arm - the next page, for a function that calls nothing, or knows nothing of this
 * truth_armed - the line for it, with @depth entries of the shadow stack: the first of them is that
 * of the function that touched the page, or, if it was @beneath it, that of who called
 */
volatile char *truth_arm(void);
void truth_armed(const char *name, uintptr_t pc, uintptr_t sp, int depth, int beneath);

/* truth_spin - how long functions that samples of the clock should hit have to work */
long truth_spin(void);

#ifdef __x86_64__
#define TRUTH_PC(to)             __asm__ volatile("lea 0(%%rip), %0" : "=r"(to))
#define TRUTH_SP(to)             __asm__ volatile("mov %%rsp, %0" : "=r"(to))
#define TRUTH_INTERRUPTED_PC(uc) ((uintptr_t)(uc)->uc_mcontext.gregs[16 /* REG_RIP */])
#else
#define TRUTH_PC(to)             __asm__ volatile("adr %0, ." : "=r"(to))
#define TRUTH_SP(to)             __asm__ volatile("mov %0, sp" : "=r"(to))
#define TRUTH_INTERRUPTED_PC(uc) ((uintptr_t)(uc)->uc_mcontext.pc)
#endif

#define TRUTH_PUSH(of_kind, returns_to)                                                            \
	do {                                                                                       \
		struct truth_entry *truth_new = &truth_stack->entries[truth_stack->depth];         \
		TRUTH_PC(truth_new->pc);                                                           \
		TRUTH_SP(truth_new->sp);                                                           \
		truth_new->kind = (of_kind);                                                       \
		truth_new->back = (uintptr_t)(returns_to);                                         \
		truth_stack->depth++;                                                              \
	} while (0)

#define TRUTH_ENTER() TRUTH_PUSH(TRUTH_FRAME, __builtin_return_address(0))
#define TRUTH_LEAVE() (void)(truth_stack->depth--)

/* A signal handler; @uc is its context. */
#define TRUTH_ENTER_HANDLER(uc)                                                                    \
	do {                                                                                       \
		TRUTH_PUSH(TRUTH_INTERRUPTED, TRUTH_INTERRUPTED_PC((ucontext_t *)(uc)));           \
		TRUTH_ENTER();                                                                     \
	} while (0)
#define TRUTH_LEAVE_HANDLER() (void)(truth_stack->depth -= 2)

/* In a function that has entered: here is a sample. */
#define TRUTH_POINT(name)                                                                          \
	do {                                                                                       \
		uintptr_t truth_pc, truth_sp;                                                      \
		TRUTH_PC(truth_pc);                                                                \
		TRUTH_SP(truth_sp);                                                                \
		*truth_note(name, truth_pc, truth_sp) = 1;                                         \
	} while (0)

/* A sample in what @touch calls, somewhere in a function that is not of this program. */
#define TRUTH_BENEATH(name, touch)                                                                 \
	do {                                                                                       \
		volatile char *truth_page = truth_arm();                                           \
		uintptr_t truth_pc, truth_sp;                                                      \
		TRUTH_PC(truth_pc);                                                                \
		TRUTH_SP(truth_sp);                                                                \
		truth_armed(name, truth_pc, truth_sp - 4096, truth_stack->depth, 1);               \
		touch;                                                                             \
	} while (0)

#define TRUTH_NOINLINE __attribute__((noinline, noclone))
#ifdef __clang__
#undef TRUTH_NOINLINE
#define TRUTH_NOINLINE __attribute__((noinline))
#endif

#ifdef __cplusplus
}

/* Leaves when the function is left, also by an exception. */
struct truth_scope {
	~truth_scope()
	{
		TRUTH_LEAVE();
	}
};

#define TRUTH_ENTER_SCOPE()                                                                        \
	TRUTH_ENTER();                                                                             \
	truth_scope truth_left
#endif
#endif
