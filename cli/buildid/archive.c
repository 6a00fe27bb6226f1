/* SPDX-License-Identifier: MIT */
/*
 * `xperf archive`: the files of a recording, by build id, in a tar archive that is unpacked into
 * ~/.debug where the recording is to be looked at: there perf finds them, too.
 *
 * Source of names and layout: perf-archive(1); perf-buildid-cache(1).
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xperf/diag.h>
#include <xperf/symbol.h>

#include "cache.h"
#include "escape.h"
#include "files.h"
#include "options.h"
#include "plural.h"
#include "result.h"
#include "tar.h"

enum { PATH_ROOM = 4096, ID_TEXT = 41 };

struct values {
	struct recording_opts read;
	const char *output, *compress;
	bool unpack;
	int verbose;
};

#define VALUE(field) .offset = offsetof(struct values, field)

static const struct option options[] = {
	{ 'o', "output", OPTION_STRING, VALUE(output), .value = "file",
	  .help = "write the archive to this file (default: the recording's name with .tar.zst, "
		  ".tar.gz or .tar)" },
	{ 0, "compress", OPTION_STRING, VALUE(compress), .value = "zstd|gzip|none",
	  .help = "compress with this program (default: the first that is installed)" },
	{ 0, "unpack", OPTION_FLAG, VALUE(unpack),
	  .help = "unpack an archive into ~/.debug (default: that of perf.data)" },
	{ 'f', "force", OPTION_FLAG, VALUE(read.force),
	  .help = "read the recording even if it belongs to another user" },
	{ 'v', "verbose", OPTION_COUNT, VALUE(verbose),
	  .help = "report all damage of the recording" },
	{ 0 },
};

/* What packs: its program, and how its files end. */
static const struct packer {
	const char *name, *program, *suffix;
} packers[] = {
	{ "zstd", "zstd", ".tar.zst" },
	{ "gzip", "gzip", ".tar.gz" },
	{ "none", NULL, ".tar" },
};

/* An archive that is being made. */
struct archive {
	FILE *tar;
	pid_t packer; /* 0: none */
	const char *cache;
	char *unreadable; /* the file that an error is about; NULL: the recording */
	int nr_files, nr_missing;
};

extern char **environ;

/* --- one file --- */

/* "usr/bin/ls/ID/NAME" and its link. Returns 0, or why the archive cannot be written. */
static int add_as(struct archive *archive, const struct file_id *file, const char *name,
		  const char *path)
{
	char id[ID_TEXT], text[PATH_ROOM];
	const char *dir = file->path + (*file->path == '/');

	id_text(file->id, file->id_len, id);
	if (snprintf(text, sizeof(text), "%s/%s/%s", dir, id, name) >= (int)sizeof(text))
		return -ENAMETOOLONG;
	int err = tar_file(archive->tar, text, path);
	if (err && !ferror(archive->tar))
		archive->unreadable = strdup(path);
	return err;
}

static int add_link(struct archive *archive, const struct file_id *file)
{
	char id[ID_TEXT], name[64], target[PATH_ROOM];

	id_text(file->id, file->id_len, id);
	snprintf(name, sizeof(name), ".build-id/%.2s/%s", id, id + 2);
	snprintf(target, sizeof(target), "../../%s/%s", file->path + (*file->path == '/'), id);
	return tar_link(archive->tar, name, target);
}

/* What the cache has of a file. Returns how many, or why the archive cannot be written. */
static int add_cached(struct archive *archive, const struct file_id *file)
{
	char id[ID_TEXT], path[PATH_ROOM];
	int nr = 0;

	id_text(file->id, file->id_len, id);
	for (const char *const *name = cache_files; *name; name++) {
		snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s/%s", archive->cache, id, id + 2,
			 *name);
		if (access(path, R_OK))
			continue;
		int err = add_as(archive, file, *name, path);
		if (err)
			return err;
		nr++;
	}
	return nr;
}

/* True if a file has the recorded build id. */
static bool is_it(const char *path, const struct file_id *file)
{
	struct xp_build_id id;

	return !xp_symbol_build_id(path, &id, NULL) && id.len <= file->id_len &&
	       !memcmp(id.bytes, file->id, id.len);
}

