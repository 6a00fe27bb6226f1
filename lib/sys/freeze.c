/* SPDX-License-Identifier: MIT */
/*
 * Whether the processor's counters stand still in system management mode. One setting for all CPUs,
 * which outlives the process that made it.
 * Source: perf-stat(1), "--smi-cost"; Intel's manual, volume 3, "IA32_DEBUGCTL", FREEZE_WHILE_SMM.
 */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/pmu.h>
#include <xperf/sys.h>

#include "cleanup.h"
#include "ctx.h"
#include "replace.h"
#include "str.h"

#define SETTING "/sys/devices/cpu/freeze_on_smi"

static int write_setting(struct xp_ctx *ctx, bool on)
{
	const struct xp_sys *sys = ctx->sys;
	char digit = on ? '1' : '0';
	struct iovec piece = { .iov_base = &digit, .iov_len = 1 };
	struct xp_str path = { 0 };

	xp_str_addf(&path, "%s" SETTING, ctx->root);
	xp_auto_free char *text = xp_str_detach(&path);
	int fd = text ? sys->create(sys, text, 0) : -ENOMEM;
	if (fd < 0)
		return fd;
	int err = xp_write_all(sys, fd, &piece, 1);
	sys->close(sys, fd);
	return err;
}

/* What failed, why, what helps. */
static int explain(int err, bool on, struct xp_diag *diag)
{
	const char *what = on ? "cannot be set to 1" : "cannot be set back to 0";

	if (err == -ENOENT) {
		xp_diag_set(diag, err,
			    "There is no " SETTING ": the kernel has it on Intel's processors "
			    "whose CPUs are all of one kind");
		xp_diag_hint(diag, "the event msr/smi/ counts the interrupts without it");
		return err;
	}
	if (err == -EINVAL)
		return xp_diag_set(diag, err, SETTING " has no value that is understood");
	xp_diag_set(diag, err, SETTING " %s: %s", what, strerror(-err));
	if (err == -EACCES || err == -EPERM)
		xp_diag_hint(diag, "root alone may write it: use sudo");
	return err;
}

int xp_pmu_freeze_on_smi(struct xp_ctx *ctx, bool on, bool *ret_was, struct xp_diag *diag)
{
	int64_t value = !on;
	int err = ret_was ? xp_file_read_int(ctx, &value, SETTING) : 0;

	if (!err && (value < 0 || value > 1))
		err = -EINVAL;
	if (!err && value != on)
		err = write_setting(ctx, on);
	if (err)
		return explain(err, on, diag);
	if (ret_was)
		*ret_was = value;
	return 0;
}
