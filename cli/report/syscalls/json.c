/* SPDX-License-Identifier: MIT */
/* System calls as JSON: the rows of the table, nothing rounded. */
#include "json-numbers.h"
#include "syscalls-impl.h"

enum { FORMAT_VERSION = 1 };

static const struct json_layout row_lines = { "\n\t", "\n\t", "\n" };

static void put_sum(struct json *json, const struct syscall_sum *sum)
{
	json_uint(json, "calls", sum->nr_calls);
	json_uint(json, "errors", sum->nr_errors);
	json_uint(json, "not_returned", sum->untimed[SYSCALL_OPEN]);
	json_uint(json, "entered_before", sum->untimed[SYSCALL_ENTERED]);
	json_uint(json, "during_loss", sum->untimed[SYSCALL_UNSURE]);
	json_uint(json, "total_ns", sum->total_ns);
	if (!sum->nr_calls) {
		json_null(json, "min_ns");
		json_null(json, "mean_ns");
		json_null(json, "max_ns");
		return;
	}
	json_uint(json, "min_ns", sum->min_ns);
	json_fixed(json, "mean_ns", (double)sum->total_ns / (double)sum->nr_calls, 3);
	json_uint(json, "max_ns", sum->max_ns);
}

static void put_row(struct json *json, const struct syscall_sum *row)
{
	char name[SYSCALL_NAME_MAX];

	json_object(json, NULL, &json_blanks);
	json_string(json, "call", syscalls_name(row, name));
	json_int(json, "nr", row->nr);
	json_bool(json, "compat", row->is_compat);
	if (row->comm) {
		json_string(json, "comm", row->comm);
		json_int(json, "pid", row->pid);
		json_int(json, "tid", row->tid);
	}
	put_sum(json, row);
	json_end(json);
}

int syscalls_print_json(FILE *file, const struct syscalls *syscalls)
{
	struct sink out = SINK_TO_FILE(file);
	const struct syscall_sum *row;
	struct json json;

	json_init(&json, &out, ": ");
	json_object(&json, NULL, &json_blanks);
	json_string(&json, "format", "xperf-report-syscalls");
	json_uint(&json, "version", FORMAT_VERSION);
	json_space(&json, "\n");
	json_string(&json, "machine", syscalls->machine);
	json_uint(&json, "lost_samples", syscalls->lost.samples);
	json_uint(&json, "lost_records", syscalls->lost.records);
	json_space(&json, "\n");
	json_object(&json, "total", &json_blanks);
	put_sum(&json, syscall_sums_total(syscalls->sums));
	json_end(&json);
	json_space(&json, "\n");
	json_array(&json, "rows", &row_lines);
	for (size_t i = 0; (row = syscall_sums_at(syscalls->sums, i)) != NULL; i++)
		put_row(&json, row);
	json_end(&json);
	return json_close(&json);
}
