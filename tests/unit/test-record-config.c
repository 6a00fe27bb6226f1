/* SPDX-License-Identifier: MIT */
/* The options of `xperf record`: what each spelling means, and what is said of wrong ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/sampling.h>

#include "cli/record/config.h"

enum { ARGS_MAX = 8 };

/* --- a configuration as text: what is not the default --- */

static const struct {
	uint64_t flag;
	const char *name;
} flag_names[] = {
	{ XP_SAMPLING_ADDRESS, "address" },
	{ XP_SAMPLING_PHYS_ADDRESS, "phys" },
	{ XP_SAMPLING_DATA_PAGE_SIZE, "data-page" },
	{ XP_SAMPLING_CODE_PAGE_SIZE, "code-page" },
	{ XP_SAMPLING_WEIGHT, "weight" },
	{ XP_SAMPLING_TRANSACTION, "transaction" },
	{ XP_SAMPLING_PERIOD, "period-bit" },
	{ XP_SAMPLING_TIME, "time" },
	{ XP_SAMPLING_NO_TIME, "no-time" },
	{ XP_SAMPLING_CPU, "cpu-bit" },
	{ XP_SAMPLING_IDENTIFIER, "identifier" },
	{ XP_SAMPLING_RAW, "raw" },
	{ XP_SAMPLING_COUNTS, "counts" },
	{ XP_SAMPLING_RUNNING_TIME, "running" },
	{ XP_SAMPLING_ONCE, "once" },
	{ XP_SAMPLING_CGROUP, "cgroup" },
	{ XP_SAMPLING_NAMESPACES, "namespaces" },
	{ XP_SAMPLING_SWITCHES, "switches" },
	{ XP_SAMPLING_NO_BPF, "no-bpf" },
	{ XP_SAMPLING_NO_BUFFERING, "no-buffering" },
	{ XP_SAMPLING_OVERWRITE, "overwrite" },
	{ XP_SAMPLING_ALL_USER, "user" },
	{ XP_SAMPLING_ALL_KERNEL, "kernel" },
	{ XP_SAMPLING_NO_USER_CHAIN, "no-user-chain" },
	{ XP_SAMPLING_NO_KERNEL_CHAIN, "no-kernel-chain" },
	{ XP_SAMPLING_DEFER, "defer" },
	{ XP_SAMPLING_DATA_MAPS, "data-maps" },
	{ XP_SAMPLING_NO_BUILD_IDS, "no-ids" },
	{ XP_SAMPLING_STRICT_FREQ, "strict" },
};

static void print_sampling(FILE *out, const struct record_config *config)
{
	static const char *const chains[] = { "", " fp", " dwarf", " lbr" };
	static const char *const choices[] = { "", "-auto", "-plain" };
	const struct xp_sampling_opts *s = &config->sampling;

	for (size_t i = 0; i < sizeof(flag_names) / sizeof(flag_names[0]); i++)
		if (s->flags & flag_names[i].flag)
			fprintf(out, " %s", flag_names[i].name);
	fputs(chains[s->callchain], out);
	fputs(choices[config->call_graph], out);
	if (s->freq_hz == UINT64_MAX)
		fputs(" freq=max", out);
	else if (s->freq_hz)
		fprintf(out, " freq=%" PRIu64, s->freq_hz);
	if (s->period)
		fprintf(out, " period=%" PRIu64, s->period);
	if (s->stack_bytes)
		fprintf(out, " stack=%u", s->stack_bytes);
	if (!s->unwinds)
		fputs(" stored", out);
	if (s->max_stack)
		fprintf(out, " frames=%u", s->max_stack);
	if (s->branch_type)
		fprintf(out, " branches=%#" PRIx64, s->branch_type);
	if (s->use_clockid)
		fprintf(out, " clock=%d", s->clockid);
	if (s->aux_sample_bytes)
		fprintf(out, " aux=%u", s->aux_sample_bytes);
	fputs(s->system_wide ? " wide" : "", out);
	fputs(s->cpu_list ? " cpus" : "", out);
	fputs(s->has_workload ? "" : " no-workload", out);
	fputs(s->initial_delay ? " delayed" : "", out);
	fputs(s->no_inherit ? " alone" : "", out);
	fputs(s->regs_intr ? " regs-intr" : "", out);
	fputs(s->regs_user ? " regs-user" : "", out);
}

