/* SPDX-License-Identifier: MIT */
/*
 * The summary of regions: over all threads, then thread by thread, in the order they are met.
 *
 *     {"xperf_regions": 1, "pid": P, "misused": N, "failed": {"threads": N, "reason": WHY},
 *      "events": [{"event": NAME, "reason": WHY NOT COUNTED}…],
 *      "regions": [{"path": [OUTER…, NAME], "calls": N, "wall_ns": N, "counts":
 *        [{"event": NAME, "value": N, "enabled_ns": N, "running_ns": N, "estimate": N,
 *          "without_call": N}…]}…],
 *      "threads": [{"tid": T, "regions": […]}…]}
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/regions.h>
#include <xperf/sys.h>

#include "json-text.h"
#include "regions-impl.h"
#include "replace.h"
#include "str.h"

static void put_string(struct xp_str *out, const char *text)
{
	xp_str_add(out, "\"", 1);
	while (*text) {
		char next[JSON_TEXT_MAX];
		size_t len = json_text_next(&text, next);

		xp_str_add(out, next, len);
	}
	xp_str_add(out, "\"", 1);
}

static void put_path(struct xp_str *out, const struct xp_region *region)
{
	if (region->parent->parent) {
		put_path(out, region->parent);
		xp_str_addf(out, ", ");
	}
	put_string(out, region->name);
}

static void put_sum(struct xp_str *out, const struct xp_region_sum *sum, const char *event)
{
	struct xp_count count = { .value = xp_region_load(&sum->value),
				  .enabled_ns = xp_region_load(&sum->enabled_ns),
				  .running_ns = xp_region_load(&sum->running_ns) };
	/* Where the times lag, see xp_self_read(), none may have passed. */
	double estimate = count.running_ns ? xp_count_scale(&count) : (double)count.value;

	xp_str_addf(out, "\n\t\t\t{\"event\": ");
	put_string(out, event);
	xp_str_addf(out,
		    ", \"value\": %llu, \"enabled_ns\": %llu, \"running_ns\": %llu, "
		    "\"estimate\": %.0f, \"without_call\": %llu}",
		    (unsigned long long)count.value, (unsigned long long)count.enabled_ns,
		    (unsigned long long)count.running_ns, estimate,
		    (unsigned long long)xp_region_load(&sum->without_call));
}

static void put_region(struct xp_str *out, const struct xp_regions *regions,
		       const struct xp_region *region)
{
	const char *separator = "";

	xp_str_addf(out, "\n\t\t{\"path\": [");
	put_path(out, region);
	xp_str_addf(out, "], \"calls\": %llu, \"wall_ns\": %llu, \"counts\": [",
		    (unsigned long long)xp_region_load(&region->calls),
		    (unsigned long long)xp_region_load(&region->wall_ns));
	for (int i = 0; i < regions->nr_events; i++) {
		if (regions->reasons[i])
			continue;
		xp_str_addf(out, "%s", separator);
		put_sum(out, &region->sums[i], regions->names[i]);
		separator = ",";
	}
	xp_str_addf(out, "]}");
}

static void put_regions(struct xp_str *out, const struct xp_regions *regions,
			const struct xp_region *root)
{
	const char *separator = "";

	for (const struct xp_region *r = xp_region_next_in_order(root); r;
	     r = xp_region_next_in_order(r)) {
		if (!xp_region_load(&r->calls))
			continue;
		xp_str_addf(out, "%s", separator);
		put_region(out, regions, r);
		separator = ",";
	}
}

static void put_head(struct xp_str *out, const struct xp_regions *regions)
{
	uint64_t misused = 0;

	for (const struct xp_region_thread *t = regions->threads; t; t = t->next)
		misused += xp_region_load(&t->misused);
	xp_str_addf(out, "{\"xperf_regions\": 1, \"pid\": %d, \"misused\": %llu,", (int)getpid(),
		    (unsigned long long)misused);
	if (regions->nr_failed) {
		xp_str_addf(out, " \"failed\": {\"threads\": %d, \"reason\": ", regions->nr_failed);
		put_string(out, regions->failed.what);
		xp_str_addf(out, "},");
	}
	xp_str_addf(out, "\n\t\"events\": [");
	for (int i = 0; i < regions->nr_events; i++) {
		xp_str_addf(out, "%s\n\t\t{\"event\": ", i ? "," : "");
		put_string(out, regions->names[i]);
		if (regions->reasons[i]) {
			xp_str_addf(out, ", \"reason\": ");
			put_string(out, regions->reasons[i]);
		}
		xp_str_addf(out, "}");
	}
}

