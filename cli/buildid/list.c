/* SPDX-License-Identifier: MIT */
/*
 * `xperf buildid-list`: the build ids of a recording's files, of an ELF file, of this machine's
 * kernel. Source of the layout: perf buildid-list, 6.1, measured.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <xperf/symbol.h>
#include <xperf/synth.h>

#include "escape.h"
#include "files.h"
#include "map-id.h"
#include "options.h"

enum { ID_BYTES = 20, ID_TEXT = 2 * ID_BYTES + 1, ID_WIDTH = 40 };

struct values {
	struct recording_opts read;
	bool hits, kernel, modules;
	int verbose;
};

#define VALUE(field) .offset = offsetof(struct values, field)

static const struct option options[] = {
	{ 'i', "input", OPTION_STRING, VALUE(read.input), .value = "file",
	  .help = "read this recording or ELF file (default perf.data, or standard input if that "
		  "is a pipe)" },
	{ 'f', "force", OPTION_FLAG, VALUE(read.force),
	  .help = "read the file even if it belongs to another user" },
	{ 'H', "with-hits", OPTION_FLAG, VALUE(hits), .help = "list the files of the samples" },
	{ 'k', "kernel", OPTION_FLAG, VALUE(kernel),
	  .help = "print the build id of the running kernel" },
	{ 'm', "kernel-maps", OPTION_FLAG, VALUE(modules),
	  .help = "print build ids and addresses of the running kernel and its modules" },
	{ 'v', "verbose", OPTION_COUNT, VALUE(verbose),
	  .help = "report all damage of the recording" },
	{ 0 },
};

static int print_file(const struct file_id *file, void *data)
{
	char text[ID_TEXT];

	(void)data;
	id_text(file->id, file->id_len, text);
	printf("%-*s ", ID_WIDTH, text);
	escape_print(stdout, file->path);
	putchar('\n');
	return 0;
}

/* Of the kernel: its MMAP2 record; the reference symbol is no part of the name. */
static int print_map(const struct xp_record *record, void *data)
{
	const struct xp_record_mmap2 *map = (const struct xp_record_mmap2 *)record;
	const struct values *values = data;
	const char *name = (const char *)(map + 1), *end = strrchr(name, ']');
	char text[ID_TEXT] = "";

	if (record->type != XP_RECORD_MMAP2)
		return 0;
	if (has_map_id(map))
		id_text(map->build_id, map->build_id_size, text);
	if (!values->modules) {
		puts(text);
		return 1;
	}
	printf("%-*s %16" PRIx64 " %16" PRIx64 " %.*s\n", ID_WIDTH, text, map->address,
	       map->address + map->len,
	       *name == '[' && end ? (int)(end + 1 - name) : (int)strlen(name), name);
	return 0;
}

static int run_kernel(const struct cli *cli, struct values *values)
{
	const struct xp_synth_opts opts = { .size = sizeof(opts), .build_ids = true };
	struct xp_ctx *ctx = cli_ctx_new(cli, 0);
	int err = ctx ? xp_synth_kernel(ctx, &opts, print_map, values) : -ENOMEM;

	cli_ctx_free(ctx);
	return err < 0 ? EXIT_FAILED : 0;
}

static int run_recording(const struct cli *cli, const struct values *values)
{
	struct recording rec;
	int err = recording_open(&rec, cli, &values->read);

	if (!err)
		err = files_each(&rec, values->hits ? FILES_HIT : FILES_RECORDED, print_file, NULL);
	return recording_close(&rec, err, values->verbose);
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct values values = { 0 };
	struct xp_build_id id;
	char text[ID_TEXT];
	int first, status;

	if (!options_parse(&buildid_list_command, argc, argv, &values, &first, &status))
		return status;
	if (first < argc)
		return options_misused(&buildid_list_command, "unexpected argument '%s'",
				       argv[first]);
	if (values.kernel || values.modules)
		return run_kernel(cli, &values);
	if (values.read.input && !xp_symbol_build_id(values.read.input, &id, NULL)) {
		id_text(id.bytes, id.len, text);
		puts(text);
		return 0;
	}
	return run_recording(cli, &values);
}

const struct command buildid_list_command = {
	.name = "buildid-list",
	.summary = "List the build ids of a recording's files",
	.usage = "[<options>]",
	.options = options,
	.run = run,
};
