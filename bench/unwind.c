/* SPDX-License-Identifier: MIT */
/*
 * What unwinding the stacks of a recording costs, cold and warm: nanoseconds per frame, by method.
 * With -c: prints the call chains instead, one sample per line.
 *
 * Usage: unwind [-c] [-m auto|rules|libunwind|libdw] FILE
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xperf/xperf.h>

enum { MAX_FRAMES = 127, ROUNDS = 4 };

struct stack {
	struct xp_unwind_start start;
	int32_t pid;
	uint64_t time_ns;
};

struct work {
	struct xp_ctx *ctx;
	struct xp_data *data;
	struct xp_timeline *timeline;
	struct xp_symbols *symbols;
	struct stack *stacks;
	size_t nr, room;
	struct xp_unwind_file **files; /* by the index of their DSO */
	int nr_files;
	const struct stack *now;
	struct xp_unwind *unwind;
};

static void fail(const char *what)
{
	fprintf(stderr, "unwind: %s\n", what);
	exit(1);
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void *copy_of(const void *from, size_t len)
{
	void *copy = malloc(len ? len : 1);

	if (!copy)
		fail("no memory");
	return memcpy(copy, from, len);
}

static void keep(struct work *work, const struct xp_sample *sample, uint64_t position)
{
	struct stack *stack;

	if (work->nr == work->room) {
		work->room = work->room ? work->room * 2 : 1024;
		work->stacks = realloc(work->stacks, work->room * sizeof(*work->stacks));
		if (!work->stacks)
			fail("no memory");
	}
	stack = &work->stacks[work->nr++];
	*stack = (struct stack){ .pid = sample->id.pid };
	stack->time_ns = xp_timeline_moment(work->timeline, sample->id.time_ns, position);
	stack->start = (struct xp_unwind_start){
		.size = sizeof(stack->start),
		.regs = sample->user_regs,
		.stack = copy_of(sample->stack, sample->stack_valid),
		.stack_len = sample->stack_valid,
		.space = (uint32_t)sample->id.pid,
	};
	stack->start.regs.values =
		copy_of(sample->user_regs.values,
			(size_t)sample->user_regs.nr * sizeof(*sample->user_regs.values));
}

static void read_stacks(struct work *work)
{
	struct xp_sample sample = { .size = sizeof(sample) };
	const struct xp_record *record;

	while (xp_data_next(work->data, &record, NULL) > 0) {
		int event = xp_data_event_of(work->data, record);

		if (record->type != XP_RECORD_SAMPLE || event < 0 ||
		    xp_sample_decode(record, &xp_data_event_at(work->data, event)->attr, &sample))
			continue;
		if (sample.stack && sample.user_regs.nr)
			keep(work, &sample, xp_data_position(work->data));
	}
}

static int find_map(void *data, uint64_t address, struct xp_unwind_map *ret_map)
{
	struct xp_map map = { .size = sizeof(map) };
	struct work *work = data;

	if (xp_timeline_map_at(work->timeline, work->now->pid, XP_MISC_USER, address,
			       work->now->time_ns, &map) != 1)
		return 0;
	*ret_map = (struct xp_unwind_map){ map.start, map.end, map.offset, NULL, true };
	int index = map.dso->index;
	if (index >= work->nr_files) {
		work->files = realloc(work->files, (size_t)(index + 1) * sizeof(void *));
		for (; work->nr_files <= index; work->nr_files++)
			work->files[work->nr_files] = NULL;
	}
	if (!work->files[index] && xp_unwind_open(work->unwind, map.dso->name, map.dso->build_id,
						  map.dso->build_id_len, &work->files[index]))
		fail("no memory");
	ret_map->file = work->files[index];
	return 1;
}

static void print_chain(const struct stack *stack, const struct xp_unwind_chain *chain)
{
	printf("%d %" PRIu64 " %s:", stack->pid, stack->time_ns, xp_unwind_end_text(chain->end));
	for (size_t i = 0; i < chain->nr; i++)
		printf(" %" PRIx64 "%s", chain->pcs[i],
		       chain->marks[i] & XP_UNWIND_BY_FRAME_POINTER ? "*" : "");
	putchar('\n');
}

static void walk_all(struct work *work, struct xp_unwinder *unwinder, bool with_chains,
		     const char *what)
{
	uint64_t pcs[MAX_FRAMES], frames = 0, ends[XP_UNWIND_BAD + 1] = { 0 };
	uint8_t marks[MAX_FRAMES];
	double from = now_s();

	for (size_t i = 0; i < work->nr; i++) {
		struct xp_unwind_chain chain = {
			.size = sizeof(chain), .pcs = pcs, .marks = marks, .max = MAX_FRAMES
		};

		work->now = &work->stacks[i];
		if (xp_unwinder_walk(unwinder, &work->now->start, &chain))
			continue;
		frames += chain.nr;
		ends[chain.end]++;
		if (with_chains)
			print_chain(work->now, &chain);
	}
	if (with_chains)
		return;
	double spent = now_s() - from;
	printf("%s: %zu stacks, %" PRIu64 " frames, %.3f s, %.0f ns/frame; ends:", what, work->nr,
	       frames, spent, spent * 1e9 / (double)frames);
	for (size_t i = 0; i <= XP_UNWIND_BAD; i++)
		printf(" %" PRIu64, ends[i]);
	putchar('\n');
}

static void release(struct work *work)
{
	for (size_t i = 0; i < work->nr; i++) {
		free((void *)work->stacks[i].start.stack);
		free((void *)work->stacks[i].start.regs.values);
	}
	free(work->stacks);
	free(work->files);
	xp_unwind_free(work->unwind);
	xp_symbols_free(work->symbols);
	xp_timeline_free(work->timeline);
	xp_data_close(work->data);
	xp_ctx_free(work->ctx);
}

static enum xp_unwind_method method_of(const char *name)
{
	static const char *const names[] = { "auto", "rules", "libunwind", "libdw" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name))
			return (enum xp_unwind_method)i;
	fail("there is no such method");
	return XP_UNWIND_AUTO;
}

