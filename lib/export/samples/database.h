/* SPDX-License-Identifier: MIT */
/* A database of SQLite that is made row by row, in a temporary file. */
#ifndef EXPORT_DATABASE_H
#define EXPORT_DATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "out.h"

struct database;

enum { DATABASE_STATEMENTS = 8 };

/* A value of a row. @text: NULL: the number */
struct database_value {
	const char *text;
	int64_t number;
	bool is_null;
};

/* @diag: may be NULL. Returns 0; -ENOSYS with @diag filled: SQLite is not there; -ENOMEM, or the
 * negative errno of what failed with the file. */
int xp_database_new(struct xp_diag *diag, struct database **ret_database);
/* Executes statements of SQL. Returns 0 or -EIO with the diag of xp_database_new() filled. */
int xp_database_run(struct database *database, const char *sql);
/* Prepares statement @nr, below DATABASE_STATEMENTS. Returns likewise. */
int xp_database_prepare(struct database *database, int nr, const char *sql);
/* Executes it with these values. Returns likewise. */
int xp_database_insert(struct database *database, int nr, const struct database_value *values,
		       int nr_values);
/* Writes the whole file; nothing can be added any more. Returns 0 or a negative errno. */
int xp_database_write(struct database *database, struct out *out);
/* NULL is allowed. */
void xp_database_free(struct database *database);

#endif