static int put_all(struct xp_str *out, const struct xp_regions *regions)
{
	struct xp_region *total = xp_regions_total(regions);
	int err = total ? 0 : -ENOMEM;

	if (!err) {
		put_head(out, regions);
		xp_str_addf(out, "],\n\t\"regions\": [");
		put_regions(out, regions, total);
		xp_str_addf(out, "],\n\t\"threads\": [");
		for (const struct xp_region_thread *t = xp_region_counting(regions->threads); t;
		     t = xp_region_counting(t->next)) {
			xp_str_addf(out, "\n\t\t{\"tid\": %d, \"regions\": [", (int)t->tid);
			put_regions(out, regions, t->root);
			xp_str_addf(out, "]}%s", xp_region_counting(t->next) ? "," : "");
		}
		xp_str_addf(out, "]}\n");
	}
	xp_region_free(total);
	return err ? err : out->failed ? -ENOMEM : 0;
}

static int write_text(const struct xp_sys *sys, int fd, const struct xp_str *text)
{
	return xp_write_all(sys, fd, &(struct iovec){ (void *)xp_str_text(text), text->len }, 1);
}

/*
 * "-", /dev/stdout and /dev/stderr are the descriptors that the program has: to open them again
 * would empty the file they are redirected to.
 */
static int write_file(const struct xp_sys *sys, const char *path, const struct xp_str *text)
{
	static const struct {
		const char *name;
		int fd;
	} streams[] = {
		{ "-", STDERR_FILENO },
		{ "/dev/stderr", STDERR_FILENO },
		{ "/dev/stdout", STDOUT_FILENO },
	};

	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
		if (!strcmp(path, streams[i].name))
			return write_text(sys, streams[i].fd, text);
	int fd = sys->create(sys, path, O_CREAT | O_TRUNC);
	if (fd < 0)
		return fd;
	int err = write_text(sys, fd, text);
	sys->close(sys, fd);
	return err;
}

/* "%p" is the process. */
static void put_file_name(struct xp_str *out, const char *path)
{
	for (const char *p = path; *p; p++)
		if (p[0] == '%' && p[1] == 'p') {
			xp_str_addf(out, "%d", (int)getpid());
			p++;
		} else {
			xp_str_add(out, p, 1);
		}
}

static const struct xp_sys *sys_of(const struct xp_regions *regions)
{
	return regions->ctx_opts.sys ? regions->ctx_opts.sys : xp_sys_linux();
}

void xp_regions_report(const struct xp_regions *regions, const struct xp_diag *diag)
{
	struct xp_str text = { 0 };

	xp_str_addf(&text, "XPERF_REGIONS: %s\n", diag->what);
	write_text(sys_of(regions), STDERR_FILENO, &text);
	xp_str_fini(&text);
}

int xp_regions_write(struct xp_regions *regions, const char *path, struct xp_diag *diag)
{
	const struct xp_sys *sys = sys_of(regions);
	struct xp_str text = { 0 }, file = { 0 };
	int err;

	path = path ? path : regions->path;
	if (!*regions->here)
		return xp_diag_set(diag, -EPERM, "The regions belong to the parent process");
	if (!path)
		return xp_diag_set(diag, -EINVAL, "No file is named to write the regions to");
	put_file_name(&file, path);
	pthread_mutex_lock(&regions->lock);
	err = put_all(&text, regions);
	pthread_mutex_unlock(&regions->lock);
	if (err || file.failed)
		err = xp_diag_set(diag, -ENOMEM, "Out of memory");
	else
		err = write_file(sys, xp_str_text(&file), &text);
	if (err && err != -ENOMEM)
		xp_diag_set(diag, err, "Cannot write regions to %s: %s", xp_str_text(&file),
			    strerror(-err));
	xp_str_fini(&text);
	xp_str_fini(&file);
	return err;
}
