/* SPDX-License-Identifier: MIT */
/* Small ELF files, made by the compiler from a text in the test. */
#ifndef UNIT_ELF_FILES_H
#define UNIT_ELF_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Where they are; made by elf_dir_init(), removed by elf_dir_fini(). */
static char elf_dir[] = "/tmp/xperf-elf-XXXXXX";

static inline int elf_dir_init(void)
{
	return mkdtemp(elf_dir) ? 0 : -1;
}

static inline void elf_dir_fini(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", elf_dir);
	if (system(command))
		perror(elf_dir);
}

/* The path of a file there; overwritten by the next call but three. */
static inline const char *elf_path(const char *name)
{
	static char paths[4][128];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", elf_dir, name);
	return path;
}

static inline void elf_write(const char *name, const char *text)
{
	FILE *file = fopen(elf_path(name), "we");

	if (!file || fputs(text, file) < 0 || fclose(file))
		abort();
}

/* Runs `cd DIR && COMMAND`, in which $CC is the compiler. Returns true if it succeeded. */
static inline int elf_run(const char *command)
{
	char line[1024];

	setenv("CC", "cc", 0);
	snprintf(line, sizeof(line), "cd %s && { %s; } >log 2>&1", elf_dir, command);
	return system(line) == 0;
}

/*
 * What sys/sdt.h leaves for DTRACE_PROBE(provider, name) on a 64-bit machine. @semaphore: the name
 * of a variable in the section .probes, or 0.
 */
#define ELF_SDT_MACRO                                                                              \
	"#define MARK(provider, name, semaphore) __asm__ volatile(\"990: nop\\n\" \\\n"            \
	"\".pushsection .note.stapsdt,\\\"\\\",\\\"note\\\"\\n .balign 4\\n\" \\\n"                \
	"\".4byte 992f-991f, 994f-993f, 3\\n 991: .asciz \\\"stapsdt\\\"\\n\" \\\n"                \
	"\"992: .balign 4\\n 993: .8byte 990b, _.stapsdt.base, \" #semaphore \"\\n\" \\\n"         \
	"\".asciz \\\"\" #provider \"\\\"\\n .asciz \\\"\" #name \"\\\"\\n\" \\\n"                 \
	"\".asciz \\\"4@%eax\\\"\\n 994: .balign 4\\n .popsection\\n\" \\\n"                       \
	"\".ifndef _.stapsdt.base\\n\" \\\n"                                                       \
	"\".pushsection .stapsdt.base,\\\"aG\\\",\\\"progbits\\\",.stapsdt.base,comdat\\n\" \\\n"  \
	"\".weak _.stapsdt.base\\n .hidden _.stapsdt.base\\n\" \\\n"                               \
	"\"_.stapsdt.base: .space 1\\n .size _.stapsdt.base, 1\\n .popsection\\n .endif\\n\")\n"

#endif
