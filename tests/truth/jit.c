/* SPDX-License-Identifier: MIT
 *
 * Points beneath and in code that the program made itself, in memory that is no file's. It keeps
 * frame pointers, as JIT compilers do that want to be seen; the functions around it need not. Its
 * names are in TRUTH_DIR/jit-PID.dump, which is mapped so that a recording knows of it; with
 * TRUTH_PERF_MAP in the environment, in /tmp/perf-PID.map.
 *
 * Source: tools/perf/Documentation/jitdump-specification.txt, jit-interface.txt.
 */
#define _GNU_SOURCE
#include "frames.h"

#include "truth.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void (*made_fn)(const char *point, void (*callee)(const char *point, uintptr_t *frame));

#ifdef __x86_64__
/* push %rbp; mov %rsp, %rbp; mov %rsi, %rax; mov %rbp, %rsi; call *%rax; pop %rbp; ret */
static const unsigned char calls[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf0,
				       0x48, 0x89, 0xee, 0xff, 0xd0, 0x5d, 0xc3 };
/* push %rbp; mov %rsp, %rbp; movb $1, (%rdi); pop %rbp; ret */
static const unsigned char touches[] = { 0x55, 0x48, 0x89, 0xe5, 0xc6, 0x07, 0x01, 0x5d, 0xc3 };
#else
/* stp x29, x30, [sp, #-16]!; mov x29, sp; mov x8, x1; mov x1, x29; blr x8; ldp x29, x30, [sp], #16;
 * ret */
static const unsigned int calls[] = { 0xa9bf7bfd, 0x910003fd, 0xaa0103e8, 0xaa1d03e1,
				      0xd63f0100, 0xa8c17bfd, 0xd65f03c0 };
/* stp x29, x30, [sp, #-16]!; mov x29, sp; strb w0, [x0]; ldp x29, x30, [sp], #16; ret */
static const unsigned int touches[] = { 0xa9bf7bfd, 0x910003fd, 0x39000000, 0xa8c17bfd,
					0xd65f03c0 };
#endif

static volatile int one = 1;
static made_fn made;

struct dump_header {
	uint32_t magic, version, size, machine, unused, pid;
	uint64_t time, flags;
};

struct dump_load {
	uint32_t id, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t mapped_at, code_at, len, index;
};

static int open_dump(void)
{
	const struct dump_header header = {
		.magic = 0x4a695444, .version = 1, .size = sizeof(header), .pid = (uint32_t)getpid()
	};
	const char *directory = getenv("TRUTH_DIR");
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/jit-%d.dump", directory ? directory : ".", (int)getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, &header, sizeof(header)) != sizeof(header) ||
	    mmap(NULL, sizeof(header), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		abort();
	return fd;
}

static void describe_in_map(const char *name, const void *code, size_t len)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	FILE *file = fopen(path, "a");
	if (!file || fprintf(file, "%lx %zx %s\n", (unsigned long)(uintptr_t)code, len, name) < 0 ||
	    fclose(file))
		abort();
}

static void describe_in_dump(const char *name, const void *code, size_t len)
{
	static int fd = -1;
	const struct dump_load load = {
		.size = (uint32_t)(sizeof(load) + strlen(name) + 1 + len),
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)getpid(),
		.mapped_at = (uintptr_t)code,
		.code_at = (uintptr_t)code,
		.len = len,
	};

	if (fd < 0)
		fd = open_dump();
	if (write(fd, &load, sizeof(load)) != sizeof(load) ||
	    write(fd, name, strlen(name) + 1) < 0 || write(fd, code, len) < 0)
		abort();
}

static void *make(const char *name, const void *code, size_t len)
{
	enum { ROOM = 65536 };
	char *at = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		abort();
	memcpy(at, code, len);
	__builtin___clear_cache(at, at + len);
	if (mprotect(at, ROOM, PROT_READ | PROT_EXEC))
		abort();
	(getenv("TRUTH_PERF_MAP") ? describe_in_map : describe_in_dump)(name, at, len);
	return at;
}

/* Enters for the code that called, whose frame pointer points to the caller's and to where it
 * returns to. */
static void enter_made(uintptr_t back, const uintptr_t *frame)
{
	truth_stack->entries[truth_stack->depth++] =
		(struct truth_entry){ TRUTH_FRAME, back - 1, frame[1], (uintptr_t)frame };
}

TRUTH_NOINLINE static void under_made(const char *point, uintptr_t *frame)
{
	enter_made((uintptr_t)__builtin_return_address(0), frame);
	TRUTH_ENTER();
	TRUTH_POINT(point);
	TRUTH_LEAVE();
	TRUTH_LEAVE();
}

TRUTH_NOINLINE static void between_made(const char *point, uintptr_t *frame)
{
	enter_made((uintptr_t)__builtin_return_address(0), frame);
	TRUTH_ENTER();
	made(point, under_made);
	TRUTH_LEAVE();
	TRUTH_LEAVE();
}

/* Uses all registers that a function has to save. */
TRUTH_NOINLINE static int calls_made(const char *point,
				     void (*callee)(const char *point, uintptr_t *frame))
{
	int a = one, b = a + one, c = b + one, d = c + one, e = d + one, f = e + one, g = f + one;

	TRUTH_ENTER();
	made(point, callee);
	TRUTH_LEAVE();
	return a * b + c * d + e * f + g;
}

TRUTH_NOINLINE static void in_made(void (*touch)(volatile char *page))
{
	TRUTH_ENTER();
	TRUTH_BENEATH("jit-itself", touch(truth_page));
	TRUTH_LEAVE();
}

void group_jit(void)
{
	TRUTH_ENTER();
	made = (made_fn)(uintptr_t)make("made_calls", calls, sizeof(calls));
	calls_made("jit", under_made);
	calls_made("jit-twice", between_made);
	in_made((void (*)(volatile char *))(uintptr_t)make("made_touches", touches,
							   sizeof(touches)));
	TRUTH_LEAVE();
}
