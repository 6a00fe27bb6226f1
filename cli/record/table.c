/* SPDX-License-Identifier: MIT */
/* The option table of `xperf record`. Names and letters are those of perf 6.1 and 7.2. */
#include <xperf/sampling.h>

#include "config.h"
#include "option-calls.h"
#include "option-parse.h"
#include "syscalls.h"

#define AT(member) offsetof(struct record_config, member)

/* A bit that each sample, or the side band, gets. */
#define FLAG(letter, name, bit, help)                                                              \
	{                                                                                          \
		letter, name, OPTION_CALL, bit, NULL, help, parse_flag                             \
	}
/* Accepted for scripts. */
#define NO_EFFECT(name, value, help)                                                               \
	{                                                                                          \
		0, name, OPTION_CALL, 0, value, help, accept_without_effect                        \
	}

/* clang-format off: one row, one line */
const struct option record_options[] = {
	{ 'e', "event", OPTION_CALL, AT(events), "EVENT",
	  "sample these events, separated by commas; {a,b}:S samples a and reads the group",
	  events_parse },
	{ 0, "pfm-events", OPTION_CALL, AT(events), "EVENT",
	  "sample these events, by their libpfm4 names: skx::INST_RETIRED:ANY_P", events_parse },
	{ 0, "filter", OPTION_CALL, AT(events), "FILTER",
	  "record the preceding tracepoints and probes, or samples of other events, only where this "
	  "condition holds: 'prev_pid != 0', 'period > 1000'",
	  events_parse_filter },
	{ 0, "syscalls", OPTION_CALL, 0, "NAME,...",
	  "record system calls, all or these, for xperf report --syscalls", parse_syscalls,
	  .optional = true },
	{ 0, "sched", OPTION_FLAG, AT(sched),
	  .help = "record how tasks run, wait and wake each other, for xperf report --sched" },
	{ 0, "exclude-perf", OPTION_CALL, AT(events),
	  .help = "do not record xperf itself for the preceding tracepoints",
	  .call = events_parse_exclude_perf },
	{ 'G', "cgroup", OPTION_CALL, AT(events), "NAME[,NAME]",
	  "record the preceding events in these cgroups, one each; a single name applies to all",
	  events_parse_cgroups },
	{ 0, "group", OPTION_FLAG, AT(group), .help = "make all events one group, as -e '{a,b}'" },
	{ 'F', "freq", OPTION_CALL, 0, "HZ|max",
	  "take this many samples per second and event "
	  "(default 4000)",
	  parse_freq },
	{ 0, "strict-freq", OPTION_CALL, XP_SAMPLING_STRICT_FREQ,
	  .help = "fail if the kernel does not allow the frequency", .call = parse_flag },
	{ 'c', "count", OPTION_CALL, 0, "N", "take a sample every N events, instead of -F",
	  parse_count },
	{ 0, "no-fallback", OPTION_FLAG, AT(no_fallback),
	  .help = "fail if cycles cannot be sampled, instead of sampling a clock" },
	{ 'g', NULL, OPTION_CALL, 0, .help = "record call chains; same as --call-graph auto",
	  .call = parse_callgraph },
	{ 0, "call-graph", OPTION_CALL, 0, "MODE",
	  "record call chains by dwarf[,BYTES of stack][,raw], rules, fp[,FRAMES], lbr, or the "
	  "best that works here (auto)",
	  parse_callgraph },
	{ 0, "no-join", OPTION_FLAG, AT(no_join),
	  .help = "end call chains of copied stacks where the copy ends" },
	FLAG(0, "kernel-callchains", XP_SAMPLING_NO_USER_CHAIN,
	     "record the kernel's part of call chains only"),
	FLAG(0, "user-callchains", XP_SAMPLING_NO_KERNEL_CHAIN,
	     "record the user's part of call chains only"),
	FLAG(0, "all-user", XP_SAMPLING_ALL_USER, "sample user space only, in all events"),
	FLAG(0, "all-kernel", XP_SAMPLING_ALL_KERNEL, "sample the kernel only, in all events"),

	{ 'a', "all-cpus", OPTION_FLAG, AT(target.system_wide),
	  .help = "record all tasks on all CPUs; the default without a command" },
	{ 'C', "cpu", OPTION_STRING, AT(target.cpu_list), "LIST", "record on these CPUs: 0,2-3" },
	{ 'p', "pid", OPTION_STRING, AT(target.pid_list), "LIST",
	  "record running processes, by number or name" },
	{ 't', "tid", OPTION_STRING, AT(target.tid_list), "LIST", "record running threads" },
	{ 'u', "uid", OPTION_STRING, AT(target.user), "USER",
	  "record all processes of a user (name or number)" },
	{ 0, "per-thread", OPTION_FLAG, AT(per_thread),
	  .help = "use a ring for each thread instead of each CPU; no child tasks" },
	{ 'i', "no-inherit", OPTION_CALL, AT(inherit), .help = "do not record child tasks",
	  .call = parse_refusal },
	{ 'D', "delay", OPTION_CALL, 0, "MS",
	  "start MS milliseconds after the command; -1: when --control enables it; ranges: "
	  "10-20,30-40",
	  parse_delay },
	{ 0, "control", OPTION_CALL, AT(control), "PLACE",
	  "read commands from fd:N[,N] or fifo:PATH[,PATH], and acknowledge them", control_parse },

	FLAG('d', "data", XP_SAMPLING_ADDRESS | XP_SAMPLING_DATA_MAPS, "record data addresses"),
	FLAG(0, "data-mmap", XP_SAMPLING_DATA_MAPS, "record maps that are not executable"),
	FLAG(0, "phys-data", XP_SAMPLING_PHYS_ADDRESS, "record physical data addresses"),
	FLAG(0, "data-page-size", XP_SAMPLING_DATA_PAGE_SIZE,
	     "record the page size of data addresses"),
	FLAG(0, "code-page-size", XP_SAMPLING_CODE_PAGE_SIZE,
	     "record the page size of code addresses"),
	FLAG(0, "sample-mem-info", XP_SAMPLING_ADDRESS,
	     "record data addresses, and where in the memory system the data came from"),
	FLAG('W', "weight", XP_SAMPLING_WEIGHT, "record the weight, if the event has one"),
	FLAG(0, "transaction", XP_SAMPLING_TRANSACTION,
	     "record the flags of hardware "
	     "transactions"),
	{ 0, "max-cpu", OPTION_INT, AT(max_cpu), "PERCENT",
	  "sample clocks of CPUs less often when recording takes more of the machine (25); 0: never" },
	{ 'P', "period", OPTION_CALL, AT(period_wanted), .help = "record the period of each sample",
	  .call = parse_choice },
	{ 'T', "timestamp", OPTION_CALL, 0, .help = "record the time of each sample (default)",
	  .call = parse_timestamp },
	FLAG(0, "sample-cpu", XP_SAMPLING_CPU, "record the CPU of each sample"),
	FLAG(0, "sample-identifier", XP_SAMPLING_IDENTIFIER,
	     "record the event's id at the same offset in all samples"),
	FLAG('R', "raw-samples", XP_SAMPLING_RAW, "record raw data (default for tracepoints)"),
	FLAG('s', "stat", XP_SAMPLING_COUNTS, "record the counts of each thread when it ends"),
	FLAG('n', "no-samples", XP_SAMPLING_ONCE,
	     "record no samples, only processes, names and "
	     "maps"),
	FLAG(0, "running-time", XP_SAMPLING_RUNNING_TIME,
	     "record the times enabled and running with the counts of {}:S"),
	{ 'I', "intr-regs", OPTION_CALL, 0, "REGS",
	  "record registers at the time of the sample; "
	  "-I? lists them",
	  parse_regs, .optional = true },
	{ 0, "user-regs", OPTION_CALL, 0, "REGS",
	  "record the registers of user space; =? lists "
	  "them",
	  parse_regs, .optional = true },
	{ 'b', "branch-any", OPTION_CALL, 0, .help = "record the branches before each sample",
	  .call = parse_branch_any },
	{ 'j', "branch-filter", OPTION_CALL, 0, "FILTER",
	  "record branches of some kinds: any_call,any_ret,cond,u,k ...", parse_branch_filter },
	{ 'k', "clockid", OPTION_CALL, 0, "CLOCK",
	  "use this clock for times: monotonic, boottime ...", parse_clock },
	{ 'S', "snapshot", OPTION_CALL, 0, "OPTS",
	  "record the AUX area on SIGUSR2 and at the "
	  "end only",
	  parse_snapshot, .optional = true },
	{ 0, "aux-sample", OPTION_CALL, 0, "BYTES",
	  "record a part of the AUX area with each "
	  "sample (default 4096 bytes)",
	  parse_aux_sample, .optional = true },

	FLAG(0, "namespaces", XP_SAMPLING_NAMESPACES, "record the namespaces of tasks"),
	FLAG(0, "all-cgroups", XP_SAMPLING_CGROUP,
	     "record cgroups: their names, and that of "
	     "each sample"),
	FLAG(0, "switch-events", XP_SAMPLING_SWITCHES, "record context switches"),
	{ 0, "latency", OPTION_CALL, 0,
	  .help = "record what a latency profile needs; same as "
		  "--switch-events",
	  .call = parse_latency },
	FLAG(0, "no-bpf-event", XP_SAMPLING_NO_BPF,
	     "do not record the loading and unloading of "
	     "BPF programs"),
	{ 0, "synth", OPTION_CALL, 0, "WHAT",
	  "describe what existed before: no tasks, all, or a list of task,mmap,cgroup",
	  parse_synth },
	{ 0, "tail-synthesize", OPTION_FLAG, AT(tail_synthesize),
	  .help = "describe it at the end, not at the start" },
	{ 0, "proc-map-timeout", OPTION_POSITIVE, AT(map_timeout_ms), "MS",
	  "spend at most this time on the maps of one process (default 500)" },
	{ 'B', "no-buildid", OPTION_CALL, AT(build_ids), .help = "do not record build ids of files",
	  .call = parse_refusal },
	{ 'N', "no-buildid-cache", OPTION_CALL, 0,
	  .help = "keep no copies of files in ~/.debug (default)", .call = parse_build_id_cache },
	{ 0, "buildid-all", OPTION_FLAG, AT(all_build_ids),
	  .help = "record the build ids of all files; always done" },
	FLAG(0, "no-buildid-mmap", XP_SAMPLING_NO_BUILD_IDS,
	     "read build ids from files, not from the kernel"),

	{ 'm', "mmap-pages", OPTION_CALL, 0, "PAGES[,PAGES]",
	  "size of each ring, in pages or as in 512K, and of its AUX area", parse_pages },
	{ 0, "mmap-flush", OPTION_CALL, AT(flush_bytes), "SIZE",
	  "read a ring only once it holds this much", parse_size },
	{ 'r', "realtime", OPTION_INT, AT(realtime), "PRIO",
	  "read the rings with this priority of SCHED_FIFO" },
	FLAG(0, "no-buffering", XP_SAMPLING_NO_BUFFERING,
	     "read each sample as soon as it is written"),
	FLAG(0, "overwrite", XP_SAMPLING_OVERWRITE,
	     "let the rings overwrite their oldest data; read them at the end and on SIGUSR2"),

	{ 'o', "output", OPTION_STRING, AT(output), "FILE",
	  "write to FILE instead of perf.data; '-' is a stream to standard output" },
	{ 'z', "compression-level", OPTION_CALL, 0, "LEVEL",
	  "compress with zstd, at a level from 1 (default) to 22", parse_compress,
	  .optional = true },
	{ 0, "max-size", OPTION_CALL, AT(max_bytes), "SIZE",
	  "end the recording when the files have reached this size", parse_size },
	{ 0, "switch-output", OPTION_CALL, 0, "WHEN",
	  "continue in a new file on signal (SIGUSR2), at a size (5M), after a time (30s), or several: 30s,signal",
	  parse_switch, .optional = true },
	{ 0, "switch-output-event", OPTION_CALL, AT(switch_events), "EVENT",
	  "continue in a new file when this event happens", events_parse },
	{ 0, "switch-max-files", OPTION_INT, AT(max_files), "N", "keep only the last N files" },
	{ 0, "timestamp-filename", OPTION_FLAG, AT(timestamp_filename),
	  .help = "append the time to the name of the file" },
	NO_EFFECT("timestamp-boundary", NULL,
		  "record the times of the first and the last "
		  "sample; always done"),
	{ 0, "kcore", OPTION_FLAG, AT(kcore),
	  .help = "write a directory, with a copy of the kernel's code" },

	{ 0, "flamegraph", OPTION_STRING, AT(flamegraph), "FILE",
	  "in the end, draw a flame graph of the recording; records call chains" },
	{ 0, "open", OPTION_FLAG, AT(open),
	  .help = "in the end, show the recording in a browser, as xperf view does; records call "
		  "chains" },

	{ 0, "dry-run", OPTION_FLAG, AT(dry_run),
	  .help = "check options and events, and record nothing" },
	{ 'v', "verbose", OPTION_COUNT, AT(verbose),
	  .help = "list options without effect; twice: print the attributes each event was "
		  "opened with" },
	{ 'q', "quiet", OPTION_FLAG, AT(quiet), .help = "print errors only" },

	{ 0, "aio", OPTION_CALL, 0, "N", "no effect: writing never delays reading",
	  accept_without_effect, .optional = true },
	{ 0, "threads", OPTION_CALL, 0, "SPEC", "no effect: one thread reads the rings, one writes",
	  accept_without_effect, .optional = true },
	NO_EFFECT("affinity", "MODE", "no effect: the kernel places the reader"),
	NO_EFFECT("num-thread-synthesize", "N", "no effect: one thread is fast enough"),
	{ 0, "debuginfod", OPTION_CALL, 0, "URLS", "no effect: xperf report fetches files",
	  accept_without_effect, .optional = true },
	NO_EFFECT("vmlinux", "FILE", "no effect: xperf report reads the kernel's symbols"),
	NO_EFFECT("clang-path", "PATH", "no effect: there are no BPF programs to compile"),
	NO_EFFECT("clang-opt", "OPTS", "no effect: there are no BPF programs to compile"),
	{ 0, "bpf", OPTION_CALL, 0, "SECONDS",
	  "sum samples by task and call chain in the kernel, and write the sums this often "
	  "(default 10)",
	  parse_bpf, .optional = true },
	{ 0, "off-cpu", OPTION_CALL, 0, "MIN",
	  "also sample where tasks wait, of at least this length: 1ms, 500us; event offcpu-time",
	  parse_off_cpu, .optional = true },
	{ 0, "off-cpu-thresh", OPTION_CALL, 0, "MS",
	  "with --off-cpu: leave out waits of less than this many milliseconds", parse_off_cpu },
	{ 0, "wakers", OPTION_FLAG, AT(wakers),
	  .help = "with --off-cpu: also record who ends each wait, for report -s waker" },
	/* For files of settings: what -g means. */
	{ 0, "default-call-graph", OPTION_CALL, AT(default_chain), "MODE",
	  "the default of --call-graph", parse_default_callgraph, .hidden = true },
	{ 0, "default-dump-size", OPTION_CALL, AT(default_dump), "BYTES",
	  "how much stack it copies, where that is dwarf", parse_default_callgraph,
	  .hidden = true },
	{ 0, "setup-filter", OPTION_CALL, 0, "ACTION",
	  "xperf pins no BPF programs; --filter loads what it needs", option_refuse,
	  .hidden = true },
	{ 0 },
};
/* clang-format on */
