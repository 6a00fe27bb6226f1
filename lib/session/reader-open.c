/* SPDX-License-Identifier: MIT */
/* Opening a recording, and starting again: a file, a directory of files, or standard input. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xperf/ctx.h>

#include "cleanup.h"
#include "reader.h"

/* A descriptor of a file of the recording; NAME NULL: of the recording itself. */
static int open_file(const struct xp_data *data, const char *name)
{
	struct xp_str path = { 0 };
	int fd = -ENOMEM;

	xp_str_addf(&path, name ? "%s/%s" : "%s", data->path, name);
	if (!path.failed)
		fd = data->sys->open(data->sys, path.s);
	xp_str_fini(&path);
	return fd;
}

static int check_owner(const struct xp_data *data, int fd, bool force, struct xp_diag *diag)
{
	uid_t self = data->sys->euid(data->sys);
	struct stat st;

	if (force || fstat(fd, &st) < 0 || !st.st_uid || st.st_uid == self)
		return 0;
	xp_diag_set(diag, -EPERM, "'%s' belongs to neither you nor root", data->path);
	xp_diag_hint(diag, "Read it nevertheless with -f");
	return -EPERM;
}

/* The descriptor of the first file. */
static int open_first(struct xp_data *data, bool force, struct xp_diag *diag)
{
	struct stat st;
	int fd = open_file(data, NULL);

	if (fd >= 0 && !fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		data->sys->close(data->sys, fd);
		data->directory = true;
		fd = open_file(data, "data");
	}
	if (fd < 0) {
		xp_diag_set(diag, fd, "Cannot open '%s%s': %s", data->path,
			    data->directory ? "/data" : "", strerror(-fd));
		if (fd == -ENOENT)
			xp_diag_hint(diag, "Make a recording with xperf record");
		return fd;
	}
	int err = check_owner(data, fd, force, diag);
	if (!err)
		return fd;
	data->sys->close(data->sys, fd);
	return err;
}

static int open_source(struct xp_data *data, bool force, struct xp_diag *diag)
{
	bool standard_input = !strcmp(data->path, "-");
	int fd = standard_input ? STDIN_FILENO : open_first(data, force, diag);

	if (fd < 0)
		return fd;
	int err = xp_source_open(&data->main, data->sys, fd, !standard_input);
	return err ? xp_diag_set(diag, err, "Cannot read '%s': %s", data->path, strerror(-err)) : 0;
}

/* What comes next begins here. */
static void start_at(struct xp_data *data, struct xp_source *source, uint64_t first, uint64_t limit)
{
	data->source = source;
	data->at = data->offset = first;
	data->limit = limit;
	reader_unpack_reset(data);
}

int xp_data_open(struct xp_ctx *ctx, const struct xp_data_opts *opts, struct xp_data **ret_data,
		 struct xp_diag *diag)
{
	struct xp_data *data = calloc(1, sizeof(*data));
	int err = -ENOMEM;

	if (opts->size > sizeof(*opts)) {
		free(data);
		return xp_diag_set(diag, -EINVAL, "The program is newer than libxperf");
	}
	if (data)
		data->path = strdup(opts->path);
	if (!data || !data->path) {
		xp_diag_set(diag, err, "Out of memory");
		goto fail;
	}
	data->ctx = ctx;
	data->sys = xp_ctx_sys(ctx);
	data->main.fd = data->part.fd = -1;
	data->source = &data->main;
	err = open_source(data, opts->force, diag);
	if (!err)
		err = reader_header(data, diag);
	if (!err && data->features[XP_FEATURE_COMPRESSED].at)
		err = reader_unpack_init(data, diag);
	if (err)
		goto fail;
	start_at(data, &data->main, data->first, data->end);
	*ret_data = data;
	return 0;
fail:
	xp_data_close(data);
	return err;
}

void xp_data_close(struct xp_data *data)
{
	if (!data)
		return;
	reader_free_events(data);
	reader_unpack_fini(data);
	for (size_t i = 0; i < XP_ARRAY_LEN(data->features); i++)
		free(data->features[i].own);
	for (size_t i = 0; i < XP_ARRAY_LEN(data->damages); i++)
		free(data->damages[i]);
	xp_source_close(&data->part);
	xp_source_close(&data->main);
	free(data->bounce);
	free(data->path);
	free(data);
}

int reader_next_part(struct xp_data *data)
{
	char name[sizeof(data->part_name)];

	if (!data->directory)
		return 0;
	snprintf(name, sizeof(name), "data.%d", data->next_part);
	int fd = open_file(data, name);
	if (fd == -ENOENT)
		return 0;
	xp_source_close(&data->part);
	int err = fd < 0 ? fd : xp_source_open(&data->part, data->sys, fd, true);
	if (err)
		return err;
	data->next_part++;
	memcpy(data->part_name, name, sizeof(name));
	start_at(data, &data->part, 0, data->part.len);
	return 1;
}

int xp_data_rewind(struct xp_data *data)
{
	if (data->main.stream)
		return -ESPIPE;
	*data->part_name = '\0';
	data->next_part = 0;
	data->step = 0;
	start_at(data, &data->main, data->first, data->end);
	return 0;
}
