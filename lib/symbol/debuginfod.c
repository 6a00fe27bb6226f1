/* SPDX-License-Identifier: MIT */
/*
 * Debug files from servers, through libdebuginfod, which is loaded only if they were asked for. It
 * asks the servers that DEBUGINFOD_URLS names, and keeps what it got in its cache.
 *
 * Source of its functions: debuginfod_find_debuginfo(3); the library's name is its ABI's,
 * libdebuginfod.so.1.
 */
#include "debuginfod.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <xperf/symbol.h>
#include <xperf/symtab.h>

#include "cleanup.h"
#include "loaded.h"

enum { USUAL_LIMIT_S = 30 };

typedef int (*progress_fn)(void *client, long done, long total);

struct library {
	void *handle;
	void *(*begin)(void);
	void (*end)(void *client);
	int (*find)(void *client, const unsigned char *id, int len, char **ret_path);
	void (*set_progress)(void *client, progress_fn fn);
};

static const struct loaded_function functions[] = {
	{ "debuginfod_begin", offsetof(struct library, begin) },
	{ "debuginfod_end", offsetof(struct library, end) },
	{ "debuginfod_find_debuginfo", offsetof(struct library, find) },
	{ "debuginfod_set_progressfn", offsetof(struct library, set_progress) },
};

struct debuginfod {
	struct library library;
	void *client;
	pthread_mutex_t lock; /* one file after the other */
	void (*progress)(void *data, const char *name, long done, long total);
	void *progress_data;
	int limit_s;
	const char *name; /* of the file that is got now */
	time_t end;       /* when its time is up, on CLOCK_MONOTONIC */
	bool is_over;
};

/* The library hands out its client only; the one that asks is found by the thread. */
static _Thread_local struct debuginfod *asking;

static time_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

/* Anything but 0 ends the transfer. */
static int on_progress(void *client, long done, long total)
{
	struct debuginfod *self = asking;

	(void)client;
	if (self->progress)
		self->progress(self->progress_data, self->name, done, total);
	self->is_over = now() >= self->end;
	return self->is_over;
}

struct debuginfod *xp_debuginfod_new(const struct xp_symbols_opts *opts)
{
	struct debuginfod *self = opts->debuginfod ? calloc(1, sizeof(*self)) : NULL;

	if (!self)
		return NULL;
	self->library.handle = library_load("libdebuginfod.so.1", RTLD_NODELETE, functions,
					    XP_ARRAY_LEN(functions), &self->library);
	self->client = self->library.handle ? self->library.begin() : NULL;
	if (!self->client) {
		if (self->library.handle)
			dlclose(self->library.handle);
		free(self);
		return NULL;
	}
	self->library.set_progress(self->client, on_progress);
	self->progress = opts->debuginfod_progress;
	self->progress_data = opts->debuginfod_data;
	self->limit_s = opts->debuginfod_limit_s ? opts->debuginfod_limit_s : USUAL_LIMIT_S;
	pthread_mutex_init(&self->lock, NULL);
	return self;
}

void xp_debuginfod_free(struct debuginfod *client)
{
	if (!client)
		return;
	client->library.end(client->client);
	dlclose(client->library.handle);
	pthread_mutex_destroy(&client->lock);
	free(client);
}

char *xp_debuginfod_get(struct debuginfod *client, const struct xp_build_id *id, const char *name)
{
	char *path = NULL;

	if (!client || !id->len)
		return NULL;
	pthread_mutex_lock(&client->lock);
	if (!client->is_over) {
		client->name = name;
		client->end = now() + client->limit_s;
		asking = client;
		int fd = client->library.find(client->client, id->bytes, id->len, &path);
		if (fd >= 0)
			close(fd);
		else
			path = NULL;
	}
	pthread_mutex_unlock(&client->lock);
	return path;
}
