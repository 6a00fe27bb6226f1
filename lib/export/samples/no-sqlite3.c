/* SPDX-License-Identifier: MIT */
/* In place of sqlite3.c where the build has no SQLite: no database is made. */
#include <errno.h>
#include <xperf/diag.h>

#include "database.h"

int xp_database_new(struct xp_diag *diag, struct database **ret_database)
{
	(void)ret_database;
	xp_diag_set(diag, -ENOSYS, "Databases need SQLite, and this libxperf was built without it");
	xp_diag_hint(diag, "Install the SQLite development package and build again");
	return -ENOSYS;
}

int xp_database_run(struct database *database, const char *sql)
{
	(void)database, (void)sql;
	return -EIO;
}

int xp_database_prepare(struct database *database, int nr, const char *sql)
{
	(void)database, (void)nr, (void)sql;
	return -EIO;
}

int xp_database_insert(struct database *database, int nr, const struct database_value *values,
		       int nr_values)
{
	(void)database, (void)nr, (void)values, (void)nr_values;
	return -EIO;
}

int xp_database_write(struct database *database, struct out *out)
{
	(void)database, (void)out;
	return -EIO;
}

void xp_database_free(struct database *database)
{
	(void)database;
}
