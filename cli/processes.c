/* SPDX-License-Identifier: MIT */
/* Source: proc_pid_stat(5): number, name in parentheses, state, parent. */
#include "processes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/ctx.h>
#include <xperf/diag.h>
#include <xperf/sys.h>

/* A search: the processes that are wanted, and the list of those that were found. */
struct search {
	const struct xp_sys *sys;
	const char *name; /* NULL: any */
	size_t len;
	const char *parents; /* numbers separated by commas; NULL: any */
	char *list;
	size_t list_len;
	FILE *out;
	int nr;
};

static bool has_number(const char *list, long number)
{
	for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
		if (strtol(at, NULL, 10) == number)
			return true;
	return false;
}

/* Reads the beginning of /proc/PID/stat. Returns false if there is no such process any more. */
static bool read_stat(const struct xp_sys *sys, const char *pid, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	int fd = sys->open(sys, path);
	if (fd < 0)
		return false;
	ssize_t nr = sys->read(sys, fd, text, size - 1);
	sys->close(sys, fd);
	text[nr > 0 ? nr : 0] = '\0';
	return nr > 0;
}

static int look_at(const char *pid, void *data)
{
	struct search *search = data;
	char text[512];
	int parent;

	if (strspn(pid, "0123456789") != strlen(pid) || strtol(pid, NULL, 10) == getpid() ||
	    !read_stat(search->sys, pid, text, sizeof(text)))
		return 0;
	const char *name = strchr(text, '('), *end = strrchr(text, ')');
	if (!name || !end || sscanf(end, ") %*c %d", &parent) != 1)
		return 0;
	name++;
	if (search->name &&
	    ((size_t)(end - name) != search->len || strncmp(name, search->name, search->len) != 0))
		return 0;
	if (search->parents && !has_number(search->parents, parent))
		return 0;
	fprintf(search->out, "%s%s", search->nr++ ? "," : "", pid);
	return 0;
}

static int run(struct search *search)
{
	search->out = open_memstream(&search->list, &search->list_len);
	if (!search->out)
		return -ENOMEM;
	int err = search->sys->list_dir(search->sys, "/proc", look_at, search);

	return fclose(search->out) ? -ENOMEM : err;
}

int processes_of_children(struct xp_ctx *ctx, const char *parents, char **ret_list)
{
	struct search search = { .sys = xp_ctx_sys(ctx), .parents = parents };
	int err = run(&search);

	*ret_list = search.list;
	return err ? err : search.nr;
}

/* The kernel keeps so much of a name. */
enum { COMM_MAX = 15 };

static int add_named(struct xp_ctx *ctx, const char *word, size_t len, FILE *out,
		     struct xp_diag *diag)
{
	struct search search = { .sys = xp_ctx_sys(ctx),
				 .name = word,
				 .len = len < COMM_MAX ? len : COMM_MAX };
	int err = run(&search);

	if (err)
		xp_diag_set(diag, err, "The processes cannot be listed from /proc: %s",
			    strerror(-err));
	else if (!search.nr)
		err = xp_diag_set(diag, -ESRCH, "There is no process named '%.*s'", (int)len, word);
	else
		fputs(search.list, out);
	free(search.list);
	return err;
}

int processes_of_names(struct xp_ctx *ctx, const char *list, char **ret_list, struct xp_diag *diag)
{
	size_t size;
	int err = 0;

	*ret_list = NULL;
	if (strspn(list, "0123456789, \t+-") == strlen(list))
		return 0;
	FILE *out = open_memstream(ret_list, &size);
	if (!out)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	for (const char *at = list; !err && *at; at += *at == ',') {
		size_t len = strcspn(at, ",");

		if (at > list)
			fputc(',', out);
		if (strspn(at, "0123456789") >= len)
			fprintf(out, "%.*s", (int)len, at);
		else
			err = add_named(ctx, at, len, out, diag);
		at += len;
	}
	if (fclose(out) && !err)
		err = xp_diag_set(diag, -ENOMEM, "Out of memory");
	return err;
}
