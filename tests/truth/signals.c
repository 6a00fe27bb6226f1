/* SPDX-License-Identifier: MIT
 *
 * Points in signal handlers, on the normal and on other stacks, and in coroutines.
 */
#define _GNU_SOURCE
#include "frames.h"

#include "truth.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

static volatile int one = 1;
static const char *volatile handled; /* the name of the handler's point */
static char *forbidden;

TRUTH_NOINLINE static void in_handler(void)
{
	TRUTH_ENTER();
	TRUTH_POINT(handled);
	TRUTH_LEAVE();
}

static void handle(int signal, siginfo_t *info, void *context)
{
	TRUTH_ENTER_HANDLER(context);
	(void)info;
	in_handler();
	if (signal == SIGSEGV)
		mprotect(forbidden, 4096, PROT_READ | PROT_WRITE);
	TRUTH_LEAVE_HANDLER();
}

static void catch_signal(int signal, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	sigaction(signal, &action, NULL);
}

/* Signals come in libc, and at an instruction of ours. */
TRUTH_NOINLINE static void raises(void)
{
	TRUTH_ENTER();
	raise(SIGUSR1);
	TRUTH_LEAVE();
}

TRUTH_NOINLINE static int faults(int value)
{
	volatile int below[8];

	TRUTH_ENTER();
	below[value & 7] = value;
	*(volatile char *)forbidden = (char)below[value & 7];
	TRUTH_LEAVE();
	return below[value & 7];
}

TRUTH_NOINLINE static void with_signals(const char *raised, const char *faulted, int flags)
{
	TRUTH_ENTER();
	catch_signal(SIGUSR1, handle, flags);
	catch_signal(SIGSEGV, handle, flags);
	handled = raised;
	raises();
	handled = faulted;
	mprotect(forbidden, 4096, PROT_NONE);
	faults(one);
	TRUTH_LEAVE();
}

static void handle_nested(int signal, siginfo_t *info, void *context)
{
	TRUTH_ENTER_HANDLER(context);
	(void)signal;
	(void)info;
	raises();
	TRUTH_LEAVE_HANDLER();
}

/*
 * A dump begins at the stack pointer. Another stack just below the one that was interrupted is
 * followed by it; of one elsewhere, the dump has nothing of the interrupted frames.
 */
#define ALTERNATE_BYTES (32UL << 10)
#define STACK_BYTES     (256UL << 10)

static char *thread_memory;

static void use_alternate(char *memory)
{
	const stack_t stack = { .ss_sp = memory, .ss_size = ALTERNATE_BYTES };

	if (sigaltstack(&stack, NULL))
		abort();
}

static void *alternate_thread(void *data)
{
	static struct truth_stack stack;
	static char elsewhere[ALTERNATE_BYTES];
	char *own;

	(void)data;
	truth_stack = &stack;
	TRUTH_ENTER();
	/* Between both is little more than the frames below this one need. */
	own = (char *)__builtin_frame_address(0) - 8192 - ALTERNATE_BYTES;
	use_alternate((char *)((uintptr_t)own & ~63UL));
	with_signals("alternate-stack-below-raise", "alternate-stack-below-fault", SA_ONSTACK);
	use_alternate(elsewhere);
	with_signals("alternate-stack-elsewhere-raise", "alternate-stack-elsewhere-fault",
		     SA_ONSTACK);
	TRUTH_LEAVE();
	return NULL;
}

void group_signals(void)
{
	pthread_attr_t attributes;
	pthread_t id;

	TRUTH_ENTER();
	forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* A copy ends where nothing was ever stored. */
	thread_memory = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (forbidden == MAP_FAILED || thread_memory == MAP_FAILED)
		abort();
	with_signals("signal-raised", "signal-of-fault", 0);
	handled = "signal-in-handler";
	catch_signal(SIGUSR1, handle, 0);
	catch_signal(SIGUSR2, handle_nested, 0);
	raise(SIGUSR2);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, thread_memory, STACK_BYTES);
	if (pthread_create(&id, &attributes, alternate_thread, NULL) || pthread_join(id, NULL))
		abort();
	TRUTH_LEAVE();
}