static void print_delay(FILE *out, const struct delay *delay)
{
	if (delay->given)
		fputs(" delay=", out);
	for (int i = 0; i < delay->nr; i++)
		fprintf(out, "[%" PRIu64 "-%" PRId64 "]", delay->ranges[i].from_ms,
			(int64_t)delay->ranges[i].to_ms);
}

static void print_output(FILE *out, const struct record_config *c)
{
	static const char *const whens[] = { " on-signal", " by-size", " by-time" };

	if (c->output)
		fprintf(out, " output=%s", c->output);
	if (c->compress_level)
		fprintf(out, " z=%d", c->compress_level);
	if (c->max_bytes)
		fprintf(out, " max=%" PRIu64, c->max_bytes);
	for (unsigned int i = 0; i < 3; i++)
		fputs(c->rule.when >> i & 1 ? whens[i] : "", out);
	if (c->rule.bytes || c->rule.ns)
		fprintf(out, "=%" PRIu64, c->rule.bytes + c->rule.ns);
	if (c->max_files)
		fprintf(out, " files=%d", c->max_files);
	fputs(c->timestamp_filename ? " stamp" : "", out);
	fputs(c->tail_synthesize ? " tail" : "", out);
	fputs(c->build_ids == CHOICE_NO ? " no-build-ids" : "", out);
	fputs(c->build_ids == CHOICE_YES ? " build-ids" : "", out);
	fputs(c->cache_build_ids == CHOICE_YES ? " cache" : "", out);
	fputs(c->all_build_ids ? " all-ids" : "", out);
	fputs(c->kcore ? " kcore" : "", out);
	if (c->flamegraph)
		fprintf(out, " flamegraph=%s", c->flamegraph);
	fputs(c->open ? " open" : "", out);
}

static void print_rest(FILE *out, const struct record_config *c)
{
	if (c->pages || c->aux_pages)
		fprintf(out, " pages=%zu,%zu", c->pages, c->aux_pages);
	if (c->flush_bytes)
		fprintf(out, " flush=%" PRIu64, c->flush_bytes);
	if (c->realtime)
		fprintf(out, " rt=%d", c->realtime);
	if (c->synth != SYNTH_ALL)
		fprintf(out, " synth=%u", c->synth);
	if (c->control.given && !c->control.fifo)
		fprintf(out, " fd=%d,%d", c->control.fd, c->control.ack_fd);
	if (c->control.fifo)
		fprintf(out, " fifo=%s,%s", c->control.fifo,
			c->control.ack_fifo ? c->control.ack_fifo : "");
	fputs(c->target.tasks_per_cpu ? "" : " per-task", out);
	fputs(c->period_wanted == CHOICE_YES ? " period" : "", out);
	fputs(c->period_wanted == CHOICE_NO ? " no-period" : "", out);
	fputs(c->aux_snapshot ? " snapshot" : "", out);
	if (c->events.nr || c->switch_events.nr)
		fprintf(out, " events=%d,%d,%d", c->events.nr, c->events.nr_filters,
			c->switch_events.nr);
	fputs(c->group ? " group" : "", out);
	if (c->nr_without_effect)
		fprintf(out, " no-effect=%d", c->nr_without_effect);
}

static void text_of(const struct record_config *config, char *text, size_t size)
{
	FILE *out = fmemopen(text, size, "w");

	assert_non_null(out);
	print_sampling(out, config);
	print_delay(out, &config->delay);
	print_output(out, config);
	print_rest(out, config);
	fputc('\0', out);
	fclose(out);
}

/* --- parsing --- */

/* Returned where the command goes on; else the exit status. */
enum { GOES_ON = -1 };

/* Parses @args and a command behind them, if they do not end with "!"; stderr goes to @said. */
static int parse(const char *const args[], struct record_config *config, char *said, size_t size)
{
	char *argv[ARGS_MAX + 3] = { (char *)"record" };
	FILE *file = tmpfile();
	int argc = 1, saved = dup(STDERR_FILENO);

	assert_non_null(file);
	for (; argc <= ARGS_MAX && args[argc - 1] && strcmp(args[argc - 1], "!"); argc++)
		argv[argc] = (char *)args[argc - 1];
	if (argc > ARGS_MAX || !args[argc - 1])
		argv[argc++] = (char *)"true";
	fflush(stderr);
	dup2(fileno(file), STDERR_FILENO);
	int status;
	bool goes_on = record_config_init(config, argc, argv, &status);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	said[fread(said, 1, size - 1, file)] = '\0';
	fclose(file);
	return goes_on ? GOES_ON : status;
}

