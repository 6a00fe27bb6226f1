/* SPDX-License-Identifier: MIT */
/*
 * Commands by a descriptor or FIFO, one per line. Source of names and answers: perf-record(1) of
 * perf 6.1, "--control"; measured.
 */
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xperf/ctx.h>
#include <xperf/sys.h>

static int check_fd(int fd, struct xp_diag *diag)
{
	if (fd < 0 || fcntl(fd, F_GETFD) >= 0)
		return 0;
	return xp_diag_set(diag, -EBADF, "--control: descriptor %d is not open", fd);
}

/* For reading and writing: the other side may come and go. */
static int open_fifo(const char *path, int *ret_fd, struct xp_diag *diag)
{
	struct stat stat;
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return xp_diag_set(diag, -errno, "--control: %s cannot be opened: %s", path,
				   strerror(errno));
	if (fstat(fd, &stat) || !S_ISFIFO(stat.st_mode)) {
		close(fd);
		return xp_diag_set(diag, -EINVAL, "--control: %s is not a FIFO", path);
	}
	*ret_fd = fd;
	return 0;
}

int control_open(struct control *control, struct xp_ctx *ctx, const struct control_place *place,
		 struct xp_diag *diag)
{
	int err;

	*control = (struct control){ .ctx = ctx, .fd = -1, .ack_fd = -1 };
	if (!place->given)
		return 0;
	if (!place->fifo) {
		err = check_fd(place->fd, diag);
		if (!err)
			err = check_fd(place->ack_fd, diag);
		if (err)
			return err;
		control->fd = place->fd;
		control->ack_fd = place->ack_fd;
		return 0;
	}
	control->owns = true;
	err = open_fifo(place->fifo, &control->fd, diag);
	if (!err && place->ack_fifo)
		err = open_fifo(place->ack_fifo, &control->ack_fd, diag);
	return err;
}

void control_close(struct control *control)
{
	if (control->owns && control->fd >= 0)
		close(control->fd);
	if (control->owns && control->ack_fd >= 0)
		close(control->ack_fd);
	control->fd = control->ack_fd = -1;
}

static int ping(void *data, const char *arg, struct xp_diag *diag)
{
	(void)data;
	(void)arg;
	(void)diag;
	return 0;
}

/* Somebody who does not read his answers does not hold up the recording. */
static void acknowledge(const struct control *control)
{
	const struct xp_sys *sys = xp_ctx_sys(control->ctx);

	if (control->ack_fd >= 0)
		sys->write(sys, control->ack_fd, "ack\n", 4);
}

static int carry_out(struct control *control, const struct control_ops *ops, char *command,
		     void *data, struct xp_diag *diag)
{
	const struct {
		const char *name;
		control_fn fn;
	} commands[] = {
		{ "enable", ops->enable },     { "disable", ops->disable }, { "stop", ops->stop },
		{ "snapshot", ops->snapshot }, { "evlist", ops->list },     { "ping", ping },
	};
	size_t len = strcspn(command, " \t");
	char *arg = command + len + strspn(command + len, " \t");

	arg[strcspn(arg, " \t\r")] = '\0';
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strlen(commands[i].name) != len || strncmp(commands[i].name, command, len))
			continue;
		int err = commands[i].fn(data, arg, diag);

		if (!err)
			acknowledge(control);
		return err;
	}
	if (*command)
		fprintf(stderr,
			"Warning: --control: '%s' is not one of: enable, disable, snapshot, "
			"stop, ping, evlist\n",
			command);
	return 0;
}

/* Commands end with a line, or with a zero byte. */
static char *end_of_command(struct control *control)
{
	for (size_t i = 0; i < control->len; i++)
		if (control->line[i] == '\n' || !control->line[i])
			return control->line + i;
	return NULL;
}

int control_handle(struct control *control, const struct control_ops *ops, void *data,
		   struct xp_diag *diag)
{
	const struct xp_sys *sys = xp_ctx_sys(control->ctx);
	size_t room = sizeof(control->line) - control->len;
	ssize_t n = sys->read(sys, control->fd, control->line + control->len, room);
	int err = 0;

	if (n == -EAGAIN || n == -EINTR)
		return 0;
	if (n <= 0) {
		/* Nobody can send commands any more; the recording goes on. */
		control->fd = -1;
		return 0;
	}
	control->len += (size_t)n;
	for (char *end = end_of_command(control); end && !err; end = end_of_command(control)) {
		*end = '\0';
		err = carry_out(control, ops, control->line, data, diag);
		control->len -= (size_t)(end + 1 - control->line);
		memmove(control->line, end + 1, control->len);
	}
	if (control->len == sizeof(control->line))
		control->len = 0; /* no command is this long */
	return err;
}
