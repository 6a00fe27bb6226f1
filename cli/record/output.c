/* SPDX-License-Identifier: MIT */
/*
 * Makes and completes the files of a recording. Their names are perf's: with --switch-output, and
 * --timestamp-filename, a file is written as FILE and renamed to FILE.YYYYMMDDhhmmsscc at its end.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xperf/ctx.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/sys.h>

#include "describe.h"
#include "vec.h"

#define NS_PER_S 1000000000ULL

static int out_of_memory(struct xp_diag *diag)
{
	return xp_diag_set(diag, -ENOMEM, "Out of memory");
}

/* The program's own path goes before what it was called with, as perf has it. */
static int keep_command_line(struct output *output, const struct cli *cli, int argc, char **argv)
{
	char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self));
	bool is_known = len > 0 && (size_t)len < sizeof(self);

	output->argv = calloc((size_t)argc + 2, sizeof(*output->argv));
	if (!output->argv)
		return -ENOMEM;
	output->argv[0] = is_known ? strndup(self, (size_t)len) : strdup(cli->name);
	for (int i = 0; i < argc; i++)
		output->argv[1 + i] = argv[i];
	output->argc = argc + 1;
	return output->argv[0] ? 0 : -ENOMEM;
}

/* What others print must not get into a stream on standard output: they print to stderr then. */
static int use_stream(struct output *output, int fd, struct xp_diag *diag)
{
	if (isatty(fd)) {
		xp_diag_set(diag, -EINVAL, "A recording cannot be written to a terminal");
		xp_diag_hint(diag, "Pipe it into a program, or name a file: -o FILE");
		return -EINVAL;
	}
	fflush(stdout);
	output->stream_fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (output->stream_fd < 0)
		return xp_diag_set(diag, -errno, "'%s' cannot be written: %s", output->path,
				   strerror(errno));
	if (fd == STDOUT_FILENO && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return xp_diag_set(diag, -errno, "Standard output cannot be duplicated: %s",
				   strerror(errno));
	return 0;
}

/* Where a link leads to that leads to no file yet. */
static char *missing_target(const char *link)
{
	const char *slash = strrchr(link, '/');
	char target[4096], *path;
	ssize_t len = readlink(link, target, sizeof(target) - 1);

	if (len < 0)
		return NULL;
	target[len] = '\0';
	if (*target == '/' || !slash)
		return strdup(target);
	return asprintf(&path, "%.*s/%s", (int)(slash - link), link, target) < 0 ? NULL : path;
}

/*
 * A link of one's own to a file of one's own, or to a file that is not there yet, is followed: the
 * recording replaces the file it leads to. The writer follows none, since others can put links into
 * directories like /tmp.
 */
static int follow_link(struct output *output, struct xp_diag *diag)
{
	const struct xp_sys *sys = xp_ctx_sys(output->ctx);
	struct stat link, file;
	uid_t me = sys->euid(sys);

	if (sys->lstat(sys, output->path, &link) || !S_ISLNK(link.st_mode) || link.st_uid != me)
		return 0;
	bool is_there = !sys->stat(sys, output->path, &file);
	if (is_there && S_ISREG(file.st_mode) && file.st_uid != me)
		return 0;
	output->followed = is_there ? realpath(output->path, NULL) : missing_target(output->path);
	if (!output->followed)
		return xp_diag_set(diag, -errno, "'%s' cannot be written: %s", output->path,
				   strerror(errno));
	output->path = output->followed;
	return 0;
}

int output_init(struct output *output, struct xp_ctx *ctx, const struct record_config *config,
		const struct cli *cli, int argc, char **argv, struct xp_diag *diag)
{
	*output = (struct output){ .ctx = ctx, .config = config, .stream_fd = -1 };
	output->path = config->output ? config->output : "perf.data";
	if (keep_command_line(output, cli, argc, argv))
		return out_of_memory(diag);
	int fd = record_stream_fd(config);
	return fd < 0 ? follow_link(output, diag) : use_stream(output, fd, diag);
}

static int open_writer(const struct output *output, struct xp_data_writer **ret_writer,
		       struct xp_diag *diag)
{
	const struct record_config *config = output->config;
	struct xp_data_writer_opts opts = {
		.size = sizeof(opts),
		.path = output->stream_fd < 0 ? output->path : NULL,
		.fd = output->stream_fd,
		.shape = output->stream_fd < 0 ? XP_DATA_FILE : XP_DATA_PIPE,
		.compress_level = config->compress_level,
		.directory = config->kcore,
	};

	return xp_data_writer_open(output->ctx, &opts, ret_writer, diag);
}

int output_begin(struct output *output, struct xp_data_writer **ret_writer, struct xp_diag *diag)
{
	const struct xp_sys *sys = xp_ctx_sys(output->ctx);
	struct xp_data_writer *writer;
	struct stat stat;

	/* As the writer sees it: of an empty file nothing is kept. */
	output->has_old = output->stream_fd < 0 && !sys->lstat(sys, output->path, &stat) &&
			  S_ISREG(stat.st_mode) && stat.st_size;
	int err = open_writer(output, &writer, diag);

	if (err)
		return err;
	bool is_file = output->stream_fd < 0 && !sys->stat(sys, output->path, &stat) &&
		       S_ISREG(stat.st_mode);
	output->device = is_file ? stat.st_dev : 0;
	output->inode = is_file ? stat.st_ino : 0;
	err = describe_recording(output, writer, diag) ?: xp_data_writer_start(writer, diag);
	if (err) {
		xp_data_writer_free(writer);
		return err;
	}
	*ret_writer = writer;
	return 0;
}

/* "perf.data.2026112110450492": local time, and hundredths of a second. NULL without memory. */
static char *name_at(const struct output *output, uint64_t ns)
{
	time_t seconds = (time_t)(ns / NS_PER_S);
	char stamp[32], *name;
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &tm);
	if (asprintf(&name, "%s.%s%02d", output->path, stamp,
		     (int)(ns % NS_PER_S / (NS_PER_S / 100))) < 0)
		return NULL;
	return name;
}