/* A row without a command ends with "!". */
static const struct row {
	int line;
	const char *args[ARGS_MAX];
	const char *expected;
} good[] = {
#define AT __LINE__
	{ AT, { NULL }, "" },
	{ AT, { "!" }, " wide no-workload" },
	{ AT, { "-e", "cycles", "-ecs", "--filter=x", "--exclude-perf" }, " events=2,2,0" },
	{ AT, { "--group", "-e", "cs", "-e", "cycles" }, " events=2,0,0 group" },
	{ AT, { "--group", "--no-group" }, "" },
	/* how often */
	{ AT, { "-F", "99" }, " freq=99" },
	{ AT, { "-Fmax" }, " freq=max" },
	{ AT, { "--freq=99", "--strict-freq" }, " strict freq=99" },
	{ AT, { "-c", "1000" }, " period=1000" },
	/* one word, as a script has it that quotes an option with its value */
	{ AT, { "-F 1000" }, " freq=1000" },
	{ AT, { "-c 1000" }, " period=1000" },
	{ AT, { "-m 16" }, " pages=16,0" },
	{ AT, { "-F", "99", "-c7" }, " period=7" },
	{ AT, { "-F", "99", "--no-freq" }, "" },
	/* callers */
	{ AT, { "-g" }, " fp-plain" },
	{ AT, { "-ag" }, " fp-plain wide no-workload" },
	{ AT, { "--call-graph", "fp" }, " fp" },
	{ AT, { "--call-graph=fp,32" }, " fp frames=32" },
	{ AT, { "--call-graph=fp,defer" }, " defer fp" },
	{ AT, { "--call-graph=dwarf" }, " dwarf" },
	{ AT, { "--call-graph=dwarf,4093" }, " dwarf stack=4096" },
	{ AT, { "--call-graph", "dwarf," }, " dwarf" },
	{ AT, { "--call-graph=dwarf,4096," }, " dwarf stack=4096" },
	{ AT, { "--call-graph=dwarf, 4096" }, " dwarf stack=4096" },
	{ AT, { "--call-graph=dwarf,raw" }, " dwarf stored" },
	{ AT, { "--call-graph=dwarf,4096,raw" }, " dwarf stack=4096 stored" },
	{ AT, { "-g", "--call-graph=dwarf,16384,raw", "-g" }, " dwarf stack=16384 stored" },
	{ AT, { "--call-graph=dwarf,raw", "-g" }, " dwarf stored" },
	{ AT, { "--call-graph=dwarf,raw", "--call-graph=dwarf" }, " dwarf" },
	{ AT, { "--call-graph=fp," }, " fp" },
	{ AT, { "--call-graph=dwarf,65528" }, " dwarf stack=65528" },
	{ AT, { "--call-graph=lbr" }, " lbr" },
	{ AT, { "-g", "--call-graph=dwarf,64000" }, " dwarf stack=64000" },
	{ AT, { "--call-graph=dwarf,64000", "-g" }, " dwarf stack=64000" },
	{ AT, { "--call-graph=fp,32", "-g" }, " fp frames=32" },
	{ AT, { "--call-graph=lbr", "-g" }, " lbr" },
	{ AT, { "-g", "--no-call-graph" }, "" },
	{ AT, { "--call-graph=dwarf,64000", "--no-call-graph", "-g" }, " fp-plain" },
	{ AT, { "--call-graph", "auto" }, " fp-auto" },
	{ AT, { "--call-graph=auto", "-g" }, " fp-auto" },
	{ AT, { "-g", "--call-graph=auto" }, " fp-auto" },
	{ AT, { "-g", "--call-graph=fp" }, " fp" },
	{ AT, { "--call-graph=auto", "--call-graph=dwarf" }, " dwarf" },
	{ AT, { "--call-graph=dwarf", "--call-graph=auto" }, " fp-auto" },
	{ AT, { "-g", "--call-graph=auto", "--no-call-graph" }, "" },
	{ AT, { "-g", "-g", "--call-graph=dwarf", "-g" }, " dwarf" },
	{ AT, { "--kernel-callchains" }, " no-user-chain" },
	{ AT, { "--user-callchains" }, " no-kernel-chain" },
	{ AT, { "--all-user" }, " user" },
	{ AT, { "--all-kernel" }, " kernel" },
	/* of whom */
	{ AT, { "-C", "0" }, " wide cpus no-workload per-task" },
	{ AT, { "-p1", "!" }, " no-workload" },
	{ AT, { "-p1", "-C0" }, " cpus no-workload per-task" },
	{ AT, { "-t1", "!" }, " no-workload alone" },
	{ AT, { "-t1", "--inherit", "!" }, " no-workload" },
	{ AT, { "-uroot", "!" }, " no-workload" },
	{ AT, { "-i" }, " alone" },
	{ AT, { "--no-inherit", "--inherit" }, "" },
	{ AT, { "--per-thread" }, " alone per-task" },
	/* when */
	{ AT, { "-D", "100" }, " delayed delay=[100--1]" },
	{ AT, { "-D-1" }, " delayed delay=" },
	{ AT, { "--delay=10-20,30-40" }, " delayed delay=[10-20][30-40]" },
	{ AT, { "-D", "10", "--no-delay" }, "" },
	{ AT, { "--control=fd:3" }, " fd=3,-1" },
	{ AT, { "--control", "fd:3,4" }, " fd=3,4" },
	{ AT, { "--control=fifo:/a,/b" }, " fifo=/a,/b" },
	/* what each sample has */
	{ AT, { "-d" }, " address data-maps" },
	{ AT, { "--data-mmap" }, " data-maps" },
	{ AT, { "--phys-data", "--data-page-size" }, " phys data-page" },
	{ AT, { "--code-page-size", "-W", "--transaction" }, " code-page weight transaction" },
	{ AT, { "-P" }, " period" },
	{ AT, { "--no-period" }, " no-period" },
	{ AT, { "-T" }, " time" },
	{ AT, { "-T", "--no-timestamp" }, " no-time" },
	{ AT, { "--sample-cpu", "--sample-identifier" }, " cpu-bit identifier" },
	{ AT, { "-R", "-s", "-n", "--running-time" }, " raw counts running once" },
	{ AT, { "-n", "--samples" }, "" },
	{ AT, { "-I" }, " regs-intr" },
	{ AT, { "--user-regs" }, " regs-user" },
	{ AT, { "-I", "--no-intr-regs" }, "" },
	{ AT, { "-b" }, " branches=0x8" },
	{ AT, { "-j", "any_call,any_ret,u" }, " branches=0x31" },
	{ AT, { "-j", "u,k" }, " branches=0xb" },
	{ AT, { "--branch-filter=any,save_type,priv,counter" }, " branches=0xd0008" },
	{ AT, { "-k", "monotonic_raw" }, " clock=4" },
	{ AT, { "-k", "CLOCK_BOOTTIME" }, " clock=7" },
	{ AT, { "-k0" }, " clock=0" },
	{ AT, { "-S" }, " snapshot" },
	{ AT, { "--snapshot=e4096" }, " snapshot" },
	{ AT, { "--aux-sample" }, " aux=4096" },
	{ AT, { "--aux-sample=8K" }, " aux=8192" },
	/* the side band */
	{ AT,
	  { "--namespaces", "--all-cgroups", "--switch-events" },
	  " cgroup namespaces switches" },
	{ AT, { "--latency" }, " switches" },
	{ AT, { "--no-bpf-event" }, " no-bpf" },
	{ AT, { "--no-bpf-event", "--bpf-event" }, "" },
	{ AT, { "--synth=no" }, " synth=0" },
	{ AT, { "--synth", "mmap" }, " synth=3" },
	{ AT, { "--synth=task,cgroup" }, " synth=5" },
	{ AT, { "--tail-synthesize" }, " tail" },
	{ AT, { "-B" }, " no-ids no-build-ids" },
	{ AT, { "--buildid" }, " build-ids" },
	{ AT, { "--no-no-buildid" }, " build-ids" },
	{ AT, { "-N" }, "" },
	{ AT, { "--buildid-cache" }, " cache" },
	{ AT, { "--buildid-all" }, " all-ids" },
	{ AT, { "--buildid-mmap" }, "" },
	{ AT, { "--no-buildid-mmap" }, " no-ids" },
	/* rings */
	{ AT, { "-m", "128" }, " pages=128,0" },
	{ AT, { "-m", "4,64" }, " pages=4,64" },
	{ AT, { "-m,64" }, " pages=0,64" },
	{ AT, { "--mmap-flush=4K" }, " flush=4096" },
	{ AT, { "-r", "50", "--no-buffering" }, " no-buffering rt=50" },
	{ AT, { "--overwrite" }, " overwrite tail" },
	/* files */
	{ AT, { "-o", "x" }, " output=x" },
	{ AT, { "-o-" }, " output=-" },
	{ AT, { "--flamegraph", "x.svg" }, " fp-plain flamegraph=x.svg" },
	{ AT, { "--open" }, " fp-plain open" },
	{ AT, { "--open", "--call-graph=lbr" }, " lbr open" },
	{ AT, { "--call-graph", "auto", "--flamegraph=-" }, " fp-auto flamegraph=-" },
	{ AT, { "--open", "--no-open" }, "" },
	{ AT, { "-z" }, " z=1" },
	{ AT, { "-z19" }, " z=19" },
	{ AT, { "-z=3" }, " z=3" },
	{ AT, { "--compression-level=22" }, " z=22" },
	{ AT, { "--max-size=3M" }, " max=3145728" },
	{ AT, { "--switch-output" }, " on-signal stamp" },
	{ AT, { "--switch-output=5M" }, " by-size=5242880 stamp" },
	{ AT, { "--switch-output=5m" }, " by-time=300000000000 stamp" },
	{ AT,
	  { "--switch-output=30s", "--switch-max-files=3" },
	  " by-time=30000000000 files=3 stamp" },
	{ AT, { "--switch-output=15s,signal" }, " on-signal by-time=15000000000 stamp" },
	{ AT, { "--switch-output=signal,5M,30s" }, " on-signal by-size by-time=30005242880 stamp" },
	{ AT, { "--switch-output-event=cs" }, " on-signal stamp events=0,0,1" },
	{ AT, { "--timestamp-filename" }, " stamp" },
	{ AT, { "--kcore" }, " kcore" },
	/* what changes nothing */
	{ AT, { "--aio", "--aio=4", "--threads=cpu", "--affinity=node" }, " no-effect=4" },
	{ AT,
	  { "--num-thread-synthesize=3", "--vmlinux", "/dev/null", "--debuginfod" },
	  " no-effect=3" },
	{ AT, { "--threads", "--threads=0-1/0:2,3/2-3", "--affinity=sys" }, " no-effect=3" },
	{ AT, { "--timestamp-boundary" }, " no-effect=1" },
	{ AT, { "--proc-map-timeout=10", "--no-group" }, "" },
};

