/* SPDX-License-Identifier: MIT */
/* The scenario's parser, shared by its parts: scenario.c (lines), machine.c, program.c. */
#ifndef SIM_SCENARIO_H
#define SIM_SCENARIO_H

#include "model.h"

enum { MAX_WORDS = 64 };

struct parser {
	struct scenario *sc;
	const char *origin;
	int line;
	int nr;
	char *words[MAX_WORDS];
	struct program *program; /* the one being described */
};

/* Prints "origin:line: sentence" to stderr. Returns -1. */
int parse_error(const struct parser *p, const char *fmt, ...) XP_PRINTF(2, 3);

/* machine.c: words to values. Return 0 or -1 after printing. */
int parse_number(struct parser *p, const char *text, uint64_t *ret_value);
int parse_duration(struct parser *p, const char *text, uint64_t *ret_ns);
/* Calls @fn for each word of a list "a,b,c". */
int parse_list(struct parser *p, char *text, int (*fn)(struct parser *p, const char *word));
/* "key=value": the value if @word has that key, else NULL. */
char *value_of_key(char *word, const char *key);

/* machine.c */
int parse_machine(struct parser *p);
int parse_user(struct parser *p);
int parse_pmu(struct parser *p);
int parse_kernel(struct parser *p);
int parse_tracefs(struct parser *p);
int parse_cgroup(struct parser *p);
int parse_hypervisor(struct parser *p);
int parse_time(struct parser *p);

/* device.c */
int parse_device(struct parser *p);
int parse_sysfs(struct parser *p);

/* With those it is in. */
void scenario_add_cgroup(struct scenario *sc, const char *name);

/* program.c */
int parse_program(struct parser *p);
int parse_step(struct parser *p);
int parse_task(struct parser *p);
int parse_at(struct parser *p);
int parse_fail(struct parser *p);

#endif
