/* SPDX-License-Identifier: MIT */
/*
 * Databases through libsqlite3, which is loaded here and not linked. They are made in a temporary
 * file that nobody else can open by name for long, and copied to where they are wanted.
 *
 * Source: sqlite3.h; sqlite.org/pragma.html for what makes writing a new file fast: nothing has to
 * be rolled back.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <xperf/diag.h>

#include "cleanup.h"
#include "database.h"
#include "loaded.h"

/* The functions used, by the types the header gives them. */
struct libsqlite {
	void *handle;
	__typeof__(sqlite3_open_v2) *open;
	__typeof__(sqlite3_close) *close;
	__typeof__(sqlite3_exec) *exec;
	__typeof__(sqlite3_prepare_v2) *prepare;
	__typeof__(sqlite3_bind_int64) *bind_int;
	__typeof__(sqlite3_bind_text) *bind_text;
	__typeof__(sqlite3_bind_null) *bind_null;
	__typeof__(sqlite3_step) *step;
	__typeof__(sqlite3_reset) *reset;
	__typeof__(sqlite3_finalize) *finalize;
	__typeof__(sqlite3_errmsg) *message;
};

static const struct loaded_function functions[] = {
	{ "sqlite3_open_v2", offsetof(struct libsqlite, open) },
	{ "sqlite3_close", offsetof(struct libsqlite, close) },
	{ "sqlite3_exec", offsetof(struct libsqlite, exec) },
	{ "sqlite3_prepare_v2", offsetof(struct libsqlite, prepare) },
	{ "sqlite3_bind_int64", offsetof(struct libsqlite, bind_int) },
	{ "sqlite3_bind_text", offsetof(struct libsqlite, bind_text) },
	{ "sqlite3_bind_null", offsetof(struct libsqlite, bind_null) },
	{ "sqlite3_step", offsetof(struct libsqlite, step) },
	{ "sqlite3_reset", offsetof(struct libsqlite, reset) },
	{ "sqlite3_finalize", offsetof(struct libsqlite, finalize) },
	{ "sqlite3_errmsg", offsetof(struct libsqlite, message) },
};

struct database {
	struct libsqlite lib;
	struct xp_diag *diag;
	sqlite3 *db;
	sqlite3_stmt *statements[DATABASE_STATEMENTS];
	char path[PATH_MAX];
	int fd; /* of the file; -1: there is none */
};

/* After something that has not succeeded. */
static int failed(const struct database *database)
{
	return xp_diag_set(database->diag, -EIO, "the database cannot be written: %s",
			   database->lib.message(database->db));
}

static int make_file(struct database *database)
{
	const char *dir = secure_getenv("TMPDIR");
	int len = snprintf(database->path, sizeof(database->path), "%s/xperf-XXXXXX",
			   dir && *dir ? dir : "/tmp");

	if (len >= (int)sizeof(database->path))
		return -ENAMETOOLONG;
	database->fd = mkostemp(database->path, O_CLOEXEC);
	if (database->fd >= 0)
		return 0;
	int err = -errno;
	return xp_diag_set(database->diag, err, "no temporary file can be made in '%s'",
			   dir && *dir ? dir : "/tmp");
}

int xp_database_new(struct xp_diag *diag, struct database **ret_database)
{
	struct database *database = calloc(1, sizeof(*database));

	if (!database)
		return -ENOMEM;
	database->diag = diag;
	database->fd = -1;
	database->lib.handle = library_load("libsqlite3.so.0", 0, functions,
					    XP_ARRAY_LEN(functions), &database->lib);
	int err = database->lib.handle ? make_file(database) : -ENOSYS;
	if (err == -ENOSYS) {
		xp_diag_set(diag, err, "libsqlite3.so.0 cannot be loaded");
		xp_diag_hint(diag, "Install SQLite, which writes databases");
	}
	if (!err && database->lib.open(database->path, &database->db, SQLITE_OPEN_READWRITE, NULL))
		err = failed(database);
	if (!err)
		err = xp_database_run(database,
				      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
				      "PRAGMA locking_mode = EXCLUSIVE; BEGIN;");
	if (err) {
		xp_database_free(database);
		return err;
	}
	*ret_database = database;
	return 0;
}

int xp_database_run(struct database *database, const char *sql)
{
	return database->lib.exec(database->db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? 0
		       : failed(database);
}

int xp_database_prepare(struct database *database, int nr, const char *sql)
{
	return database->lib.prepare(database->db, sql, -1, &database->statements[nr], NULL) ==
			       SQLITE_OK
		       ? 0
		       : failed(database);
}

int xp_database_insert(struct database *database, int nr, const struct database_value *values,
		       int nr_values)
{
	sqlite3_stmt *statement = database->statements[nr];
	int state = SQLITE_OK;

	for (int i = 0; i < nr_values && state == SQLITE_OK; i++) {
		const struct database_value *value = &values[i];

		if (value->is_null)
			state = database->lib.bind_null(statement, i + 1);
		else if (value->text)
			state = database->lib.bind_text(statement, i + 1, value->text, -1,
							SQLITE_STATIC);
		else
			state = database->lib.bind_int(statement, i + 1, value->number);
	}
	if (state == SQLITE_OK)
		state = database->lib.step(statement);
	database->lib.reset(statement);
	return state == SQLITE_DONE ? 0 : failed(database);
}

/* Ends the use of the file. */
static int close_file(struct database *database)
{
	int state = SQLITE_OK;

	for (int i = 0; i < DATABASE_STATEMENTS; i++) {
		database->lib.finalize(database->statements[i]);
		database->statements[i] = NULL;
	}
	if (database->db)
		state = database->lib.close(database->db);
	database->db = NULL;
	return state == SQLITE_OK ? 0 : -EIO;
}

int xp_database_write(struct database *database, struct out *out)
{
	char buf[1 << 16];
	int err = xp_database_run(database, "COMMIT") ?: close_file(database);
	ssize_t got = 0;
	off_t at = 0;

	while (!err && !out->sink.err && (got = pread(database->fd, buf, sizeof(buf), at)) > 0) {
		xp_out_bytes(out, buf, (size_t)got);
		at += got;
	}
	return err ? err : got < 0 ? -errno : out->sink.err;
}

void xp_database_free(struct database *database)
{
	if (!database)
		return;
	if (database->lib.handle) {
		close_file(database);
		dlclose(database->lib.handle);
	}
	if (database->fd >= 0) {
		unlink(database->path);
		close(database->fd);
	}
	free(database);
}
