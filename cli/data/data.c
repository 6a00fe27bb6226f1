/* SPDX-License-Identifier: MIT */
/* `xperf data convert`: a recording as JSON. Its layout is perf's, in any locale. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/data.h>
#include <xperf/diag.h>

#include "convert.h"
#include "options.h"
#include "ordered.h"
#include "result.h"
#include "servers.h"
#include "stacks.h"

struct values {
	struct recording_opts read;
	const char *to_json, *to_ctf;
	bool all, tod;
	int verbose;
};

#define VALUE(field) .offset = offsetof(struct values, field)

static const struct option options[] = {
	{ 'i', "input", OPTION_STRING, VALUE(read.input), .value = "file",
	  .help = "read this recording (default perf.data, or standard input if that is a pipe)" },
	{ 'f', "force", OPTION_FLAG, VALUE(read.force),
	  .help = "replace an existing file, and read a recording of another user" },
	{ 0, "to-json", OPTION_STRING, VALUE(to_json), .value = "file",
	  .help = "write JSON to this file; \"-\" means standard output" },
	{ 0, "to-ctf", OPTION_STRING, VALUE(to_ctf), .value = "directory",
	  .help = "an error: xperf does not write CTF" },
	{ 0, "all", OPTION_FLAG, VALUE(all), .help = "also write names, tasks and maps" },
	{ 0, "tod", OPTION_FLAG, VALUE(tod),
	  .help = "write times of the wall clock (record --clockid)" },
	{ 0, "time", OPTION_STRING, VALUE(read.filter.time), .value = "from,to",
	  .help = "write only samples of this span: seconds, or 10%/2, 0%-10%,30%-40%" },
	SYMBOL_OPTIONS(offsetof(struct values, read.symbols)),
	JOBS_OPTION(offsetof(struct values, read.jobs)),
	{ 'v', "verbose", OPTION_COUNT, VALUE(verbose),
	  .help = "report all damage of the recording" },
	{ 0 },
};

/* --- the second pass --- */

static int write_record(const struct xp_record *record, uint64_t time_ns, uint64_t position,
			void *data)
{
	struct conversion *conversion = data;
	const struct recording *rec = &conversion->rec;

	if (record->type == XP_RECORD_SAMPLE)
		return sample_write(conversion, record, time_ns, position);
	other_write(conversion, record,
		    rec->without_times ? XP_NO_TIME : recording_time(rec, record));
	return 0;
}

static int keep(const struct xp_record *record, void *data)
{
	const struct conversion *conversion = data;

	return record->type == XP_RECORD_SAMPLE ||
	       (conversion->others && other_is_known(record->type));
}

/* By their times; those without as they come. */
static int write_records(struct conversion *conversion)
{
	const struct xp_order_opts opts = { .size = sizeof(opts),
					    .keep = keep,
					    .data = conversion };

	return recording_each_ordered(&conversion->rec, &opts, false, write_record, conversion);
}

/* --- what has to be known before --- */

static int prepare(struct conversion *conversion, const struct values *values)
{
	struct recording *rec = &conversion->rec;
	int err = recording_load(rec, NULL, NULL) ?: stacks_open(rec, 0);

	if (!err && values->tod && head_wall_clock(conversion, &conversion->to_wall_ns)) {
		err = xp_diag_set(&rec->diag, -ENODATA, "--tod: '%s' does not have the time of day",
				  rec->path);
		xp_diag_hint(&rec->diag, "Record with --clockid monotonic");
	}
	return err;
}

/* Records that are no samples are kept until the samples are written. */
static int write_content(struct conversion *conversion, bool all)
{
	static const struct json_layout members = { "\n\t\t", "\n\t\t", "\n\t" };
	struct json *json = conversion->json, others;
	struct sink kept = SINK_KEPT;

	json_init(&others, &kept, ": ");
	json_array(&others, NULL, &members);
	conversion->others = all ? &others : NULL;
	json_int(json, "linux-perf-json-version", 1);
	json_object(json, "headers", &members);
	head_write(conversion);
	json_end(json);
	json_array(json, "samples", &members);
	int err = write_records(conversion);
	json_end(json);
	json_end(&others);
	if (all && !kept.err) {
		json_value(json, "events", kept.buf, kept.len);
	} else if (all) {
		json_array(json, "events", &members);
		json_end(json);
	}
	err = err ? err : all ? kept.err : 0;
	sink_fini(&kept);
	return err;
}

static int write_all(struct conversion *conversion, FILE *file, bool all)
{
	static const struct json_layout members = { "\n\t", "\n\t", "\n" };
	struct sink out = SINK_TO_FILE(file);
	struct json json;

	json_init(&json, &out, ": ");
	conversion->json = &json;
	json_object(&json, NULL, &members);
	int err = write_content(conversion, all);
	int written = json_close(&json);
	if (!written && fflush(file))
		written = -errno;
	return err ? err : written;
}

/* --- files --- */

static void report(const struct conversion *conversion, const struct values *values, uint64_t bytes)
{
	fprintf(stderr,
		"[ %s data convert: Converted '%s' into JSON data '%s' ]\n"
		"[ %s data convert: Converted and wrote %.3f MB (%llu samples) ]\n",
		program_invocation_short_name, conversion->rec.path, values->to_json,
		program_invocation_short_name, (double)bytes / 1024 / 1024,
		(unsigned long long)conversion->nr_samples);
}

static int convert(const struct cli *cli, const struct values *values)
{
	struct conversion conversion = { 0 };
	struct recording *rec = &conversion.rec;
	FILE *out = stdout;
	bool to_stdout = !strcmp(values->to_json, "-");
	struct result result = { 0 };
	int err = recording_open(rec, cli, &values->read);

	if (!err && !to_stdout) {
		err = result_open(&result, values->to_json, rec->path, !values->read.force,
				  &rec->diag);
		out = result.file;
	}
	if (!err)
		err = prepare(&conversion, values);
	if (!err)
		err = write_all(&conversion, out, values->all);
	err = result_close(&result, err, &rec->diag);
	if (!err && !to_stdout)
		report(&conversion, values, result.stream.bytes);
	return recording_close(rec, err, values->verbose);
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct values values = { .read = { .with_symbols = true } };
	int first, skip = argc > 1 && !strcmp(argv[1], "convert"), status;

	if (!options_parse(&data_command, argc - skip, argv + skip, &values, &first, &status))
		return status;
	if (first < argc - skip)
		return options_misused(&data_command, "unexpected argument '%s'",
				       argv[skip + first]);
	if (values.read.jobs < 0)
		return options_misused(&data_command, "--jobs: %d is negative", values.read.jobs);
	if (values.to_ctf) {
		fprintf(stderr, "Error: --to-ctf: xperf does not write CTF; use --to-json FILE, "
				"or perf data convert --to-ctf, which reads the same recording\n");
		return EXIT_FAILED;
	}
	if (!values.to_json)
		return options_misused(&data_command, "the output is missing: --to-json FILE");
	return convert(cli, &values);
}

const struct command data_command = {
	.name = "data",
	.summary = "Convert a recording to JSON",
	.usage = "convert [<options>]",
	.options = options,
	.run = run,
};