static void options_mean_what_they_mean_in_perf(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct record_config config;
		char text[512], said[2048];
		int status = parse(good[i].args, &config, said, sizeof(said));

		text_of(&config, text, sizeof(text));
		if (status != GOES_ON || strcmp(text, good[i].expected) != 0)
			fail_msg("line %d: status %d, '%s' is not '%s'; %s", good[i].line, status,
				 text, good[i].expected, said);
		record_config_fini(&config);
	}
}

/* The first line on stderr begins with this. */
static const struct row bad[] = {
	{ AT, { "-F", "0" }, "Error: -F: '0' is neither a number of samples per second nor max" },
	{ AT, { "-F", "4k" }, "Error: -F: '4k' is neither a number" },
	{ AT, { "-c", "-1" }, "Error: -c: '-1' is not a number of events" },
	{ AT, { "-c0" }, "Error: -c: '0'" },
	{ AT,
	  { "--call-graph=caller" },
	  "Error: --call-graph: 'caller' is not one of: auto, rules, fp" },
	{ AT,
	  { "--call-graph=dwarf,65529" },
	  "Error: --call-graph: the kernel copies at most 65528 bytes of a stack, not 65529" },
	{ AT, { "--call-graph=lbr,1" }, "Error: --call-graph: 'lbr,1'" },
	{ AT, { "--call-graph=auto,1" }, "Error: --call-graph: 'auto,1' is not one of: auto" },
	{ AT, { "--call-graph=dwarf,raw,8192" }, "Error: --call-graph: 'dwarf,raw,8192'" },
	{ AT, { "--call-graph=dwarf,8192,rough" }, "Error: --call-graph: 'dwarf,8192,rough'" },
	{ AT, { "--call-graph=fp,raw" }, "Error: --call-graph: 'fp,raw'" },
	{ AT, { "--call-graph=fp,x" }, "Error: --call-graph: 'fp,x'" },
	{ AT, { "-D", "-2" }, "Error: -D: '-2' is not a number of milliseconds" },
	{ AT, { "-D", "20-10" }, "Error: -D: '20-10'" },
	{ AT, { "-D", "10-20,15-30" }, "Error: -D: '10-20,15-30'" },
	{ AT, { "-D", "10,20" }, "Error: -D: '10,20'" },
	{ AT, { "--control=3" }, "Error: --control: '3' is neither fd:" },
	{ AT, { "--control=fd:x" }, "Error: --control: 'fd:x'" },
	{ AT, { "--control=fifo:" }, "Error: --control: 'fifo:'" },
	{ AT, { "-j", "any,some" }, "Error: -j: 'any,some' is not a list of: any," },
	{ AT, { "-b", "-j", "any" }, "Error: -j: -b and -j exclude each other" },
	{ AT, { "-b", "--call-graph=lbr" }, "Error: --call-graph lbr needs the branch records" },
	{ AT, { "-k", "sundial" }, "Error: -k: 'sundial' is not a clock" },
	{ AT, { "-Inosuch" }, "Error: -I: there is no register 'nosuch'; " },
	{ AT, { "-I?" }, "available registers: " },
	{ AT, { "--user-regs=?" }, "available registers: " },
	{ AT, { "-m", "0" }, "Error: -m: '0' is not a number of pages" },
	{ AT, { "-m", "4,x" }, "Error: -m: 'x'" },
	{ AT, { "-m", "99999999999999999999" }, "Error: -m: '9999" },
	{ AT, { "--max-size=x" }, "Error: --max-size: 'x' is not a size" },
	{ AT, { "--switch-output=5s," }, "Error: --switch-output: '5s,' is not signal, a size" },
	{ AT, { "--switch-output=5" }, "Error: --switch-output: '5' is not signal, a size" },
	{ AT, { "--switch-max-files=3" }, "Error: --switch-max-files needs a number of files" },
	{ AT, { "--synth=some" }, "Error: --synth: 'some' is not a list of: no, all" },
	{ AT, { "-z=fast" }, "Error: -z: 'fast' is not a level, 1 to 22" },
	{ AT, { "--call-graph=dwarf,," }, "Error: --call-graph: 'dwarf,,'" },
	{ AT, { "--call-graph=dwarf,4096raw" }, "Error: --call-graph: 'dwarf,4096raw'" },
	{ AT, { "--call-graph=dwarf,raw,4096" }, "Error: --call-graph: 'dwarf,raw,4096'" },
	{ AT, { "-zfast" }, "Error: -z: 'fast' is not a level, 1 to 22" },
	{ AT, { "-z99" }, "Error: -z: '99' is not a level, 1 to 22" },
	{ AT, { "-z0" }, "Error: -z: '0' is not a level" },
	{ AT, { "--aio=-5" }, "Error: --aio: '-5' is not a number of writes" },
	{ AT, { "--threads=bogus" }, "Error: --threads: 'bogus' is not cpu, core, package, numa" },
	{ AT, { "--threads=0/0:" }, "Error: --threads: '0/0:' is not" },
	{ AT, { "--threads=0/0/0" }, "Error: --threads: '0/0/0' is not" },
	{ AT, { "--affinity=x" }, "Error: --affinity: 'x' is not sys, node or cpu" },
	{ AT, { "--num-thread-synthesize", "abc" }, "Error: --num-thread-synthesize: 'abc' is" },
	{ AT, { "--vmlinux", "/no/such" }, "Error: --vmlinux: '/no/such' is not a file that can" },
	{ AT, { "--aux-sample=0" }, "Error: --aux-sample: '0' is not a number of bytes, 1 to" },
	{ AT, { "--intr-regs=" }, "Error: --intr-regs: there is no register ''" },
	{ AT, { "--proc-map-timeout=0" }, "Error: --proc-map-timeout: 0 is less than 1" },
	{ AT, { "-r", "100" }, "Error: -r needs a priority, 1 to 99" },
	{ AT, { "-p1", "-t1" }, "Error: -p, -t and -u exclude each other" },
	{ AT, { "--all-user", "--all-kernel" }, "Error: --all-user and --all-kernel" },
	{ AT, { "--user-callchains", "--kernel-callchains" }, "Error: --user-callchains and" },
	{ AT, { "--per-thread", "--inherit" }, "Error: --per-thread cannot follow child tasks" },
	{ AT, { "-o-", "--switch-output" }, "Error: -o - writes one stream" },
	{ AT, { "-o-", "--kcore" }, "Error: --kcore writes a directory" },
	{ AT, { "-o-", "--open" }, "Error: --flamegraph and --open show a file" },
	{ AT, { "-o", "/dev/stdout", "--flamegraph=x" }, "Error: --flamegraph and --open show a" },
	{ AT, { "--open", "--switch-output" }, "Error: --flamegraph and --open show one file" },
	{ AT, { "--flamegraph=perf.data" }, "Error: --flamegraph and -o need different files" },
	{ AT, { "-ox", "--flamegraph=x" }, "Error: --flamegraph and -o need different files" },
	{ AT, { "--flamegraph=" }, "Error: --flamegraph needs the name of a file" },
	{ AT, { "-ecs", "-Gx" }, "Error: -G needs -a or -C" },
	{ AT, { "-Gx" }, "Error: -G: applies to the events of the preceding -e" },
	{ AT, { "-o", "" }, "Error: -o needs the name of a file" },
	{ AT, { "--filter=x" }, "Error: --filter: applies to the events of the preceding -e" },
	{ AT, { "--off-cpu=5x" }, "Error: --off-cpu: '5x' is not a time" },
	{ AT, { "--off-cpu-thresh=-1" }, "Error: --off-cpu-thresh: '-1' is not a time" },
	{ AT, { "--wakers" }, "Error: --wakers shows who ends the waits" },
	{ AT,
	  { "--off-cpu", "--wakers", "--all-user" },
	  "Error: --wakers needs samples of the kernel" },
	{ AT, { "--off-cpu", "--no-timestamp" }, "Error: --off-cpu needs the time" },
};

