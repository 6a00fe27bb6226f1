/* SPDX-License-Identifier: MIT */
/* `xperf data convert`: a recording as JSON. Its layout is perf's, in any locale. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "kernel-copy.h"
#include "options.h"
#include "result.h"
#include "script/order.h"
#include "servers.h"

struct wishes {
	const char *input, *to_json, *to_ctf, *time, *symfs;
	bool force, all, tod, debuginfod;
	int verbose;
};

#define VALUE(field) .offset = offsetof(struct wishes, field)

static const struct option options[] = {
	{ 'i', "input", OPTION_STRING, VALUE(input), .value = "file",
	  .help = "the recording (perf.data; standard input if that is a pipe)" },
	{ 'f', "force", OPTION_FLAG, VALUE(force),
	  .help = "replace the result, and take another user's recording, too" },
	{ 0, "to-json", OPTION_STRING, VALUE(to_json), .value = "file",
	  .help = "write JSON there (\"-\": standard output)" },
	{ 0, "to-ctf", OPTION_STRING, VALUE(to_ctf), .value = "directory",
	  .help = "is not there: take --to-json" },
	{ 0, "all", OPTION_FLAG, VALUE(all),
	  .help = "also names, tasks and maps, as \"events\" behind the samples" },
	{ 0, "tod", OPTION_FLAG, VALUE(tod),
	  .help = "times of the wall clock; of recordings made with --clockid" },
	{ 0, "time", OPTION_STRING, VALUE(time), .value = "from,to",
	  .help = "only this span: seconds, or 10%/2, 0%-10%,30%-40%" },
	{ 0, "symfs", OPTION_STRING, VALUE(symfs), .value = "directory",
	  .help = "look for files with symbols below it" },
	SERVERS_OPTION(offsetof(struct wishes, debuginfod)),
	{ 'v', "verbose", OPTION_COUNT, VALUE(verbose), .help = "tell every damage of the file" },
	{ 0 },
};

/* --- the second pass --- */

static int write_record(const struct xp_record *record, uint64_t time_ns, uint64_t position,
			void *data)
{
	struct conversion *conversion = data;
	struct xp_sample_id id = { .time_ns = XP_NO_TIME };
	const struct xp_data_event *event;

	(void)time_ns;
	if (record->type == XP_RECORD_SAMPLE)
		return sample_write(conversion, record, position);
	event = xp_data_event_at(conversion->rec.input.data, 0);
	if (event)
		xp_sample_id_decode(record, &event->attr, &id);
	other_write(conversion, record, id.time_ns);
	return 0;
}

static uint64_t time_of(const struct xp_data *data, const struct xp_record *record)
{
	const struct xp_data_event *event = xp_data_event_at(data, xp_data_event_of(data, record));
	struct xp_sample sample;
	struct xp_sample_id id = { .time_ns = XP_NO_TIME };

	if (event && record->type == XP_RECORD_SAMPLE) {
		xp_sample_decode(record, &event->attr, &sample);
		return sample.id.time_ns;
	}
	if (event)
		xp_sample_id_decode(record, &event->attr, &id);
	return id.time_ns;
}

/* By their times; those without as they come, first. */
static int write_records(struct conversion *conversion)
{
	struct xp_data *data = conversion->rec.input.data;
	const struct xp_record *record;
	size_t len;
	bool in_rounds = !xp_data_feature(data, XP_FEATURE_DIR_FORMAT, &len);
	size_t limit = in_rounds ? order_limit(conversion->rec.input.path) : SIZE_MAX;
	struct order *order = order_new(write_record, NULL, limit, conversion);
	int got = 0, err = order ? xp_data_rewind(data) : -ENOMEM;

	while (!err && (got = xp_data_next(data, &record, NULL)) > 0) {
		if (record->type == XP_RECORD_FINISHED_ROUND) {
			err = in_rounds ? order_round(order) : 0;
		} else if (record->type == XP_RECORD_SAMPLE ||
			   (conversion->others && other_is_known(record->type))) {
			uint64_t time_ns = time_of(data, record);

			err = order_add(order, record, time_ns == XP_NO_TIME ? 0 : time_ns,
					xp_data_position(data));
		}
	}
	if (!err)
		err = got;
	int ended = order ? order_end(order) : 0;
	if (order)
		order_say_late(order, stderr);
	order_free(order);
	return err ? err : ended;
}

/* --- the first --- */

static int note_time(const struct xp_record *record, void *data)
{
	struct conversion *conversion = data;
	struct tally *tally = &conversion->rec.tally;
	uint64_t time_ns = record->type == XP_RECORD_SAMPLE
				   ? time_of(conversion->rec.input.data, record)
				   : XP_NO_TIME;

	if (time_ns == XP_NO_TIME)
		return 0;
	if (tally->first_ns == XP_NO_TIME || time_ns < tally->first_ns)
		tally->first_ns = time_ns;
	if (tally->last_ns == XP_NO_TIME || time_ns > tally->last_ns)
		tally->last_ns = time_ns;
	return 0;
}

