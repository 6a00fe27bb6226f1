/* SPDX-License-Identifier: MIT */
/*
 * Copies kernel code. /proc/kcore is as large as the address space; its program headers say where
 * in it an address is. Source: elf(5); perf.data-directory-format.txt of perf: names of the files;
 * proc(5), /proc/modules.
 */
#include "kcore.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xperf/diag.h>

#define KCORE "/proc/kcore"

/* More program headers than these no kernel has; more pieces than these no two ranges give. */
enum { HEADERS_MAX = 4096, PIECES_MAX = 16, COPY_BYTES = 1 << 16 };

/* A part of a segment that is copied. */
struct piece {
	Elf64_Phdr header; /* as it will be */
	uint64_t from;     /* offset in the source */
};

static int pread_all(int fd, void *buf, size_t len, uint64_t offset)
{
	ssize_t n = pread(fd, buf, len, (off_t)offset);

	return n == (ssize_t)len ? 0 : n < 0 ? -errno : -ENOEXEC;
}

static int pwrite_all(int fd, const char *buf, size_t len, uint64_t offset)
{
	while (len) {
		ssize_t n = pwrite(fd, buf, len, (off_t)offset);

		if (n < 0)
			return -errno;
		buf += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

static int read_headers(int fd, Elf64_Ehdr *ret_elf, Elf64_Phdr **ret_headers)
{
	Elf64_Ehdr elf;
	int err = pread_all(fd, &elf, sizeof(elf), 0);

	if (err)
		return err;
	if (memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
	    elf.e_phentsize != sizeof(Elf64_Phdr) || elf.e_phnum > HEADERS_MAX)
		return -ENOEXEC;
	size_t bytes = elf.e_phnum * sizeof(Elf64_Phdr);
	Elf64_Phdr *headers = malloc(bytes ? bytes : 1);
	err = headers ? pread_all(fd, headers, bytes, elf.e_phoff) : -ENOMEM;
	if (err) {
		free(headers);
		return err;
	}
	*ret_elf = elf;
	*ret_headers = headers;
	return 0;
}

/* The part of a segment that is in a range. Returns false if there is none. */
static bool cut(const Elf64_Phdr *segment, const struct kcore_range *range, struct piece *piece)
{
	uint64_t start = segment->p_vaddr, end = start + segment->p_filesz;

	if (segment->p_type != PT_LOAD || end < start)
		return false;
	start = start > range->start ? start : range->start;
	end = end < range->end ? end : range->end;
	if (start >= end)
		return false;
	piece->from = segment->p_offset + (start - segment->p_vaddr);
	piece->header = *segment;
	piece->header.p_vaddr = start;
	piece->header.p_paddr = segment->p_paddr + (start - segment->p_vaddr);
	piece->header.p_filesz = piece->header.p_memsz = end - start;
	return true;
}

static int cut_all(const Elf64_Ehdr *elf, const Elf64_Phdr *segments,
		   const struct kcore_range *ranges, size_t nr_ranges, struct piece *pieces)
{
	int nr = 0;

	for (size_t r = 0; r < nr_ranges; r++)
		for (int s = 0; s < elf->e_phnum && nr < PIECES_MAX; s++)
			nr += cut(&segments[s], &ranges[r], &pieces[nr]);
	return nr;
}

static int copy_piece(int from, int to, const struct piece *piece)
{
	char *buf = malloc(COPY_BYTES);
	uint64_t done = 0;
	int err = buf ? 0 : -ENOMEM;

	while (!err && done < piece->header.p_filesz) {
		uint64_t left = piece->header.p_filesz - done;
		size_t len = left < COPY_BYTES ? (size_t)left : COPY_BYTES;

		err = pread_all(from, buf, len, piece->from + done)
			      ?: pwrite_all(to, buf, len, piece->header.p_offset + done);
		done += len;
	}
	free(buf);
	return err;
}

static int write_core(int from, int to, Elf64_Ehdr *elf, struct piece *pieces, int nr)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t offset = page;
	int err = 0;

	elf->e_phoff = sizeof(*elf);
	elf->e_phnum = (Elf64_Half)nr;
	elf->e_shoff = 0;
	elf->e_shnum = elf->e_shstrndx = 0;
	for (int i = 0; i < nr && !err; i++) {
		pieces[i].header.p_offset = offset;
		offset += (pieces[i].header.p_filesz + page - 1) & ~(page - 1);
		err = pwrite_all(to, (const char *)&pieces[i].header, sizeof(Elf64_Phdr),
				 elf->e_phoff + (uint64_t)i * sizeof(Elf64_Phdr))
			      ?: copy_piece(from, to, &pieces[i]);
	}
	return err ? err : pwrite_all(to, (const char *)elf, sizeof(*elf), 0);
}

int kcore_extract(int from, int to, const struct kcore_range *ranges, size_t nr_ranges)
{
	struct piece pieces[PIECES_MAX];
	Elf64_Phdr *segments;
	Elf64_Ehdr elf;
	int err = read_headers(from, &elf, &segments);

	if (err)
		return err;
	int nr = cut_all(&elf, segments, ranges, nr_ranges, pieces);
	free(segments);
	err = nr ? write_core(from, to, &elf, pieces, nr) : -ENODATA;
	return err ? err : nr;
}

/* --- what is copied --- */

/* The kernel's text is from the one to the other symbol. */
static void add_symbol(const char *line, struct kcore_range *range)
{
	char name[16];
	uint64_t address;

	if (sscanf(line, "%" SCNx64 " %*c %15s", &address, name) != 2)
		return;
	if (!strcmp(name, "_stext"))
		range->start = address;
	else if (!strcmp(name, "_etext"))
		range->end = address;
}

/* "name size users used-by state address": all modules are one range. */
static void add_module(const char *line, struct kcore_range *range)
{
	uint64_t size, address;

	if (sscanf(line, "%*s %" SCNu64 " %*s %*s %*s %" SCNx64, &size, &address) != 2 || !address)
		return;
	if (address < range->start || !range->start)
		range->start = address;
	if (address + size > range->end)
		range->end = address + size;
}

/* Copies a text and learns a range from its lines. */
static int copy_text(const char *from, const char *dir, const char *name,
		     void (*add)(const char *line, struct kcore_range *range),
		     struct kcore_range *range)
{
	char path[4096], line[1024];
	FILE *in = fopen(from, "re"), *out = NULL;
	int err = 0;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (in)
		out = fopen(path, "wex");
	if (!out)
		err = -errno;
	while (!err && fgets(line, sizeof(line), in)) {
		add(line, range);
		if (fputs(line, out) < 0)
			err = -EIO;
	}
	if (in)
		fclose(in);
	if (out && fclose(out) && !err)
		err = -errno;
	return err;
}

static int copy_core(const char *dir, const struct kcore_range *ranges, size_t nr)
{
	char path[4096];
	int from = open(KCORE, O_RDONLY | O_CLOEXEC), err;

	if (from < 0)
		return -errno;
	snprintf(path, sizeof(path), "%s/kcore", dir);
	int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);
	err = to < 0 ? -errno : kcore_extract(from, to, ranges, nr);
	if (to >= 0 && close(to) && err >= 0)
		err = -errno;
	close(from);
	return err < 0 ? err : 0;
}

int kcore_check(struct xp_diag *diag)
{
	int fd = open(KCORE, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return xp_diag_set(diag, -errno, "--kcore: %s cannot be read: %s", KCORE,
				   strerror(errno));
	close(fd);
	return 0;
}

int kcore_copy(const char *dir, struct xp_diag *diag)
{
	struct kcore_range ranges[2] = { 0 };
	char path[4096 - 32];
	int err = 0;

	if (snprintf(path, sizeof(path), "%s/kcore_dir", dir) >= (int)sizeof(path))
		err = -ENAMETOOLONG;
	if (!err && mkdir(path, 0700))
		err = -errno;
	if (!err)
		err = copy_text("/proc/kallsyms", path, "kallsyms", add_symbol, &ranges[0])
			      ?: copy_text("/proc/modules", path, "modules", add_module, &ranges[1])
			      ?: copy_core(path, ranges, 2);
	if (err)
		xp_diag_set(diag, err, "The kernel's code cannot be copied into %s: %s", path,
			    strerror(-err));
	return err;
}
