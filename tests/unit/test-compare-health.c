/* SPDX-License-Identifier: MIT */
/* The lines below a comparison about what may have disturbed it: one case for each, of made-up
 * runs, and nothing but the noise where all is well. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/compare/render.h"
#include "random.h"
#include "statistics.h"

enum { COMMANDS = 2, ROUNDS = 40, MIGRATIONS = METRIC_NR_FIXED, METRICS };

/* What is wrong with the rounds; times are those of the second command. */
struct fault {
	int nr_outliers;
	double drift;       /* from the first round to the last, a share */
	bool has_two_modes; /* half of the times are a fifth longer */
	double migrations;  /* in each round of the second command */
	size_t nr_multiplexed, nr_failed;
	uint64_t steal_ns, nr_throttled;
	const char *governor;
	int turbo;
	const char *host; /* of stored runs, which the first command is; NULL: it is run */
};

static const struct stored_run stored_run;

static double draw(struct random *random)
{
	return normal_quantile(((double)random_below(random, 1000000) + 0.5) / 1e6);
}

static double time_of(const struct fault *fault, int round, bool is_high, struct random *random)
{
	double time = 0.1 * (1 + 0.001 * draw(random));

	time *= 1 + fault->drift * round / ROUNDS;
	if (round % (ROUNDS / 8) == 3 && round / (ROUNDS / 8) < fault->nr_outliers)
		time *= 1.1;
	return fault->has_two_modes && is_high ? 1.2 * time : time;
}

/* Values of a command: time, user, system, memory, migrations. */
static double *make_values(const struct fault *fault, uint64_t seed)
{
	double *values = calloc(ROUNDS * METRICS, sizeof(*values));
	struct random random = { seed };
	int order[ROUNDS];

	assert_non_null(values);
	random_order(&random, order, ROUNDS);
	for (int i = 0; i < ROUNDS; i++) {
		double *run = &values[i * METRICS];

		run[METRIC_WALL] = time_of(fault, i, order[i] % 2, &random);
		run[METRIC_USER] = run[METRIC_SYSTEM] = 0.05;
		run[METRIC_MAX_RSS] = NAN;
		run[MIGRATIONS] = fault->migrations;
	}
	return values;
}

/* Everything that conclusions are drawn from. */
struct made {
	struct metric metrics[METRICS];
	struct contender contenders[COMMANDS];
	struct compare_config config;
	struct measurement m;
};

static void make(struct made *made, const struct fault *fault)
{
	static const struct fault none;
	static const char *const names[METRICS] = { "wall", "user", "sys", "max-rss",
						    "cpu-migrations" };

	*made = (struct made){ .config.within = 0.01 };
	for (int i = 0; i < METRICS; i++) {
		made->metrics[i].name = (char *)names[i];
		made->metrics[i].unit = (char *)"";
		made->metrics[i].kind = i == MIGRATIONS ? METRIC_COUNT : METRIC_SECONDS;
	}
	for (int i = 0; i < COMMANDS; i++) {
		made->contenders[i].values = make_values(i ? fault : &none, 3 + (uint64_t)i);
		made->contenders[i].nr_runs = ROUNDS;
	}
	made->m = (struct measurement){
		.config = &made->config,
		.contenders = { .at = made->contenders, .nr = COMMANDS },
		.metrics = { .at = made->metrics,
			     .nr = METRICS,
			     .nr_multiplexed = fault->nr_multiplexed },
		.nr_rounds = ROUNDS,
		.nr_failed = fault->nr_failed,
		.ended_ns = 8000000000,
		.after = { .steal_ns = fault->steal_ns,
			   .nr_throttled = fault->nr_throttled,
			   .turbo = fault->turbo },
		.uts.nodename = "here",
	};
	strcpy(made->m.after.governor, fault->governor ? fault->governor : "performance");
	if (!fault->host)
		return;
	made->m.contenders.nr_stored = 1;
	made->m.contenders.stored.host = (char *)fault->host;
	made->contenders[0].stored = &stored_run;
}