static int prepare(struct conversion *conversion, const struct wishes *wishes)
{
	struct recording *rec = &conversion->rec;
	struct xp_symbols_opts opts = { .size = sizeof(opts),
					.symfs = wishes->symfs,
					.other_kernel = !xp_data_is_of_this_kernel(
						rec->input.data, rec->input.ctx) };
	char path[PATH_MAX];
	int err = xp_timeline_new(&rec->timeline);

	kernel_copy_use(&opts, rec->input.path, path);
	servers_use(&opts, wishes->debuginfod);
	rec->tally.first_ns = rec->tally.last_ns = XP_NO_TIME;
	if (!err)
		err = xp_timeline_load(rec->timeline, rec->input.data,
				       slices_need_bounds(conversion->slices) ? note_time : NULL,
				       conversion);
	if (rec->tally.first_ns != XP_NO_TIME)
		slices_settle(conversion->slices, rec->tally.first_ns, rec->tally.last_ns);
	if (!err)
		err = xp_symbols_new(rec->input.ctx, &opts, &rec->symbols);
	if (!err)
		err = xp_resolver_new(rec->timeline, rec->symbols, &rec->resolver);
	if (!err && wishes->tod && head_wall_clock(conversion, &conversion->to_wall_ns)) {
		err = xp_diag_set(&rec->input.diag, -ENODATA,
				  "--tod: '%s' does not say what time it was", rec->input.path);
		xp_diag_hint(&rec->input.diag, "Record with --clockid monotonic");
	}
	if (!err && wishes->all) {
		conversion->others =
			open_memstream(&conversion->others_text, &conversion->others_len);
		err = conversion->others ? 0 : -ENOMEM;
	}
	return err;
}

static int write_all(struct conversion *conversion)
{
	FILE *out = conversion->out;

	fputs("{\n\t\"linux-perf-json-version\": 1,\n\t\"headers\": {\n", out);
	head_write(conversion);
	fputs("\t},\n\t\"samples\": [", out);
	int err = write_records(conversion);
	fputs("\n\t]", out);
	if (conversion->others) {
		/* Without memory for all of them, the text ends anywhere. */
		bool is_cut = ferror(conversion->others);

		is_cut |= fclose(conversion->others) != 0;
		if (is_cut && !err)
			err = -ENOMEM;
		fprintf(out, ",\n\t\"events\": [%s\n\t]", is_cut ? "" : conversion->others_text);
	}
	fputs("\n}\n", out);
	if (fflush(out) && !err)
		err = -errno;
	return err;
}

/* --- files --- */

static void tell(const struct conversion *conversion, const struct wishes *wishes, uint64_t bytes)
{
	fprintf(stderr,
		"[ %s data convert: Converted '%s' into JSON data '%s' ]\n"
		"[ %s data convert: Converted and wrote %.3f MB (%llu samples) ]\n",
		program_invocation_short_name, conversion->rec.input.path, wishes->to_json,
		program_invocation_short_name, (double)bytes / 1024 / 1024,
		(unsigned long long)conversion->nr_samples);
}

static int convert(const struct cli *cli, const struct wishes *wishes)
{
	const struct values values = { .input = wishes->input, .force = wishes->force };
	struct conversion conversion = { .out = stdout };
	bool to_stdout = !strcmp(wishes->to_json, "-");
	struct input *input = &conversion.rec.input;
	struct result result = { 0 };

	if (wishes->time && !(conversion.slices = slices_parse(wishes->time)))
		return EXIT_USAGE;
	int err = load_open(cli, &conversion.rec, &values);
	if (!err && !to_stdout) {
		err = result_open(&result, wishes->to_json, input->path, !wishes->force,
				  &input->diag);
		conversion.out = result.file;
	}
	if (!err)
		err = prepare(&conversion, wishes);
	if (!err)
		err = write_all(&conversion);
	err = result_close(&result, err, &input->diag);
	if (!err && !to_stdout)
		tell(&conversion, wishes, result.stream.bytes);
	free(conversion.others_text);
	free(conversion.joined.at);
	slices_free(conversion.slices);
	load_close(&conversion.rec);
	return input_close(input, err, wishes->verbose);
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct wishes wishes = { 0 };
	int first, skip = argc > 1 && !strcmp(argv[1], "convert");
	int leave = options_parse(&data_command, argc - skip, argv + skip, &wishes, &first);

	if (leave)
		return leave - 1;
	if (first < argc - skip)
		return options_misused(&data_command, "'%s' is not expected", argv[skip + first]);
	if (wishes.to_ctf) {
		fprintf(stderr, "Error: --to-ctf: CTF is not written; take --to-json FILE, or perf "
				"data convert --to-ctf, which reads the same recording\n");
		return EXIT_FAILED;
	}
	if (!wishes.to_json)
		return options_misused(&data_command, "what to convert to is missing: --to-json");
	return convert(cli, &wishes);
}

const struct command data_command = {
	.name = "data",
	.summary = "Converts a recording to JSON",
	.usage = "convert [<options>]",
	.options = options,
	.run = run,
};