/* musl has no coroutines. */
#ifdef __GLIBC__
static ucontext_t outside, inside;
static struct truth_stack coroutine_stack, *main_stack;

TRUTH_NOINLINE static void in_coroutine(const char *name)
{
	TRUTH_ENTER();
	TRUTH_POINT(name);
	TRUTH_LEAVE();
}

TRUTH_NOINLINE static void yields(void)
{
	TRUTH_ENTER();
	in_coroutine("coroutine");
	truth_stack = main_stack;
	swapcontext(&inside, &outside);
	in_coroutine("coroutine-resumed");
	TRUTH_LEAVE();
}

static void coroutine(void)
{
	TRUTH_ENTER();
	yields();
	truth_stack = main_stack;
}

TRUTH_NOINLINE static void resume(void)
{
	TRUTH_ENTER();
	truth_stack = &coroutine_stack;
	swapcontext(&outside, &inside);
	in_coroutine("between-coroutines");
	TRUTH_LEAVE();
}

void group_coroutines(void)
{
	TRUTH_ENTER();
	main_stack = truth_stack;
	getcontext(&inside);
	inside.uc_stack.ss_sp = malloc(STACK_BYTES);
	inside.uc_stack.ss_size = STACK_BYTES;
	inside.uc_link = &outside;
	makecontext(&inside, coroutine, 0);
	resume();
	resume();
	TRUTH_LEAVE();
}
#else
void group_coroutines(void)
{
}
#endif

/*
 * Each instruction of some functions is interrupted. What was interrupted may be about to push, so
 * the handler has a shadow stack of its own.
 */
#ifdef __x86_64__
#define TRAP_FLAG    0x100 /* Source: Intel SDM volume 1, EFLAGS register */
#define MAX_NR_STEPS 700

static volatile int stepping, nr_steps;

static void handle_step(int signal, siginfo_t *info, void *context)
{
	static struct truth_stack stack = { .entries = { { .kind = TRUTH_ANY } }, .depth = 1 };
	struct truth_stack *before = truth_stack;
	greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];

	(void)signal;
	(void)info;
	if (!stepping || nr_steps == MAX_NR_STEPS) {
		*flags &= ~TRAP_FLAG;
		return;
	}
	truth_stack = &stack;
	TRUTH_ENTER_HANDLER(context);
	if (*flags & TRAP_FLAG) {
		nr_steps++;
		TRUTH_POINT("each-instruction");
	}
	TRUTH_LEAVE_HANDLER();
	truth_stack = before;
	*flags |= TRAP_FLAG;
}

TRUTH_NOINLINE static int stepped_inner(int point, int a, int b)
{
	int result = a;

	TRUTH_ENTER();
	if (point)
		TRUTH_POINT("stepped");
	for (int i = 0; i < one; i++)
		result = result * b + one;
	TRUTH_LEAVE();
	return result;
}

TRUTH_NOINLINE static int stepped_middle(int point, int value)
{
	volatile char array[value * 100];
	int a = one, b = one + a, c = b + one, d = c + one, e = d + one, f = e + one, g = f + one;

	TRUTH_ENTER();
	array[one] = 1;
	a += stepped_inner(point, a, b);
	TRUTH_LEAVE();
	return a + b * 3 + c * 5 + d * 7 + e * 9 + f * 11 + g * 13 + array[one];
}

TRUTH_NOINLINE static void stepped(int point)
{
	TRUTH_ENTER();
	if (!point) {
		stepping = 1;
		raise(SIGTRAP);
	}
	stepped_middle(point, one);
	stepping = 0;
	TRUTH_LEAVE();
}

void group_steps(void)
{
	TRUTH_ENTER();
	catch_signal(SIGTRAP, handle_step, 0);
	for (int i = 0; i < 2 * one; i++)
		stepped(i == 0);
	TRUTH_LEAVE();
}
#else
void group_steps(void)
{
}
#endif