static char *health_of(const struct fault *fault)
{
	struct sink out = SINK_KEPT;
	struct findings findings;
	struct made made;

	make(&made, fault);
	assert_int_equal(findings_init(&findings, &made.m, ERROR_RATE), 0);
	render_health(&findings, &out);
	sink_char(&out, '\0');
	findings_fini(&findings);
	for (int i = 0; i < COMMANDS; i++)
		free(made.contenders[i].values);
	return out.buf;
}

#define NOISE "Noise: wall times of A in odd and even rounds differ by less than 0.09 %\n"

#define NOISE_OF_B "Noise: wall times of B in odd and even rounds differ by less than 0.08 %\n"
#define STORED                                                                                     \
	"Note: the stored runs were not interleaved with the others: what changed on the machine " \
	"since then is part of the differences\n"

static void lines(void **state)
{
	static const struct {
		int line;
		struct fault fault;
		const char *expected;
	} rows[] = {
		/* clang-format off: one row, one line */
		{ __LINE__, { 0 }, NOISE },
		{ __LINE__, { .nr_outliers = 3 }, NOISE },
		{ __LINE__,
		  { .nr_outliers = 4 },
		  NOISE "Note: B: 4 times are far from the other rounds\n" },
		{ __LINE__,
		  { .drift = 0.1 },
		  NOISE "Note: B: times grow by 9.4 % from the first round to the last\n" },
		{ __LINE__,
		  { .drift = -0.1 },
		  NOISE "Note: B: times shrink by 10.2 % from the first round to the last\n" },
		{ __LINE__, { .drift = 0.005 }, NOISE },
		{ __LINE__,
		  { .has_two_modes = true },
		  NOISE
		  "Note: B: times have two centres: 100.1 ms in 50 % of rounds, else 120.0 ms\n" },
		{ __LINE__, { .migrations = 0.5 }, NOISE },
		{ __LINE__,
		  { .migrations = 1 },
		  NOISE "Note: B: most rounds were moved between CPUs, 1 time in the median\n" },
		{ __LINE__,
		  { .migrations = 1.5 },
		  NOISE "Note: B: most rounds were moved between CPUs, 1.5 times in the median\n" },
		{ __LINE__,
		  { .nr_multiplexed = 3 },
		  NOISE "Note: events took turns on the counters: their counts are estimates\n" },
		{ __LINE__, { .steal_ns = 80000000 }, NOISE },
		{ __LINE__,
		  { .steal_ns = 810000000 },
		  NOISE "Note: the hypervisor ran something else for 0.81 s of 8.00 s\n" },
		{ __LINE__,
		  { .nr_throttled = 1 },
		  NOISE "Note: cores were slowed down 1 time because of heat\n" },
		{ __LINE__,
		  { .nr_throttled = 2 },
		  NOISE "Note: cores were slowed down 2 times because of heat\n" },
		{ __LINE__, { .steal_ns = UINT64_MAX, .nr_throttled = UINT64_MAX }, NOISE },
		{ __LINE__, { .nr_failed = 1 }, NOISE "Note: 1 run has failed\n" },
		{ __LINE__, { .nr_failed = 2 }, NOISE "Note: 2 runs have failed\n" },
		{ __LINE__,
		  { .governor = "powersave" },
		  NOISE
		  "Note: the clock of the processor varies: governor powersave, turbo off\n" },
		{ __LINE__,
		  { .governor = "", .turbo = 1 },
		  NOISE "Note: the clock of the processor varies: governor not known, turbo on\n" },
		{ __LINE__, { .governor = "", .turbo = -1 }, NOISE },
		{ __LINE__, { .host = "here" }, NOISE_OF_B STORED },
		{ __LINE__,
		  { .host = "there" },
		  NOISE_OF_B STORED "Note: the stored runs are of another machine, there\n" },
		/* clang-format on */
	};

	(void)state;
	int nr_failed = 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = health_of(&rows[i].fault);

		if (strcmp(text, rows[i].expected) != 0) {
			print_error("row of line %d:\n%s", rows[i].line, text);
			nr_failed++;
		}
		free(text);
	}
	assert_int_equal(nr_failed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
