/* SPDX-License-Identifier: MIT */
/*
 * `xperf buildid-cache`: the files that are kept by build id. Source of options and of what is
 * printed: perf-buildid-cache(1); perf 6.1, measured. Ours differs in one place: what fails is not
 * success.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/diag.h>
#include <xperf/symbol.h>

#include "cache.h"
#include "escape.h"
#include "files.h"
#include "options.h"

struct values {
	struct recording_opts read;
	const char *add, *remove, *purge, *update, *missing;
	bool list, purge_all;
	int verbose;
};

#define VALUE(field) .offset = offsetof(struct values, field)

static const struct option options[] = {
	{ 'a', "add", OPTION_STRING, VALUE(add), .value = "file,...", .help = "keep these files" },
	{ 'r', "remove", OPTION_STRING, VALUE(remove), .value = "file,...",
	  .help = "remove these files, as they are now" },
	{ 'p', "purge", OPTION_STRING, VALUE(purge), .value = "file,...",
	  .help = "remove these files, in all versions" },
	{ 'P', "purge-all", OPTION_FLAG, VALUE(purge_all), .help = "remove all files" },
	{ 'u', "update", OPTION_STRING, VALUE(update), .value = "file,...",
	  .help = "replace these files, if their build ids are the same" },
	{ 'M', "missing", OPTION_STRING, VALUE(missing), .value = "recording",
	  .help = "list the files of a recording that are not kept" },
	{ 'l', "list", OPTION_FLAG, VALUE(list), .help = "list all files" },
	{ 'f', "force", OPTION_FLAG, VALUE(read.force),
	  .help = "with -M: read the recording even if it belongs to another user" },
	{ 'v', "verbose", OPTION_COUNT, VALUE(verbose), .help = "report what is done" },
	{ 0 },
};

/* What is being done, and to which directory. */
struct job {
	const char *dir;
	const char *path; /* the file, as -p compares it */
	const char *verb; /* for -v */
	int verbose, nr;
};

static int fail(const struct xp_diag *diag)
{
	cli_print_diag(diag, NULL);
	return -1;
}

static void report(const struct job *job, const char *id, const char *name)
{
	if (!job->verbose)
		return;
	fprintf(stderr, "%s %s ", job->verb, id);
	escape_print(stderr, name);
	fputc('\n', stderr);
}

/* --- one file --- */

/* The build id of a file, as text. Returns 0, or -1 after one sentence. */
static int id_of(const char *path, char id[CACHE_ID_TEXT])
{
	struct xp_build_id bytes;
	struct xp_diag diag = { 0 };

	if (xp_symbol_build_id(path, &bytes, &diag))
		return fail(&diag);
	id_text(bytes.bytes, bytes.len, id);
	return 0;
}

static int add(struct job *job, const char *path, const char *real)
{
	char id[CACHE_ID_TEXT];
	struct xp_diag diag = { 0 };

	if (id_of(path, id))
		return -1;
	if (cache_add(job->dir, real, id, &diag))
		return fail(&diag);
	report(job, id, real);
	return 0;
}

static int remove_entry(const struct cache_entry *entry, void *data)
{
	struct job *job = data;
	struct xp_diag diag = { 0 };

	if (job->path && strcmp(job->path, entry->name) != 0)
		return 0;
	if (cache_remove(job->dir, entry, &diag))
		return fail(&diag);
	report(job, entry->id, entry->name);
	job->nr++;
	return 0;
}

static int say_not_there(const char *path)
{
	fputs("Error: ", stderr);
	escape_print(stderr, path);
	fputs(" is not kept\n", stderr);
	return -1;
}

static int remove_file(struct job *job, const char *path, const char *real)
{
	struct cache_entry entry;
	char id[CACHE_ID_TEXT];

	(void)real;
	if (id_of(path, id))
		return -1;
	job->path = NULL;
	return cache_find(job->dir, id, &entry) ? remove_entry(&entry, job) : say_not_there(path);
}

