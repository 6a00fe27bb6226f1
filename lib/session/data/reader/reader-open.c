/* SPDX-License-Identifier: MIT */
/* Opening a recording, and starting again: a file, a directory of files, or standard input. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <xperf/ctx.h>
#include <xperf/diag.h>
#include <xperf/sys.h>

#include "cleanup.h"
#include "opts.h"
#include "reader-impl.h"

static int check_owner(const struct xp_data *data, const struct stat *st, struct xp_diag *diag)
{
	if (!st->st_uid || st->st_uid == data->sys->euid(data->sys))
		return 0;
	xp_diag_set(diag, -EPERM, "'%s' belongs to neither you nor root", data->path);
	xp_diag_hint(diag, "use the option force to read it anyway");
	return -EPERM;
}

/* A file of the recording. */
static int open_file(const struct xp_data *data, const char *name, struct xp_source *source)
{
	struct xp_str path = { 0 };
	int err = -ENOMEM;

	xp_str_addf(&path, data->directory ? "%s/%s" : "%s", data->path, name);
	if (!path.failed)
		err = xp_source_open(source, data->sys, path.s);
	xp_str_fini(&path);
	return err;
}

static int open_first(struct xp_data *data, bool force, struct xp_diag *diag)
{
	struct stat st = { 0 };
	int err = strcmp(data->path, "-") ? data->sys->stat(data->sys, data->path, &st) : 0;

	if (!err && !force && check_owner(data, &st, diag))
		return -EPERM;
	data->directory = !err && S_ISDIR(st.st_mode);
	if (!err)
		err = open_file(data, "data", &data->main);
	if (!err)
		return 0;
	if (data->directory && err == -ENOENT) {
		xp_diag_set(diag, -EISDIR,
			    "'%s' is a directory, and no recording: it has no file 'data'",
			    data->path);
		return -EISDIR;
	}
	xp_diag_set(diag, err, "Cannot open '%s%s': %s", data->path, data->directory ? "/data" : "",
		    strerror(-err));
	if (err == -ENOENT)
		xp_diag_hint(diag, "Make a recording first");
	return err;
}

/* What comes next begins here. */
static void start_at(struct xp_data *data, struct xp_source *source, uint64_t first, uint64_t limit)
{
	data->source = source;
	data->at = data->offset = first;
	data->limit = limit;
	data->next_mark = first;
	data->is_plain = !data->swapped && !data->unpacked.bytes;
	xp_reader_unpack_reset(data);
}

int xp_data_open(struct xp_ctx *ctx, const struct xp_data_opts *opts, struct xp_data **ret_data,
		 struct xp_diag *diag)
{
	struct xp_data_opts known = { .size = 0 };
	int err = XP_OPTS_COPY(&known, opts, struct xp_data_opts, spool, diag);

	if (err)
		return err;
	if (!known.path)
		return xp_diag_set(diag, -EINVAL, "No file is given to read");
	struct xp_data *data = calloc(1, sizeof(*data));
	if (data) {
		data->main.fd = data->part.fd = -1;
		data->path = strdup(known.path);
	}
	if (!data || !data->path) {
		err = xp_diag_set(diag, -ENOMEM, "Out of memory");
		goto fail;
	}
	data->ctx = ctx;
	data->sys = xp_ctx_sys(ctx);
	data->source = &data->main;
	err = open_first(data, known.force, diag);
	if (!err && known.spool)
		xp_source_keep(&data->main);
	if (!err)
		data->main.reads_ahead = known.read_ahead && data->main.file;
	data->is_stopped = data->main.is_stopped = known.is_stopped;
	data->stop_data = data->main.stop_data = known.stop_data;
	if (!err)
		err = xp_reader_header(data, diag);
	if (!err && data->features[XP_FEATURE_COMPRESSED].at)
		err = xp_reader_unpack_init(data, diag);
	if (err)
		goto fail;
	start_at(data, &data->main, data->first, data->end);
	*ret_data = data;
	return 0;
fail:
	xp_data_close(data);
	return err;
}

/* What readers of ranges have, too. */
static void free_shared(struct xp_data *data)
{
	xp_reader_free_events(data);
	xp_reader_unpack_fini(data);
	for (size_t i = 0; i < XP_ARRAY_LEN(data->features); i++)
		free(data->features[i].own);
	free(data->path);
}

void xp_data_close(struct xp_data *data)
{
	if (!data)
		return;
	if (!data->is_range)
		free_shared(data);
	for (size_t i = 0; i < XP_ARRAY_LEN(data->damages); i++)
		free(data->damages[i]);
	xp_reader_forget_order(data);
	xp_source_close(&data->part);
	xp_source_close(&data->main);
	free(data->bounce);
	free(data->marks);
	free(data);
}

int xp_reader_next_part(struct xp_data *data)
{
	char name[sizeof(data->part_name)];

	if (!data->directory || data->main.was_stopped ||
	    (data->stop_part && data->next_part >= data->stop_part))
		return 0;
	snprintf(name, sizeof(name), "data.%d", data->next_part);
	xp_source_close(&data->part);
	int err = open_file(data, name, &data->part);
	if (err)
		return err == -ENOENT ? 0 : err;
	data->next_part++;
	data->part.is_stopped = data->is_stopped;
	data->part.stop_data = data->stop_data;
	if (data->next_part == data->stop_part && data->stop_at < data->part.total)
		data->part.total = data->stop_at;
	data->passed += data->at + 1;
	memcpy(data->part_name, name, sizeof(name));
	start_at(data, &data->part, 0, xp_source_total(&data->part));
	return 1;
}

int xp_data_rewind(struct xp_data *data)
{
	if (!xp_source_is_random(&data->main) && data->main.stream)
		return -ESPIPE;
	xp_reader_forget_order(data);
	*data->part_name = '\0';
	data->next_part = 0;
	data->step = 0;
	data->passed = 0;
	memset(data->nr_packed, 0, sizeof(data->nr_packed));
	start_at(data, &data->main, data->first, data->end);
	return 0;
}
