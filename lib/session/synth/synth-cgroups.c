/* SPDX-License-Identifier: MIT */
/*
 * The control groups there are, so that the numbers in samples have names. The number of a cgroup
 * is the inode of its directory. Source: cgroup_id() of linux/cgroup.h, kernfs ids since Linux
 * 5.5; checked against what perf 6.1 --all-cgroups writes.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cgroup.h"
#include "cleanup.h"
#include "names.h"
#include "str.h"
#include "synth-emit.h"

/* @name: "/" or "a/b". One that is gone meanwhile is left out. */
static int emit_cgroup(struct synth *synth, const char *mounted, const char *name)
{
	struct xp_record_cgroup *rec = &synth->rec.cgroup;
	const struct xp_sys *sys = synth->ctx->sys;
	bool is_whole = !strcmp(name, "/");
	struct xp_str path = { 0 };
	struct stat st;

	xp_str_addf(&path, "%s%s", synth->ctx->root, mounted);
	size_t len = path.len;
	xp_str_addf(&path, "/%s", is_whole ? "" : name);
	xp_auto_free char *text = xp_str_detach(&path);
	if (!text)
		return -ENOMEM;
	if (sys->stat(sys, text, &st))
		return 0;
	xp_synth_begin(synth, XP_RECORD_CGROUP, 0, sizeof(*rec));
	rec->id = st.st_ino;
	return xp_synth_emit(synth, sizeof(*rec), text + len, strlen(text + len));
}

int xp_synth_cgroups(struct xp_ctx *ctx, const struct xp_synth_opts *opts, xp_record_fn fn,
		     void *data)
{
	struct xp_names names = { 0 };
	struct synth *synth;
	int err = xp_synth_new(ctx, opts, fn, data, &synth);

	if (err)
		return err;
	err = xp_cgroups_list(ctx, &names);
	if (err == -ENODEV)
		err = 0;
	for (int i = 0; i < names.nr && !err; i++)
		err = emit_cgroup(synth, xp_cgroups_path(ctx), names.at[i]);
	xp_names_fini(&names);
	xp_synth_free(synth);
	return err;
}
