/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a recording of counts, as `stat report` reads and prints it. It ends
 * with the counts or with a sentence. The first byte: which rows, which format, and whether a
 * recording comes as a stream.
 */
#include <stdio.h>

#include "cli/stat/report.h"
#include "machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NR(rows) (sizeof(rows) / sizeof((rows)[0]))

static char rows[][16] = {
	"-v",         "--no-aggr",    "--per-socket", "--per-die",      "--per-core",
	"--per-node", "--per-thread", "--per-cache",  "--per-cache=L2", "--per-cluster",
};
static char formats[][20] = { "-v", "-x,", "-j", "--hide-zero-events" };

/* What it says on stderr is the caller's to free. */
static int report(const uint8_t *bytes, size_t len, unsigned int variant, char **ret_said)
{
	char *argv[] = { (char *)"report",
			 (char *)"-f",
			 (char *)"-i",
			 (char *)MACHINE_FILE,
			 (char *)"-o",
			 (char *)"/dev/null",
			 rows[variant % NR(rows)],
			 formats[variant / NR(rows) % NR(formats)],
			 NULL };
	struct stat_config config = { .report = argv, .big_num = true };
	struct machine machine;
	struct xp_ctx_opts seam = { .size = sizeof(seam), .sys = &machine.sys };
	struct cli cli = { .name = "xperf", .seam = &seam };
	FILE *kept = stderr;
	size_t said_len = 0;

	machine_init(&machine, bytes, len, variant / (NR(rows) * NR(formats)) % 2);
	stderr = open_memstream(ret_said, &said_len);
	assert(stderr);
	int status = stat_report(&cli, &config);
	fclose(stderr);
	stderr = kept;
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *said = NULL;

	if (!size)
		return 0;
	int status = report(data + 1, size - 1, data[0], &said);
	assert(status == 0 || status == 129 || status == 255);
	/* Of what is damaged, the rest is printed, with a warning. */
	assert(!status || strstr(said, "Error: ") || strstr(said, "Warning: damage"));
	free(said);
	return 0;
}
