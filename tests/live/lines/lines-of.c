/* SPDX-License-Identifier: MIT */
/*
 * Lines and inlined functions of addresses as the debug information of one file has them, printed
 * as addr2line -a -f -i prints them: `lines-of FILE <ADDRESSES`, in hexadecimal digits.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf-file.h"

static void print_path(const struct xp_dwarf_frame *frame)
{
	const char *const parts[] = { frame->unit_dir, frame->dir, frame->file };
	const char *slash = "";
	size_t first = 2;

	while (first && (!parts[first] || *parts[first] != '/'))
		first--;
	for (; first < 3; first++) {
		if (!parts[first])
			continue;
		printf("%s%s", slash, parts[first]);
		slash = "/";
	}
}

static void print_frame(const struct xp_dwarf_frame *frame)
{
	printf("%s\n", frame->name ? frame->name : "??");
	if (frame->file)
		print_path(frame);
	else
		fputs("??", stdout);
	if (frame->line)
		printf(":%" PRIu32 "\n", frame->line);
	else
		puts(":?");
}

int main(int argc, char **argv)
{
	struct xp_dwarf_frame frames[XP_DWARF_FRAMES];
	struct xp_dwarf *dwarf = NULL;
	char text[64];

	if (argc != 2)
		return 2;
	int err = xp_dwarf_open(argv[1], &dwarf);
	if (err && err != -ENODATA) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(-err));
		return 1;
	}
	while (fgets(text, sizeof(text), stdin)) {
		uint64_t address = strtoull(text, NULL, 16);
		int nr = dwarf ? xp_dwarf_find(dwarf, address, frames) : 0;

		printf("0x%016" PRIx64 "\n", address);
		for (int i = 0; i < nr; i++)
			print_frame(&frames[i]);
		if (!nr)
			puts("??\n??:?");
	}
	xp_dwarf_close(dwarf);
	return 0;
}
