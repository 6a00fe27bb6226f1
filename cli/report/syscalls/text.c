/* SPDX-License-Identifier: MIT */
/* System calls as a table, and below it what is not in it. */
#include <inttypes.h>
#include <string.h>

#include "escape.h"
#include "number.h"
#include "plural.h"
#include "syscalls-impl.h"

const char *syscalls_name(const struct syscall_sum *sum, char name[SYSCALL_NAME_MAX])
{
	const char *known = syscall_name(sum->abi, sum->nr);

	if (known)
		snprintf(name, SYSCALL_NAME_MAX, "%s", known);
	else
		snprintf(name, SYSCALL_NAME_MAX, "syscall_%" PRId64, sum->nr);
	return name;
}

static double microseconds(uint64_t ns)
{
	return (double)ns / 1e3;
}

static void put_heading(FILE *file, const struct syscalls *syscalls, bool is_total)
{
	const struct syscall_sum *all = syscall_sums_total(syscalls->sums);
	char calls[COUNT_LEN];

	fprintf(file, "# %s system %s, %.3f ms in all\n#\n", number_grouped(calls, all->nr_calls),
		plural(all->nr_calls, "call", "calls"), (double)all->total_ns / 1e6);
	fprintf(file, "# %6s %11s %8s %7s %9s %10s %10s %12s  %-24s%s\n", "Share", "Total ms",
		"Calls", "Errors", "No return", "Min us", "Mean us", "Max us", "Call",
		is_total ? "" : "  Thread");
	fprintf(file, "# %6s %11s %8s %7s %9s %10s %10s %12s  %s%s\n#\n", "......", "...........",
		"........", ".......", ".........", "..........", "..........", "............",
		"........................", is_total ? "" : "  ....................");
}

/* What was never timed has no times. */
static void put_times(FILE *file, const struct syscall_sum *row)
{
	if (row->nr_calls)
		fprintf(file, " %10.3f %10.3f %12.3f", microseconds(row->min_ns),
			microseconds(row->total_ns) / (double)row->nr_calls,
			microseconds(row->max_ns));
	else
		fprintf(file, " %10s %10s %12s", "-", "-", "-");
}

static void put_row(FILE *file, const struct syscall_sum *row, uint64_t all_ns)
{
	char name[SYSCALL_NAME_MAX + sizeof(" (32-bit)")];

	fprintf(file, "  %5.1f%% %11.3f %8" PRIu64 " %7" PRIu64 " %9" PRIu64,
		all_ns ? 100.0 * (double)row->total_ns / (double)all_ns : 0.0,
		(double)row->total_ns / 1e6, row->nr_calls, row->nr_errors,
		row->untimed[SYSCALL_OPEN]);
	put_times(file, row);
	syscalls_name(row, name);
	if (row->is_compat)
		strcat(name, " (32-bit)");
	if (!row->comm) {
		fprintf(file, "  %s\n", name);
		return;
	}
	fprintf(file, "  %-24s  ", name);
	escape_print(file, row->comm);
	fprintf(file, "/%" PRId32 "\n", row->tid);
}

/* What the numbers above do not include. */
static void put_notes(FILE *file, const struct syscalls *syscalls)
{
	static const struct {
		enum syscall_fate fate;
		const char *one, *many;
	} notes[] = {
		{ SYSCALL_OPEN, "call has not returned in the recording",
		  "calls have not returned in the recording" },
		{ SYSCALL_ENTERED, "call that has returned was entered before the recording",
		  "calls that have returned were entered before the recording" },
		{ SYSCALL_UNSURE, "call was going on while records were lost",
		  "calls were going on while records were lost" },
	};
	const struct syscall_sum *all = syscall_sums_total(syscalls->sums);
	uint64_t nr_lost = losses_nr(&syscalls->lost);
	char nr[COUNT_LEN];

	if (!syscall_sums_at(syscalls->sums, 0))
		fputs("# No system call was recorded that passes the filters\n", file);
	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		uint64_t untimed = all->untimed[notes[i].fate];

		if (untimed)
			fprintf(file, "# Not counted: %s %s\n", number_grouped(nr, untimed),
				plural(untimed, notes[i].one, notes[i].many));
	}
	if (nr_lost)
		fprintf(file, "# %s %s lost: calls are missing\n", number_grouped(nr, nr_lost),
			plural(nr_lost, "record was", "records were"));
	if (!syscalls->has_names) {
		fputs("# Names of system calls are not known of ", file);
		escape_print(file, syscalls->machine ? syscalls->machine
						     : "a machine that is not recorded");
		fputc('\n', file);
	}
}

void syscalls_print(FILE *file, const struct syscalls *syscalls, const struct syscalls_opts *opts)
{
	uint64_t all_ns = syscall_sums_total(syscalls->sums)->total_ns;
	const struct syscall_sum *row;

	if (!opts->quiet)
		put_heading(file, syscalls, opts->is_total);
	for (size_t i = 0; (row = syscall_sums_at(syscalls->sums, i)) != NULL; i++)
		if (row->nr_calls || row->untimed[SYSCALL_OPEN])
			put_row(file, row, all_ns);
	if (!opts->quiet)
		put_notes(file, syscalls);
}
