/* SPDX-License-Identifier: MIT
 *
 * The dump is written as JIT compilers do it: the file is mapped, then come its header and records,
 * with times of CLOCK_MONOTONIC. A description (.eh_frame, .eh_frame_hdr) counts its addresses as
 * if it were after the code.
 *
 * Source: tools/perf/Documentation/jitdump-specification.txt, jit-interface.txt; Linux Standard
 * Base 5.0, 10.6.
 */
#define _GNU_SOURCE
#include "jit-dump.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifdef __x86_64__
enum { MACHINE = 62, RETURN_REGISTER = 16 };
/* CFA: rsp + 8; the return address is below it */
static const unsigned char at_first[] = { 0x0c, 7, 8, 0x80 | RETURN_REGISTER, 1 };
#else
enum { MACHINE = 183, RETURN_REGISTER = 30 };
/* CFA: sp */
static const unsigned char at_first[] = { 0x0c, 31, 0 };
#endif

enum { LOAD = 0, MOVE = 1, UNWINDING = 4, ROOM = 65536 };

struct dump_header {
	uint32_t magic, version, size, machine, unused, pid;
	uint64_t time, flags;
};

struct dump_record {
	uint32_t id, size;
	uint64_t time;
};

struct dump_load {
	struct dump_record record;
	uint32_t pid, tid;
	uint64_t mapped_at, code_at, len, index;
};

struct dump_move {
	struct dump_record record;
	uint32_t pid, tid;
	uint64_t mapped_at, from, to, len, index;
};

struct dump_unwinding {
	struct dump_record record;
	uint64_t len, header_len, mapped_len;
};

static int dump = -1;
/* How much later than the map the times of the dump may seem to begin. */
static uint64_t error_ns;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void put(const void *bytes, size_t len)
{
	if (write(dump, bytes, len) != (ssize_t)len)
		abort();
}

static void open_dump(void)
{
	struct dump_header header = { .magic = 0x4a695444,
				      .version = 1,
				      .size = sizeof(header),
				      .machine = MACHINE,
				      .pid = (uint32_t)getpid() };
	const char *directory = getenv("TRUTH_DIR");
	uint64_t before;
	char path[4096];

	snprintf(path, sizeof(path), "%s/jit-%d.dump", directory ? directory : ".", (int)getpid());
	dump = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	before = now();
	if (dump < 0 ||
	    mmap(NULL, sizeof(header), PROT_READ | PROT_EXEC, MAP_PRIVATE, dump, 0) == MAP_FAILED)
		abort();
	header.time = now();
	error_ns = header.time - before;
	put(&header, sizeof(header));
}

/* --- descriptions --- */

struct bytes {
	unsigned char at[256];
	size_t len;
};

static void add(struct bytes *bytes, const void *more, size_t len)
{
	if (bytes->len + len > sizeof(bytes->at))
		abort();
	memcpy(bytes->at + bytes->len, more, len);
	bytes->len += len;
}

static void add_number(struct bytes *bytes, long number)
{
	const int32_t word = (int32_t)number;

	add(bytes, &word, sizeof(word));
}

static void end_entry(struct bytes *bytes, size_t from)
{
	uint32_t len;

	while (bytes->len % 8)
		add(bytes, "", 1);
	len = (uint32_t)(bytes->len - from - sizeof(len));
	memcpy(bytes->at + from, &len, sizeof(len));
}

/* What functions have in common, and the function. */
static void describe(const struct made_code *code, struct bytes *bytes)
{
	const unsigned char common[] = { 1, 'z', 'R', 0, 1, 0x78, RETURN_REGISTER, 1, 0x1b };
	const long code_at = -(long)((code->len + 7) / 8 * 8);
	long function_at, frames_len;

	bytes->len = 0;
	add_number(bytes, 0);
	add_number(bytes, 0);
	add(bytes, common, sizeof(common));
	add(bytes, at_first, sizeof(at_first));
	end_entry(bytes, 0);
	function_at = (long)bytes->len;
	add_number(bytes, 0);
	add_number(bytes, function_at + 4);
	add_number(bytes, code_at - (long)bytes->len);
	add_number(bytes, (long)code->len);
	add(bytes, "", 1);
	add(bytes, code->frames, code->frames_len);
	end_entry(bytes, (size_t)function_at);
	add_number(bytes, 0);
	/* .eh_frame_hdr */
	frames_len = (long)bytes->len;
	add(bytes, "\1\x1b\3\x3b", 4);
	add_number(bytes, -frames_len - 4);
	add_number(bytes, 1);
	add_number(bytes, code_at - frames_len);
	add_number(bytes, function_at - frames_len);
}

/* --- records --- */

static void put_unwinding(const struct made_code *code)
{
	enum { HEADER = 20 };
	struct bytes bytes;
	struct dump_unwinding unwinding = { .record = { .id = UNWINDING, .time = now() },
					    .header_len = HEADER };

	describe(code, &bytes);
	unwinding.len = unwinding.mapped_len = bytes.len;
	unwinding.record.size = (uint32_t)(sizeof(unwinding) + bytes.len);
	put(&unwinding, sizeof(unwinding));
	put(bytes.at, bytes.len);
}

static void describe_in_dump(const struct made_code *code, const void *at)
{
	const size_t name_len = strlen(code->name) + 1;
	const struct dump_load load = {
		.record = { LOAD, (uint32_t)(sizeof(load) + name_len + code->len), now() },
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)getpid(),
		.mapped_at = (uintptr_t)at,
		.code_at = (uintptr_t)at,
		.len = code->len,
	};

	if (code->frames)
		put_unwinding(code);
	put(&load, sizeof(load));
	put(code->name, name_len);
	put(code->code, code->len);
}

static void describe_in_map(const struct made_code *code, const void *at)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	FILE *file = fopen(path, "a");
	if (!file ||
	    fprintf(file, "%lx %zx %s\n", (unsigned long)(uintptr_t)at, code->len, code->name) <
		    0 ||
	    fclose(file))
		abort();
}

/* --- code --- */

int made_is_described(void)
{
	return !getenv("TRUTH_PERF_MAP");
}

void *made_room(void)
{
	void *at = mmap(NULL, ROOM, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);

	if (at == MAP_FAILED)
		abort();
	return at;
}

/* Whatever was sampled before was before, also for those who know the time of the map only. */
static void begin(void)
{
	uint64_t from = now();

	if (dump < 0 && made_is_described())
		open_dump();
	while (now() <= from + error_ns)
		;
}

/* Byte by byte: qemu 7.2 goes on with the old code where vectors of SVE are stored over it, as by
 * memcpy(). */
static void copy(void *to, const void *from, size_t len)
{
	volatile unsigned char *bytes = to;

	for (size_t i = 0; i < len; i++)
		bytes[i] = ((const unsigned char *)from)[i];
	__builtin___clear_cache(to, (char *)to + len);
}

void *made_put(const struct made_code *code, void *at)
{
	begin();
	copy(at, code->code, code->len);
	(made_is_described() ? describe_in_dump : describe_in_map)(code, at);
	return at;
}

void *made_move(const struct made_code *code, void *from, void *to)
{
	const struct dump_move move = {
		.record = { MOVE, sizeof(move), (begin(), now()) },
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)getpid(),
		.mapped_at = (uintptr_t)to,
		.from = (uintptr_t)from,
		.to = (uintptr_t)to,
		.len = code->len,
	};

	copy(to, from, code->len);
	put(&move, sizeof(move));
	return to;
}