/* A file of the same hundredth is not replaced: the next one is taken. */
static char *stamped_name(const struct output *output)
{
	const struct xp_sys *sys = xp_ctx_sys(output->ctx);
	uint64_t ns = 0, resolution_ns;
	struct stat stat;

	sys->clock(sys, CLOCK_REALTIME, &ns, &resolution_ns);
	char *name = name_at(output, ns);
	while (name && !sys->lstat(sys, name, &stat)) {
		free(name);
		ns += NS_PER_S / 100;
		name = name_at(output, ns);
	}
	return name;
}

static int drop_oldest(struct output *output, struct xp_diag *diag)
{
	const struct xp_sys *sys = xp_ctx_sys(output->ctx);
	char *oldest = output->kept[0];
	int err = sys->remove(sys, oldest);

	if (err && err != -ENOENT)
		xp_diag_set(diag, err, "The oldest file, %s, cannot be removed: %s", oldest,
			    strerror(-err));
	free(oldest);
	output->nr_kept--;
	memmove(output->kept, output->kept + 1, (size_t)output->nr_kept * sizeof(*output->kept));
	return err == -ENOENT ? 0 : err;
}

static int keep(struct output *output, const char *name, struct xp_diag *diag)
{
	if (vec_add(&output->kept, (size_t)output->nr_kept, sizeof(*output->kept)))
		return out_of_memory(diag);
	output->kept[output->nr_kept] = strdup(name);
	if (!output->kept[output->nr_kept])
		return out_of_memory(diag);
	output->nr_kept++;
	return output->nr_kept > output->config->max_files ? drop_oldest(output, diag) : 0;
}

static char *name_of(const struct output *output)
{
	if (output->stream_fd >= 0)
		return strdup("-");
	return output->config->timestamp_filename ? stamped_name(output) : strdup(output->path);
}

int output_name(struct output *output, struct output_file *ret_file, struct xp_diag *diag)
{
	const struct xp_sys *sys = xp_ctx_sys(output->ctx);
	char *name = name_of(output);

	if (!name)
		return out_of_memory(diag);
	*ret_file = (struct output_file){ .name = name,
					  .device = output->device,
					  .inode = output->inode };
	if (!output->config->timestamp_filename)
		return 0;
	int err = sys->rename(sys, output->path, name);
	if (!err)
		return output->config->max_files ? keep(output, name, diag) : 0;
	xp_diag_set(diag, err, "%s cannot be renamed to %s: %s", output->path, name,
		    strerror(-err));
	free(name);
	ret_file->name = strdup(output->path);
	return err;
}

/* Of a stream what went through, of a file what it takes. */
static uint64_t size_of(const struct output *output, const struct xp_data_writer *writer,
			const struct output_file *file)
{
	const struct xp_sys *sys = xp_ctx_sys(output->ctx);
	struct stat stat;

	if (file->name && !sys->lstat(sys, file->name, &stat) && S_ISREG(stat.st_mode))
		return (uint64_t)stat.st_size;
	return xp_data_writer_bytes(writer);
}

/* Somebody may have removed the file, or put another one in its place. */
static int check_place(const struct output *output, struct output_file *file, struct xp_diag *diag)
{
	const struct xp_sys *sys = xp_ctx_sys(output->ctx);
	struct stat stat;

	file->is_gone = file->inode && (sys->stat(sys, file->name, &stat) ||
					stat.st_dev != file->device || stat.st_ino != file->inode);
	return file->is_gone ? xp_diag_set(diag, -ENOENT,
					   "'%s' was removed, renamed or replaced while it was "
					   "written",
					   file->name)
			     : 0;
}

int output_end(struct output *output, struct xp_data_writer *writer, const struct output_end *end,
	       struct output_file *file, struct xp_diag *diag)
{
	int err = describe_end(writer, end, diag);
	free(end->missing);
	int finish_err = xp_data_writer_finish(writer, diag) ?: check_place(output, file, diag);

	file->bytes = size_of(output, writer, file);
	xp_data_writer_free(writer);
	return finish_err ? finish_err : err;
}

int output_failed(const struct output *output, int err, struct xp_diag *diag)
{
	if (output->stream_fd >= 0)
		return xp_diag_set(diag, err, "standard output cannot be written: %s",
				   strerror(-err));
	return xp_diag_set(diag, err, "'%s' cannot be written: %s", output->path, strerror(-err));
}

void output_discard(struct output *output, struct xp_data_writer *writer)
{
	const struct xp_sys *sys = xp_ctx_sys(output->ctx);
	struct stat stat;
	char *old;

	xp_data_writer_free(writer);
	if (output->stream_fd >= 0 || sys->lstat(sys, output->path, &stat) ||
	    !S_ISREG(stat.st_mode))
		return;
	sys->remove(sys, output->path);
	if (!output->has_old || asprintf(&old, "%s.old", output->path) < 0)
		return;
	sys->rename(sys, old, output->path);
	free(old);
}

void output_fini(struct output *output)
{
	for (int i = 0; i < output->nr_kept; i++)
		free(output->kept[i]);
	free(output->kept);
	free(output->followed);
	if (output->argv)
		free((char *)output->argv[0]);
	free(output->argv);
	if (output->stream_fd >= 0)
		close(output->stream_fd);
}