/* The file where it was, and its debug file. Returns likewise. */
static int add_found(struct archive *archive, const struct file_id *file)
{
	char id[ID_TEXT], debug[PATH_ROOM];
	int err = 0, nr = 0;

	id_text(file->id, file->id_len, id);
	snprintf(debug, sizeof(debug), "/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
	if (is_it(file->path, file)) {
		err = add_as(archive, file, "elf", file->path);
		nr++;
	}
	if (!err && is_it(debug, file)) {
		err = add_as(archive, file, "debug", debug);
		nr++;
	}
	return err ? err : nr;
}

/* True if ".." is a part of a path: unpacked, the file would lie beside ~/.debug. */
static bool leads_up(const char *path)
{
	for (const char *at = path; *at; at += strcspn(at, "/"), at += *at == '/')
		if (!strncmp(at, "..", 2) && (!at[2] || at[2] == '/'))
			return true;
	return false;
}

static int add_file(const struct file_id *file, void *data)
{
	static const uint8_t none[sizeof(file->id)];
	struct archive *archive = data;
	bool has_id = memcmp(file->id, none, file->id_len) != 0;
	bool is_refused = leads_up(file->path);
	int nr = has_id && !is_refused ? add_cached(archive, file) : 0;

	if (!nr && has_id && !is_refused && *file->path == '/')
		nr = add_found(archive, file);
	if (nr > 0) {
		archive->nr_files++;
		return add_link(archive, file);
	}
	if (nr < 0)
		return nr;
	archive->nr_missing++;
	fputs("Warning: ", stderr);
	escape_print(stderr, file->path);
	fputs(is_refused ? " is left out: its path contains \"..\"\n"
	      : has_id   ? " is left out: no file with its build id was found\n"
			 : " is left out: its build id was not recorded\n",
	      stderr);
	return 0;
}

/* --- the archive --- */

/* Runs a program that packs what it is given into @fd. Returns 0 with the end to write to. */
static int start_packer(struct archive *archive, const char *program, int fd)
{
	char flag[] = "-c";
	char *argv[] = { (char *)(uintptr_t)program, flag, NULL };
	posix_spawn_file_actions_t actions;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
	int err = -posix_spawnp(&archive->packer, program, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[0]);
	archive->tar = err ? NULL : fdopen(ends[1], "w");
	if (!archive->tar)
		close(ends[1]);
	return err ? err : archive->tar ? 0 : -errno;
}

/* Why the packer's output cannot be written: it only says that it failed. Returns 0 if it can. */
static int output_error(int fd)
{
	static const char block[4096];

	return write(fd, block, sizeof(block)) < 0 ? -errno : 0;
}

/* Ends the archive. @err: why it is not complete. Returns 0 or a negative errno with @diag filled;
 * errors of the result itself are reported where it is closed. */
static int finish(struct archive *archive, const struct recording *rec, const struct packer *packer,
		  struct result *result, int err, struct xp_diag *diag)
{
	int status = 0;

	if (!err)
		err = tar_end(archive->tar);
	if (archive->packer) {
		bool is_cut = ferror(archive->tar);

		if (fclose(archive->tar) && !err)
			err = -errno;
		waitpid(archive->packer, &status, 0);
		if (status || is_cut) {
			result->stream.err = output_error(result->stream.fd);
			return xp_diag_set(diag, -EIO, "'%s' cannot be written: %s failed",
					   result->path, packer->name);
		}
	}
	return err ? xp_diag_set(diag, err, "'%s' cannot be read: %s",
				 archive->unreadable ? archive->unreadable : rec->path,
				 strerror(-err))
		   : 0;
}

static bool has_program(const char *program)
{
	char paths[PATH_ROOM], path[2 * PATH_ROOM];
	const char *all = getenv("PATH");
	char *rest = NULL;

	snprintf(paths, sizeof(paths), "%s", all ? all : "/usr/bin:/bin");
	for (char *dir = strtok_r(paths, ":", &rest); dir; dir = strtok_r(NULL, ":", &rest)) {
		snprintf(path, sizeof(path), "%s/%s", dir, program);
		if (!access(path, X_OK))
			return true;
	}
	return false;
}

/* The one that was asked for, or else the first there is. Returns NULL after one sentence. */
static const struct packer *choose(const char *name)
{
	size_t nr = sizeof(packers) / sizeof(packers[0]);

	for (size_t i = 0; i < nr; i++) {
		bool is_there = !packers[i].program || has_program(packers[i].program);

		if (name && !strcmp(packers[i].name, name) && !is_there) {
			fprintf(stderr, "Error: --compress: the program '%s' is not installed\n",
				name);
			return NULL;
		}
		if (is_there && (!name || !strcmp(packers[i].name, name)))
			return &packers[i];
	}
	fprintf(stderr, "Error: --compress: '%s' is not zstd, gzip or none\n", name);
	return NULL;
}

static int make(struct recording *rec, const struct packer *packer, const char *path)
{
	char *cache = cli_build_id_dir();
	struct archive archive = { .cache = cache };
	struct xp_diag diag = { 0 };
	struct result result = { 0 };

	int err = cache ? result_open(&result, path, rec->path, false, &diag)
			: xp_diag_set(&diag, -ENOMEM, "Out of memory");
	if (!err) {
		archive.tar = result.file;
		if (packer->program)
			err = start_packer(&archive, packer->program, result.stream.fd);
		if (err)
			xp_diag_set(&diag, err, "%s cannot be run: %s", packer->program,
				    strerror(-err));
		else
			err = finish(&archive, rec, packer, &result,
				     files_each(rec, FILES_RUN, add_file, &archive), &diag);
		err = result_close(&result, err, &diag);
		free(archive.unreadable);
	}
	free(cache);
	if (err) {
		cli_print_diag(&diag, NULL);
		return err;
	}
	printf("%s: packed %d %s, %d missing. On the other machine, run one of\n\n"
	       "    xperf archive --unpack %s\n    mkdir -p ~/.debug && tar -xf %s -C ~/.debug\n",
	       path, archive.nr_files, plural((uint64_t)archive.nr_files, "file", "files"),
	       archive.nr_missing, path, path);
	return 0;
}

/* --- unpacking --- */

/* The archive of perf.data, of xperf or of perf; NULL: there is none. */
static const char *default_archive(void)
{
	static const char *const names[] = { "perf.data.tar.zst", "perf.data.tar.gz",
					     "perf.data.tar", "perf.data.tar.bz2",
					     "perf.all.tar.bz2" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!access(names[i], R_OK))
			return names[i];
	return NULL;
}

/* Runs tar, which refuses names that lead out of the directory. Returns its status, -1: it cannot
 * be run. */
static int run_tar(const char *path, const char *dir)
{
	const char *const args[] = { "tar", "-x", "-o", "-f", path, "-C", dir, NULL };
	int status;
	pid_t pid;

	if (posix_spawnp(&pid, "tar", NULL, NULL, (char *const *)(uintptr_t)args, environ) ||
	    waitpid(pid, &status, 0) < 0)
		return -1;
	return status;
}

/* Returns the exit status. */
static int unpack(const char *path)
{
	char *dir = path ? cli_build_id_dir() : NULL;
	int status = -1;

	if (!path) {
		fputs("Error: there is no archive of perf.data here; name the file\n", stderr);
		return EXIT_FAILED;
	}
	if (dir && (!mkdir(dir, 0700) || errno == EEXIST))
		status = run_tar(path, dir);
	if (status) {
		fputs("Error: ", stderr);
		escape_print(stderr, path);
		fputs(" cannot be unpacked into ", stderr);
		escape_print(stderr, dir ? dir : "~/.debug");
		fputc('\n', stderr);
	}
	free(dir);
	return status ? EXIT_FAILED : 0;
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct values values = { 0 };
	struct recording rec;
	char path[PATH_ROOM];
	int first, failed = 0, status;

	if (!options_parse(&archive_command, argc, argv, &values, &first, &status))
		return status;
	if (first + 1 < argc)
		return options_misused(&archive_command, "unexpected argument '%s'",
				       argv[first + 1]);
	if (values.unpack)
		return unpack(first < argc ? argv[first] : default_archive());
	const struct packer *packer = choose(values.compress);
	if (!packer)
		return EXIT_USAGE;
	values.read.input = first < argc ? argv[first] : "perf.data";
	snprintf(path, sizeof(path), "%s%s", values.output ? values.output : values.read.input,
		 values.output ? "" : packer->suffix);
	int err = recording_open(&rec, cli, &values.read);
	if (!err)
		failed = make(&rec, packer, path);
	status = recording_close(&rec, err, values.verbose);
	return failed ? EXIT_FAILED : status;
}

const struct command archive_command = {
	.name = "archive",
	.summary = "Pack the files of a recording, to read it on another machine",
	.usage = "[<options>] [<file>]",
	.options = options,
	.run = run,
};
