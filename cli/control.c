/* SPDX-License-Identifier: MIT */
/*
 * Commands by a descriptor or FIFO, one per line. Source of names and answers: perf-record(1) of
 * perf 6.1, "--control"; measured.
 */
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xperf/ctx.h>
#include <xperf/diag.h>
#include <xperf/sys.h>

/* Returns what is behind the number, NULL if there is none. */
static const char *parse_fd(const char *text, int *ret_fd)
{
	char *end;

	errno = 0;
	long fd = strtol(text, &end, 10);
	if (end == text || errno || fd < 0 || fd > INT_MAX)
		return NULL;
	*ret_fd = (int)fd;
	return end;
}

static bool parse_fds(const char *text, struct control_place *place)
{
	const char *end = parse_fd(text, &place->fd);

	if (end && *end == ',')
		end = parse_fd(end + 1, &place->ack_fd);
	return end && !*end;
}

static bool parse_fifos(const char *text, struct control_place *place)
{
	const char *comma = strchrnul(text, ',');

	if (comma == text || (*comma && !comma[1]))
		return false;
	place->fifo = strndup(text, (size_t)(comma - text));
	if (*comma)
		place->ack_fifo = strdup(comma + 1);
	return place->fifo && (!*comma || place->ack_fifo);
}

int control_parse(const struct option *option, const char *arg, bool negated, void *values)
{
	struct control_place *ret_place = (struct control_place *)((char *)values + option->offset);
	struct control_place place = { .given = true, .fd = -1, .ack_fd = -1 };
	bool good = false;

	if (negated)
		return option_error(option, "cannot be undone");
	if (!strncmp(arg, "fd:", 3))
		good = parse_fds(arg + 3, &place);
	else if (!strncmp(arg, "fifo:", 5))
		good = parse_fifos(arg + 5, &place);
	if (!good) {
		control_place_fini(&place);
		return option_error(option,
				    "'%s' is neither fd:NUMBER[,NUMBER] nor fifo:PATH[,PATH]", arg);
	}
	control_place_fini(ret_place);
	*ret_place = place;
	return 0;
}

void control_place_fini(struct control_place *place)
{
	free(place->fifo);
	free(place->ack_fifo);
	*place = (struct control_place){ 0 };
}

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
		err = check_fd(place->fd, diag) ?: check_fd(place->ack_fd, diag);
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

/* Somebody who does not read his answers does not hold up the measuring. */
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
		{ "enable", ops->enable }, { "disable", ops->disable },
		{ "stop", ops->stop },     { "ping", ping },
		{ "evlist", ops->list },   { "snapshot", ops->snapshot },
	};
	size_t nr = sizeof(commands) / sizeof(commands[0]) - !ops->snapshot;
	size_t len = strcspn(command, " \t");
	char *arg = command + len + strspn(command + len, " \t");

	arg[strcspn(arg, " \t\r")] = '\0';
	for (size_t i = 0; i < nr; i++) {
		if (strlen(commands[i].name) != len || strncmp(commands[i].name, command, len))
			continue;
		int err = commands[i].fn(data, arg, diag);

		if (!err)
			acknowledge(control);
		return err;
	}
	if (*command)
		fprintf(stderr,
			"Warning: --control: '%s' is not one of: enable, disable, stop, ping, "
			"evlist%s\n",
			command, ops->snapshot ? ", snapshot" : "");
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
		/* Nobody can send commands any more; the measuring goes on. */
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
