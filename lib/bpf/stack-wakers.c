/* SPDX-License-Identifier: MIT */
/*
 * Records of sched:sched_waking, made of sums. What is no part of a sum, as the priority of the
 * task that was woken, is 0.
 *
 * Source: linux/trace_events.h, struct trace_entry, enum trace_flag_type;
 * include/trace/events/sched.h.
 */
#include "stack-wakers.h"

#include <errno.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/symtab.h>
#include <xperf/tracepoint.h>

#include "event.h"

enum { IN_HARD_IRQ = 0x08 };

static int open_kernel(struct stack_wakers *wakers, struct xp_ctx *ctx)
{
	const struct xp_symbols_opts opts = { .size = sizeof(opts), .no_vmlinux = true };
	int err = xp_symbols_new(ctx, &opts, &wakers->symbols);

	return err
		       ?: xp_symbols_open(wakers->symbols, "[kernel.kallsyms]", NULL, 0,
					  &wakers->kernel);
}

int xp_stack_wakers_init(struct stack_wakers *wakers, struct xp_evsel *evsel, struct xp_diag *diag)
{
	int err = xp_tracepoint_new(evsel->ctx, "sched", "sched_waking", &wakers->waking, diag);

	if (err)
		return err;
	for (int i = 0; i < wakers->waking->nr_fields; i++) {
		const struct xp_tracepoint_field *field = &wakers->waking->fields[i];
		uint32_t end = field->offset + field->size;

		wakers->len = end > wakers->len ? end : wakers->len;
	}
	if (evsel->attr.type != XP_TYPE_TRACEPOINT || evsel->attr.config != wakers->waking->id ||
	    wakers->len > WAKING_BYTES) {
		xp_stack_wakers_fini(wakers);
		return xp_diag_set(diag, -EINVAL,
				   "Wakers cannot be summed of %s: it has to be sched:sched_waking",
				   evsel->name);
	}
	wakers->evsel = evsel;
	err = open_kernel(wakers, evsel->ctx);
	return err ? xp_diag_set(diag, err, "Out of memory") : 0;
}

void xp_stack_wakers_fini(struct stack_wakers *wakers)
{
	xp_tracepoint_free(wakers->waking);
	xp_symbols_free(wakers->symbols);
	*wakers = (struct stack_wakers){ 0 };
}

/* Of this machine, whose byte order that of BPF programs is: the little one. */
static void put_number(const struct stack_wakers *wakers, unsigned char *record, const char *name,
		       uint64_t value)
{
	const struct xp_tracepoint_field *field =
		xp_tracepoint_field_find(wakers->waking, name, strlen(name));

	for (uint32_t i = 0; field && i < field->size && i < sizeof(value); i++)
		record[field->offset + i] = (unsigned char)(value >> 8 * i);
}

static void put_text(const struct stack_wakers *wakers, unsigned char *record, const char *name,
		     const char *text, size_t len)
{
	const struct xp_tracepoint_field *field =
		xp_tracepoint_field_find(wakers->waking, name, strlen(name));

	if (field)
		memcpy(record + field->offset, text, len < field->size ? len : field->size);
}

uint32_t xp_stack_wakers_record(const struct stack_wakers *wakers, const struct stack_key *task,
				unsigned char record[WAKING_BYTES])
{
	memset(record, 0, wakers->len);
	put_number(wakers, record, "common_type", wakers->waking->id);
	put_number(wakers, record, "common_flags", task->waker.is_interrupt ? IN_HARD_IRQ : 0);
	put_number(wakers, record, "common_pid", task->waker.tid);
	put_text(wakers, record, "comm", task->comm, sizeof(task->comm));
	put_number(wakers, record, "pid", task->tid);
	return wakers->len;
}

bool xp_stack_wakers_is_new(struct stack_wakers *wakers, const struct stack_waker *waker)
{
	struct waker_name *named = &wakers->named[waker->tid % WAKERS_KEPT];

	if (named->tid == waker->tid && !memcmp(named->comm, waker->comm, sizeof(named->comm)))
		return false;
	named->tid = waker->tid;
	memcpy(named->comm, waker->comm, sizeof(named->comm));
	return true;
}

static bool is_tracing(const struct stack_wakers *wakers, uint64_t ip)
{
	static const char *const begins[] = { "bpf_trace_run", "__bpf_trace_", "__traceiter_",
					      "__bpf_prog_run", "___bpf_prog_run" };
	struct xp_function function;

	if (xp_symtab_find(wakers->kernel, ip - 1, &function) <= 0)
		return false;
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(function.name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* The program itself comes first. */
size_t xp_stack_wakers_tracing(const struct stack_wakers *wakers, const uint64_t *ips, size_t nr)
{
	size_t tracing = nr > 1;

	while (tracing && tracing + 1 < nr && is_tracing(wakers, ips[tracing]))
		tracing++;
	return tracing;
}