static int purge(struct job *job, const char *path, const char *real)
{
	job->path = real;
	job->nr = 0;
	int err = cache_each(job->dir, remove_entry, job);
	return err ? err : job->nr ? 0 : say_not_there(path);
}

static int update(struct job *job, const char *path, const char *real)
{
	struct cache_entry entry;
	struct xp_diag diag = { 0 };
	char id[CACHE_ID_TEXT];

	if (id_of(path, id))
		return -1;
	if (!cache_find(job->dir, id, &entry))
		return say_not_there(path);
	return cache_remove(job->dir, &entry, &diag) ? fail(&diag) : add(job, path, real);
}

/* Calls @fn for each file of a list, also after one has failed. Returns 0, or -1: one has. */
static int each_of(const char *list, const char *verb, struct job *job,
		   int (*fn)(struct job *job, const char *path, const char *real))
{
	char path[CACHE_PATH];
	int failed = 0;

	if (!list)
		return 0;
	job->verb = verb;
	do {
		snprintf(path, sizeof(path), "%.*s", (int)strcspn(list, ","), list);
		char *real = realpath(path, NULL);

		if (fn(job, path, real ? real : path))
			failed = -1;
		free(real);
		list += strcspn(list, ",");
		list += *list == ',';
	} while (*list);
	return failed;
}

/* --- lists --- */

static void print_row(const char *id, const char *name)
{
	printf("%s ", id);
	escape_print(stdout, name);
	putchar('\n');
}

static int print_entry(const struct cache_entry *entry, void *data)
{
	(void)data;
	print_row(entry->id, entry->name);
	return 0;
}

static int print_missing(const struct file_id *file, void *data)
{
	const struct job *job = data;
	struct cache_entry entry;
	char id[CACHE_ID_TEXT];

	id_text(file->id, file->id_len, id);
	if (file->id_len && (!cache_find(job->dir, id, &entry) || access(entry.dir, F_OK)))
		print_row(id, file->path);
	return 0;
}

static int list_missing(const struct cli *cli, struct values *values, struct job *job)
{
	struct recording rec;

	values->read.input = values->missing;
	int err = recording_open(&rec, cli, &values->read);
	if (!err)
		err = files_each(&rec, FILES_RECORDED, print_missing, job);
	return recording_close(&rec, err, values->verbose);
}

/* In the order in which perf does it. Returns the exit status. */
static int change(const struct values *values, struct job *job)
{
	int failed = each_of(values->add, "Added", job, add);

	failed |= each_of(values->remove, "Removed", job, remove_file);
	failed |= each_of(values->purge, "Removed", job, purge);
	job->path = NULL;
	job->verb = "Removed";
	if (values->purge_all)
		failed |= cache_each(job->dir, remove_entry, job);
	failed |= each_of(values->update, "Replaced", job, update);
	return failed ? EXIT_FAILED : 0;
}

static int run(const struct cli *cli, int argc, char **argv)
{
	const struct command *self = &buildid_cache_command;
	struct values values = { 0 };
	int first, status;

	if (!options_parse(self, argc, argv, &values, &first, &status))
		return status;
	if (first < argc)
		return options_misused(self, "unexpected argument '%s'", argv[first]);
	bool changes =
		values.add || values.remove || values.purge || values.purge_all || values.update;
	if (!changes && !values.list && !values.missing)
		return options_misused(self, "-a, -r, -p, -P, -u, -M or -l is missing");
	if (changes + values.list + !!values.missing > 1)
		return options_misused(self, "-l and -M cannot be used with other options");
	char *dir = cli_build_id_dir();
	struct job job = { .dir = dir, .verbose = values.verbose };
	if (!dir)
		status = EXIT_FAILED;
	else if (values.missing)
		status = list_missing(cli, &values, &job);
	else
		status = values.list ? cache_each(dir, print_entry, NULL) : change(&values, &job);
	free(dir);
	return status;
}

const struct command buildid_cache_command = {
	.name = "buildid-cache",
	.summary = "List, add and remove the files that are kept by build id",
	.usage = "[<options>]",
	.options = options,
	.run = run,
};
