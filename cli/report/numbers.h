/* SPDX-License-Identifier: MIT */
/* Numbers of rows that no row is distinguished by: numbers.c. */
#ifndef REPORT_NUMBERS_H
#define REPORT_NUMBERS_H

#include "columns.h"

struct json;

enum { SPLITS = BRANCHES_PREDICTED - SPLIT_OP, SPLIT_CLASSES = 8 };
enum {
	NUMBER_BRANCHES = SPLITS * SPLIT_CLASSES,
	NUMBER_PREDICTED,
	NUMBER_ABORTED,
	NUMBER_CYCLES,
	NR_NUMBERS
};

/* What one sample, or one of its branches, adds. @classes: per split, one more than the class; 0:
 * none; @branches: from NUMBER_BRANCHES on */
struct counted {
	uint8_t classes[SPLITS + 3];
	uint64_t branches[NR_NUMBERS - NUMBER_BRANCHES];
};

bool number_is_split(int column);
/* Whether a column is one of these. */
bool number_is_one(int column);
/* What a sample adds to the columns that there are. @branch: NULL: all of them */
void number_count(const struct plan *plan, const struct xp_attr *attr,
		  const struct xp_sample *sample, const struct xp_branch *branch,
		  struct counted *ret_counted);
/* Adds samples that are alike to a row. */
void number_add(const struct counted *counted, const struct xp_profile_sum *sum, uint64_t *numbers);
/* Adds up all rows of the event, which decides what is shown. */
void number_totals(struct sheet *sheet);
/* The line above the headings, where there are splits. */
void number_put_titles(struct sheet *sheet);
/* In columns.h's table. */
const char *number_heading(const struct sheet *sheet, int column);
int number_split_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row);
int number_branch_cell(struct sheet *sheet, int column, int width,
		       const struct xp_profile_row *row);
/* All of a row, in an object. */
void number_put_json(struct json *json, const struct plan *plan, const struct xp_profile_row *row);

#endif
