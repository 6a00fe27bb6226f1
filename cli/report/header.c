/* SPDX-License-Identifier: MIT */
#include "report.h"
void header_print(FILE *file, const struct recording *rec)
{
	(void)file;
	(void)rec;
}
int mmaps_print(FILE *file, struct recording *rec)
{
	(void)file;
	(void)rec;
	return 0;
}