int main(int argc, char **argv)
{
	struct xp_unwind_opts how = { .size = sizeof(how) };
	struct work work = { .nr = 0 };
	struct xp_unwind_calls calls = { .size = sizeof(calls), .map = find_map, .data = &work };
	struct xp_unwinder *unwinder;
	bool with_chains = false;
	int c;

	while ((c = getopt(argc, argv, "cm:")) > 0) {
		with_chains = with_chains || c == 'c';
		if (c == 'm')
			how.method = method_of(optarg);
	}
	struct xp_data_opts from = { .size = sizeof(from), .path = argv[optind] };
	if (optind + 1 != argc || xp_ctx_new(NULL, &work.ctx) ||
	    xp_data_open(work.ctx, &from, &work.data, NULL) || xp_timeline_new(&work.timeline) ||
	    xp_timeline_load(work.timeline, work.data, NULL, NULL) || xp_data_rewind(work.data) ||
	    xp_symbols_new(work.ctx, NULL, &work.symbols))
		fail("the recording cannot be read");
	read_stacks(&work);
	if (xp_unwind_new(work.symbols, &how, &work.unwind) ||
	    xp_unwinder_new(work.unwind, NULL, &calls, &unwinder))
		fail("the method is not there");
	for (int i = 0; i < (with_chains ? 1 : ROUNDS); i++)
		walk_all(&work, unwinder, with_chains, i ? "warm" : "cold");
	if (!with_chains)
		for (int i = 0; i < work.nr_files; i++)
			if (work.files[i] && *xp_unwind_file_reason(work.files[i]))
				printf("%s: %s\n", xp_unwind_file_name(work.files[i]),
				       xp_unwind_file_reason(work.files[i]));
	xp_unwinder_free(unwinder);
	release(&work);
	return 0;
}