static void wrong_values_are_reported(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct record_config config;
		char said[2048];
		int status = parse(bad[i].args, &config, said, sizeof(said));

		if (status != EXIT_USAGE ||
		    strncmp(said, bad[i].expected, strlen(bad[i].expected)) != 0)
			fail_msg("line %d: status %d, said: %s", bad[i].line, status, said);
		record_config_fini(&config);
	}
}

/* What is left aside is said, and not with -q. */
static void what_is_left_aside_is_said(void **state)
{
	static const struct row rows[] = {
		{ AT, { "-F99", "-c7" }, "Warning: -F is ignored" },
		{ AT, { "-a", "-p1" }, "Warning: -a is ignored" },
		{ AT, { "--per-thread", "-a" }, "Warning: --per-thread is ignored" },
		{ AT, { "-m", "3" }, "Warning: -m is rounded up to a power of two" },
		{ AT, { "-m", "3", "-q" }, "" },
		{ AT, { "-q", "-F99", "-c7" }, "" },
		{ AT, { "-q", "-a", "-p1" }, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct record_config config;
		char said[2048];
		int status = parse(rows[i].args, &config, said, sizeof(said));
		size_t len = strlen(rows[i].expected);

		if (status != GOES_ON || strncmp(said, rows[i].expected, len) != 0 ||
		    (!len && *said))
			fail_msg("line %d: status %d, said: %s", rows[i].line, status, said);
		record_config_fini(&config);
	}
}

/* Sizes of -m are those of pages, whatever their size is. */
static void sizes_of_rings_are_rounded_up(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages;
	bool rounded;

	(void)state;
	assert_true(value_pages("512K", &pages, &rounded));
	assert_int_equal(pages, 512 * 1024 / page);
	assert_false(rounded);
	assert_true(value_pages("5000000B", &pages, &rounded));
	assert_true(rounded && pages * page >= 5000000 && pages * page < 10000000);
	assert_true(value_pages("1b", &pages, &rounded));
	assert_int_equal(pages, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_mean_what_they_mean_in_perf),
		cmocka_unit_test(wrong_values_are_reported),
		cmocka_unit_test(what_is_left_aside_is_said),
		cmocka_unit_test(sizes_of_rings_are_rounded_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
