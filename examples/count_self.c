/* SPDX-License-Identifier: MIT */
/*
 * count_self: what filling a region of memory costs the thread that does it.
 *
 *     count_self [PAGES [EVENTS]]
 *
 * Counters are read around the region of code of interest, from user space where the machine lets
 * them be; the difference of two readings is what the code in between did.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xperf/xperf.h>

/* Fills fresh memory, which the kernel provides page by page, at the first touch of each. */
static int fill(size_t pages)
{
	size_t bytes = pages * (size_t)sysconf(_SC_PAGESIZE);
	void *region =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (region == MAP_FAILED)
		return -1;
	madvise(region, bytes, MADV_NOHUGEPAGE);
	memset(region, 1, bytes);
	/* The compiler must not leave out what nobody reads. */
	__asm__ volatile("" ::"r"(region) : "memory");
	return munmap(region, bytes);
}

static void show(const struct xp_evlist *events, struct xp_self *self,
		 const struct xp_count *before, const struct xp_count *after)
{
	static const char *const paths[] = { [XP_PATH_NONE] = "not counted",
					     [XP_PATH_RDPMC] = "from user space",
					     [XP_PATH_READ] = "by read(2)" };

	for (int i = 0; i < xp_evlist_nr(events); i++) {
		const char *why = xp_self_reason(self, i);
		struct xp_count spent = {
			.value = after[i].value - before[i].value,
			.enabled_ns = after[i].enabled_ns - before[i].enabled_ns,
			.running_ns = after[i].running_ns - before[i].running_ns,
		};

		/* Where the times lag, see xp_self_read(), no time may have passed. */
		if (spent.running_ns)
			spent.value = (uint64_t)xp_count_scale(&spent);
		printf("%15llu  %-20s %s%s%s\n", (unsigned long long)spent.value,
		       xp_evsel_name(xp_evlist_at(events, i)), paths[xp_self_path_at(self, i)],
		       *why ? ": " : "", why);
	}
}

static int measure(struct xp_evlist *events, size_t pages, struct xp_diag *diag)
{
	size_t nr = (size_t)xp_evlist_nr(events);
	struct xp_count *counts = calloc(2 * nr, sizeof(*counts));
	struct xp_self *self = NULL;
	int err = -1;

	if (!counts)
		return xp_diag_set(diag, -1, "Out of memory");
	err = xp_self_open(events, &self, diag);
	if (!err) {
		err = xp_self_read(self, counts);
		if (!err && fill(pages))
			err = -1;
		if (!err)
			err = xp_self_read(self, counts + nr);
		if (err)
			xp_diag_set(diag, err, "Cannot fill memory or read the counters");
		else
			show(events, self, counts, counts + nr);
	}
	xp_self_close(self);
	free(counts);
	return err;
}

int main(int argc, char **argv)
{
	size_t pages = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	const char *names = argc > 2 ? argv[2] : "page-faults,task-clock,instructions:u,cycles:u";
	struct xp_diag diag = { 0 };
	struct xp_ctx *ctx = NULL;
	struct xp_evlist *events = NULL;
	int err;

	if (xp_ctx_new(NULL, &ctx) || xp_evlist_new(ctx, &events))
		return 1;
	err = xp_evlist_parse(events, names, &diag);
	if (!err)
		err = measure(events, pages, &diag);
	if (err)
		fprintf(stderr, "count_self: %s%s%s\n", diag.what, *diag.hint ? ". " : "",
			diag.hint);
	xp_evlist_free(events);
	xp_ctx_free(ctx);
	return err ? 1 : 0;
}
