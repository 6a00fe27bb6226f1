/* SPDX-License-Identifier: MIT
 *
 * The file of truth: TRUTH_DIR/truth.PID.N has the program's maps and a line for each point.
 *
 *	bias ADDRESS PATH		addresses of the file's symbols, plus this
 *	map FROM TO OFFSET PATH		as in /proc/PID/maps
 *	point NAME PAGE SP START in:PC::0 KIND:ADDRESS:PC:NEED ...
 *
 * Elements go from the innermost frame outwards. ADDRESS is a frame's address, PC is in the
 *function whose return address it is, and NEED is the stack address up to which a dump has to
 *reach.
 */
#define _GNU_SOURCE
#include "truth.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE_BYTES 65536UL /* a page, of any machine */
#define NR_PAGES   4096

__thread struct truth_stack *truth_stack;

static struct {
	int fd;
	char *pages;
	size_t nr_used;
	char buffer[1 << 20];
	size_t len;
} truth;

static void flush(void)
{
	if (write(truth.fd, truth.buffer, truth.len) != (ssize_t)truth.len)
		abort();
	truth.len = 0;
}

static void text(const char *s)
{
	size_t len = strlen(s);

	if (truth.len + len > sizeof(truth.buffer))
		flush();
	memcpy(truth.buffer + truth.len, s, len);
	truth.len += len;
}

/* No printf(): points are in signal handlers, too. */
static void hex(const char *before, uintptr_t value)
{
	char digits[2 * sizeof(value) + 1], *at = digits + sizeof(digits) - 1;

	*at = '\0';
	do {
		*--at = "0123456789abcdef"[value % 16];
		value /= 16;
	} while (value);
	text(before);
	text(at);
}

/* Pages of different processes, and of one before and after an exec, have different addresses. */
static char *map_pages(long generation)
{
	uintptr_t wanted = 0x10000000000UL +
			   (uintptr_t)(getpid() % 4096 * 4 + generation) * (PAGE_BYTES * NR_PAGES);
	char *pages =
		mmap((void *)wanted, PAGE_BYTES * NR_PAGES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (pages == MAP_FAILED)
		abort();
	madvise(pages, PAGE_BYTES * NR_PAGES, MADV_NOHUGEPAGE);
	return pages;
}

void truth_open(struct truth_stack *stack)
{
	const char *directory = getenv("TRUTH_DIR"), *exec = getenv("TRUTH_EXEC");
	char path[4096];

	snprintf(path, sizeof(path), "%s/truth.%d.%s", directory ? directory : ".", (int)getpid(),
		 exec ? exec : "0");
	truth.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	truth.pages = map_pages(exec ? strtol(exec, NULL, 10) : 0);
	if (truth.fd < 0)
		abort();
	truth_stack = stack;
}

static int write_bias(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	hex("bias ", info->dlpi_addr);
	text(" ");
	text(info->dlpi_name[0] ? info->dlpi_name : "main");
	text("\n");
	return 0;
}

void truth_close(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4500], perms[5], path[4200];
	unsigned long from, to, offset;

	dl_iterate_phdr(write_bias, NULL);
	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %4199[^\n]", &from, &to, perms, &offset,
			   path) == 5 &&
		    perms[2] == 'x') {
			hex("map ", from);
			hex(" ", to);
			hex(" ", offset);
			text(" ");
			text(path);
			text("\n");
		}
	if (maps)
		fclose(maps);
	flush();
}

static void element(const struct truth_entry *entry, uintptr_t need)
{
	const char letter[] = { ' ', (char)entry->kind, ':', '\0' };

	text(letter);
	hex("", entry->back);
	hex(":", entry->pc);
	hex(":", need);
}

/*
 * How far a dump has to reach for an entry. A return address lies below the stack pointer of the
 * function that called, whatever was pushed since; behind a handler's frame is the context with
 * what was interrupted. The outermost frames are small.
 */
static uintptr_t needed(int i)
{
	const struct truth_entry *entry = &truth_stack->entries[i];

	if (!i)
		return entry->sp + 4096;
	return entry->kind == TRUTH_FRAME && entry[-1].kind == TRUTH_FRAME ? entry[-1].sp
									   : entry->sp + 1024;
}

static void point(const char *name, uintptr_t pc, uintptr_t sp, int depth, const char *first)
{
	text("point ");
	text(name);
	hex(" ", (uintptr_t)(truth.pages + PAGE_BYTES * truth.nr_used++));
	hex(" ", sp);
	text(" ");
	text(truth_stack->start ? truth_stack->start : "-");
	hex(first, pc);
	text("::0");
	for (int i = depth - 1; i >= 0; i--) {
		const struct truth_entry *entry = &truth_stack->entries[i];

		if (entry->kind == TRUTH_ANY) {
			text(" s:0:0:0");
			break;
		}
		element(entry, needed(i));
	}
	text("\n");
}

volatile char *truth_arm(void)
{
	if (truth.nr_used == NR_PAGES)
		abort();
	return truth.pages + PAGE_BYTES * truth.nr_used;
}

volatile char *truth_note(const char *name, uintptr_t pc, uintptr_t sp)
{
	volatile char *page = truth_arm();

	point(name, pc, sp, truth_stack->depth, " in:");
	return page;
}

void truth_armed(const char *name, uintptr_t pc, uintptr_t sp, int depth, int beneath)
{
	point(name, pc, sp, depth, beneath ? " by:" : " in:");
}

long truth_spin(void)
{
	const char *spin = getenv("TRUTH_SPIN");

	return spin ? strtol(spin, NULL, 10) : 0;
}
