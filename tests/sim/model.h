/* SPDX-License-Identifier: MIT */
/* The model from inside: the machine, its tasks, its events, and how its files work together. */
#ifndef SIM_MODEL_H
#define SIM_MODEL_H

#include <stdio.h>
#include <sys/resource.h>
#include <xperf/arch.h>
#include <xperf/sys.h>

#include "sim.h"
#include "uapi.h"

/*
 * Counts are kept in millionths of an event: events per millisecond times nanoseconds. Sums of
 * parts are therefore exact; only what a read returns is rounded down.
 */
#define MICRO        UINT64_C(1000000)
#define NEVER        UINT64_MAX
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

enum { MAX_KINDS = 128, MAX_FIXED = 12, MAX_CPUS = 256, NR_RECORD_TYPES = 64 };

/* An array of pointers that grows. */
struct vec {
	void **at;
	int nr;
	int cap;
};

void *xalloc(size_t size); /* zeroed; ends the process when there is no memory */
char *xstrdup(const char *s);
void vec_add(struct vec *vec, void *item);
void vec_remove(struct vec *vec, const void *item); /* keeps the order */
void vec_fini(struct vec *vec);

/* --- names.c: kinds of events, and words --- */

enum kind_trait {
	KIND_CLOCK = 1,     /* counts the time it runs, whatever the mode */
	KIND_USER = 2,      /* a rate without mode is a user rate */
	KIND_ABSENT = 4,    /* the processor lacks it unless "pmu has" says otherwise */
	KIND_UNSAMPLED = 8, /* may be counted only */
};

/* A PMU of another driver than the processor's (device.c). */
struct device {
	char *name;
	uint32_t type;
	bool has_cpus; /* it counts for parts of the machine, on these CPUs */
	bool cpus[MAX_CPUS];
	struct vec formats;
	struct vec events; /* names and configurations, in turns */
};

/* A kind of event that can be counted. */
struct kind {
	char name[48];
	uint32_t type;
	uint64_t config;
	unsigned int traits;
	unsigned int raw; /* the event code of hardware events, as sysfs shows it; 0: none */
};

/* Kinds the model itself makes happen, by index. */
enum {
	KIND_CYCLES = 0,
	KIND_CPU_CLOCK = 10,
	KIND_TASK_CLOCK,
	KIND_PAGE_FAULTS,
	KIND_CONTEXT_SWITCHES,
	KIND_MIGRATIONS,
	KIND_SCHED_SWITCH = 22,
	KIND_SCHED_FORK,
	KIND_SCHED_EXEC,
	KIND_SCHED_EXIT,
};

int builtin_kinds(struct kind *kinds); /* fills the first rows; returns how many */
int signal_by_name(const char *name);  /* "INT"; -1 */
int errno_by_name(const char *name);   /* "EMFILE" or a number; -1 */

/* --- scenario.c: what the text says --- */

struct rate {
	uint64_t user; /* events per millisecond */
	uint64_t kernel;
};

enum step_op {
	STEP_RUN,
	STEP_SLEEP,
	STEP_FORK,
	STEP_THREAD,
	STEP_HIT,
	STEP_WAIT,
	STEP_REPEAT,
	STEP_EXIT,
	STEP_RAISE,
	STEP_NAME,
	STEP_MAP,
};

struct program;
struct xp_attr;
struct xp_record;

struct step {
	enum step_op op;
	uint64_t ns;    /* run, sleep; NEVER: for ever */
	uint64_t count; /* fork, thread, hit, repeat: how many; exit: status; raise: signal */
	int cpu;        /* -1: any */
	int kind;       /* hit */
	int sys_pct;    /* run: share of kernel time */
	char *program_name;
	char *name; /* name, map */
	const struct program *program;
	struct rate *rates; /* by kind */
};

struct program {
	char *name;
	int nr;                   /* its place in the text all programs are in */
	int exec_errno;           /* 0: it can be executed */
	bool is_32;               /* its tasks have registers of 32 bits */
	uint64_t ignored_signals; /* bit by number */
	int nr_steps;
	struct step *steps;
};

enum action_op { ACTION_SIGNAL, ACTION_SIGNAL_ALL, ACTION_KILL, ACTION_UNPLUG, ACTION_PLUG };

/* Something that happens to the program under test, or to a task. */
struct action {
	bool after_exec; /* @at counts from the first exec */
	bool done;
	uint64_t at;
	enum action_op op;
	int signal;
	pid_t pid;
	int cpu;
};

/* A call that fails. */
struct fault {
	char *name; /* NULL: any call */
	uint64_t nr;
	int err;
	uint64_t seen;
};

/* A process that runs already. */
struct background {
	pid_t pid;
	char *program_name;
	int nr_threads;
	uid_t uid;
	int cpu;
	char *cgroup; /* "" is the root */
};

struct scenario {
	int nr_cpus;
	int sockets;
	int dies; /* per socket */
	int smt;  /* hardware threads per core */
	int nodes;
	bool offline[MAX_CPUS];

	uid_t uid;
	bool perfmon;
	bool seccomp; /* a filter refuses perf_event_open() */
	int paranoid;
	uint64_t nofile_soft, nofile_hard;
	uint64_t memlock_kb; /* RLIMIT_MEMLOCK */

	bool has_pmu;
	bool pmu_is_partial; /* on the CPUs of pmu_cpus only */
	bool pmu_cpus[MAX_CPUS];
	bool pmu_is_uncore; /* these stand for parts of the machine */
	int nr_general;
	int nr_fixed;
	int fixed[MAX_FIXED]; /* kinds */
	bool watchdog;
	bool has_kind[MAX_KINDS];
	int precise_max;
	bool has_tracefs;
	bool has_cgroups;
	struct vec cgroups; /* names */
	struct vec devices;
	struct vec sysfs; /* paths and contents, in turns */
	char hypervisor[32];

	uint32_t attr_size;
	uint64_t max_sample_rate;
	uint64_t mlock_kb;   /* perf_event_mlock_kb */
	uint64_t lacks_bits; /* attribute flags an older kernel does not know */
	bool lacks_lost, lacks_inherited_reads, lacks_pidfd, lacks_pidfd_thread;

	uint64_t call_ns, exec_ns, mux_ns, slice_ns, limit_ns;

	int nr_kinds;
	struct kind kinds[MAX_KINDS];
	struct vec programs, actions, faults, backgrounds;
};

/* Returns 0, or -1 after printing "origin:line: what" to stderr. */
int scenario_parse(struct scenario *sc, const char *text, const char *origin);
void scenario_fini(struct scenario *sc);
const struct program *scenario_program(const struct scenario *sc, const char *name);
int scenario_kind(const struct scenario *sc, const char *name);

/* --- the machine --- */

enum task_state {
	TASK_HELD,   /* forked, waiting for the byte that lets it exec */
	TASK_QUEUED, /* on a CPU's run queue, the one that runs included */
	TASK_SLEEPING,
	TASK_WAITING, /* for its children */
	TASK_ZOMBIE,
	TASK_GONE,
};

struct tally {
	uint64_t user;
	uint64_t kernel;
};

/* Events of one task, or of one CPU, in the order they are scheduled in. */
struct context {
	struct task *task; /* NULL: of a CPU */
	int cpu;           /* -1: of a task */
	struct vec leaders;
	bool rotate; /* a flexible group did not fit */
};

struct task {
	pid_t tid, tgid;
	uid_t uid;
	char comm[16];
	const char *cgroup;  /* the scenario's, or "" */
	char exe[64];        /* the file it runs; "": none */
	struct task *parent; /* NULL: not in the model */
	bool is_child_of_self;
	enum task_state state;
	const struct program *program;
	const struct step *step; /* being run */
	int pc;
	uint64_t repeats_left;
	bool repeating;
	uint64_t left_ns; /* of the step being run */
	uint64_t wake_at;
	int cpu;
	bool migrated;
	int nr_maps;  /* libraries */
	bool execing; /* from the fork to the exec; what it does then is no truth of the program */
	int exec_errno; /* why the exec failed, positive */
	char *exec_name;
	int status;                                    /* as wait(2) gives it */
	uint64_t user_pct_ns, kernel_pct_ns;           /* hundredths of nanoseconds on a CPU */
	uint64_t dead_user_pct_ns, dead_kernel_pct_ns; /* of children that were waited for */
	struct tally *truth;                           /* [kind * nr_cpus + cpu] */
	struct context ctx;
};

struct cpu {
	int nr;
	bool online;
	struct task *idle;
	struct vec queue; /* [0] runs */
	uint64_t slice_end;
	uint64_t rotate_at; /* NEVER: the timer is off */
	struct context ctx;
};

/* Who does something, and where. */
struct scene {
	struct task *task;
	int cpu;
};

/* When an event is sampled. */
struct sampler {
	bool on;
	bool adapts; /* to a frequency */
	bool can_throttle;
	bool throttled;
	uint64_t period;
	int64_t left;          /* until the next sample, in millionths */
	uint64_t sampled_at;   /* time of the last one */
	uint64_t tick;         /* the last one with a sample, */
	uint64_t in_tick;      /* and how many it had */
	uint64_t kernel_share; /* hundredths of samples due to kernel mode */
	uint64_t nr;
};

enum event_state { EVENT_EXIT = -3, EVENT_ERROR, EVENT_OFF, EVENT_INACTIVE, EVENT_ACTIVE };

struct event {
	uint64_t id;
	uint64_t stream_id; /* inherited ones have their own */
	struct xp_attr attr;
	int kind; /* -1: nothing ever happens to it */
	bool is_hw;
	pid_t pid; /* as asked for */
	int cpu;   /* as asked for */
	struct context *ctx;
	struct event *leader;
	struct vec siblings;
	struct event *torn_from; /* the leader it had when its CPU went offline */
	struct vec torn;         /* members that are torn from it */
	struct event *parent;    /* inherited from */
	struct vec children;     /* inherited by */
	enum event_state state;
	bool has_filter;
	int nr_files;   /* descriptors */
	bool is_closed; /* and kept by its mappings */
	int nr_maps;
	struct ring *ring; /* inherited ones use their parent's */
	uint64_t lost;     /* records that found no room */
	struct sampler sampler;
	const char *cgroup; /* whose tasks it counts; NULL: whatever runs */
	uint64_t acc;       /* counted, in millionths */
	uint64_t truth;     /* would have been counted with a counter all the time */
	uint64_t enabled_ns, running_ns;
	struct { /* of children that have ended */
		uint64_t acc, truth, enabled_ns, running_ns;
	} dead;
	struct reading {
		uint64_t value, truth, enabled_ns, running_ns;
	} last; /* what the last read gave */
};

/* A record being put together; the largest there is fits. */
struct record {
	size_t len;
	_Alignas(8) unsigned char bytes[UINT16_MAX + 1];
};

enum file_kind {
	FILE_FREE,
	FILE_REAL,
	FILE_EVENT,
	FILE_PIDFD,
	FILE_SIGNALS,
	FILE_GO,
	FILE_EXEC,
	FILE_COUNTER,
	FILE_MAP
};

enum { FIRST_FD = 1000000, STANDARD_FILES = 3 };

struct file {
	enum file_kind kind;
	int fd;
	int real_fd;
	char what[64];
	struct event *event;
	const char *cgroup; /* whose directory it is; NULL: of none */
	char *written;      /* the file of the machine that is written; NULL: none is */
	struct task *task;  /* pidfd, go, exec */
	bool thread;        /* pidfd of one thread */
	uint64_t signals;   /* bits */
	uint64_t counter;   /* of an eventfd */
	struct map *map;
};

struct sim {
	struct xp_sys sys; /* first: the table's callers hand it back */
	struct xp_arch arch;
	struct scenario sc;
	char *root;
	uint64_t now;
	uint64_t exec_at; /* NEVER: nothing has exec'd */

	struct cpu *cpus;
	struct vec tasks; /* all there ever were */
	struct task *self;
	int self_cpu;
	pid_t next_pid;

	struct vec files; /* by descriptor - FIRST_FD; real ones at the end of the table too */
	int nr_open;
	uint64_t next_id;
	uint32_t last_map;         /* the number that a map got last */
	uint64_t pending, blocked; /* signals of the program under test */
	int signal_code[64];       /* who sent them: si_code, sigaction(2) */
	int killed_by;
	struct rlimit nofile, memlock;

	struct vec mappings;
	int nr_sampling; /* events that are sampled */
	struct record scratch, lost;
	struct sim_output output[NR_RECORD_TYPES];
	struct sim_output samples[MAX_KINDS];

	struct sim_stats stats;
	FILE *log;
	bool exit_when_stuck;
	bool stuck;
	struct vec complaints;  /* text: descriptors closed twice and the like */
	struct vec past_events; /* text: truth lines of closed events */
};

static inline struct sim *sim_of(const struct xp_sys *sys)
{
	return (struct sim *)sys;
}

/* run.c: time */
void run_charge(struct sim *sim, uint64_t ns);
uint64_t run_clock(const struct sim *sim, int clockid);
/* Lets time pass until ready() or @deadline. Returns true if ready. */
bool run_until(struct sim *sim, bool (*ready)(struct sim *sim, void *arg), void *arg,
	       uint64_t deadline);
void run_stuck(struct sim *sim, const char *why);

/* sched.c: CPUs */
void sched_init(struct sim *sim);
void sched_fini(struct sim *sim);
struct task *sched_current(const struct cpu *cpu); /* the idle task if nothing runs */
void sched_enqueue(struct sim *sim, struct task *task, int cpu);
void sched_dequeue(struct sim *sim, struct task *task);
int sched_least_loaded(const struct sim *sim);
void sched_slice_over(struct sim *sim, struct cpu *cpu);
/* Something happens @n times to what runs on @cpu. */
void sched_hit(struct sim *sim, struct cpu *cpu, struct task *task, int kind, uint64_t n,
	       enum sim_mode mode);
/* Everything that accrues while what runs stays the same. */
void sched_accrue(struct sim *sim, uint64_t ns);

/* task.c: tasks */
struct task *task_new(struct sim *sim, pid_t tgid, const char *comm, struct task *parent);
struct task *task_find(const struct sim *sim, pid_t tid); /* living or zombie; NULL */
void task_go_on(struct sim *sim, struct task *task);      /* its step is over and it runs */
void task_release(struct sim *sim, struct task *task);    /* the byte came */
void task_exit_process(struct sim *sim, struct task *task, int status);
int task_signal(struct sim *sim, struct task *task, int sig);
void task_reap(struct sim *sim, struct task *task);
void task_background(struct sim *sim, const struct background *background);
bool task_alive(const struct task *task);
bool task_process_alive(const struct sim *sim, pid_t tgid);
void task_usage(const struct sim *sim, const struct task *task, struct rusage *ret_usage);
void task_free(struct task *task);

/* pmu.c: counters */
/* True if @leader with @more (may be NULL) would fit on an otherwise empty PMU. */
bool pmu_group_fits(const struct sim *sim, const struct event *leader, const struct event *more);
void pmu_reschedule(struct sim *sim, struct cpu *cpu);
void pmu_rotate(struct sim *sim, struct cpu *cpu);

/* open.c: perf_event_open(2) */
int event_open(struct sim *sim, const struct xp_attr *attr, pid_t pid, int cpu, int group_fd,
	       unsigned long flags);

/* event.c: one event's life */
enum event_state event_effective_state(const struct event *event);
/* It counts what @task does, as far as cgroups go. */
bool event_sees(const struct event *event, const struct task *task);
bool event_counts_mode(const struct event *event, enum sim_mode mode);
void event_accrue(const struct sim *sim, struct event *event, int on_cpu, const struct rate *rates,
		  uint64_t ns);
void event_attach(struct sim *sim, struct event *event);
void event_free(struct sim *sim, struct event *event);
int event_ioctl(struct sim *sim, struct event *event, unsigned long request, unsigned long arg);
bool event_is_hup(const struct event *event);
/* Calls @fn for every event of a context, members of groups included. */
void context_each(struct context *ctx, void (*fn)(struct event *event, void *arg), void *arg);
void context_exec(struct sim *sim, struct task *task);
void context_fork(struct sim *sim, struct task *parent, struct task *child, bool is_thread);
void context_exit(struct sim *sim, struct task *task);
/* A CPU goes offline: its events stop, each for itself. */
void context_unplug(struct sim *sim, struct cpu *cpu);
void context_touch(struct sim *sim, struct context *ctx); /* what is scheduled may change */

/* What happens to an event in a stretch of time if it counts, in millionths. */
uint64_t event_rate(const struct sim *sim, const struct event *event, const struct rate *rates,
		    uint64_t ns);

/* read.c */
ssize_t event_read(struct sim *sim, struct event *event, void *buf, size_t len);
/* The reading that is part of a sample. */
void record_reading(struct record *r, const struct event *event);

/* ring.c: where records go */
int ring_map(struct sim *sim, struct event *event, size_t len, int prot, uint64_t offset,
	     void **ret_addr);
int ring_unmap(struct sim *sim, const void *addr, size_t len);
void ring_unmap_all(struct sim *sim);
int ring_set_output(struct event *event, struct event *to);
int ring_pause(const struct event *event, bool pause);
void ring_detach(struct event *event);
short ring_consume_wakeup(const struct event *event); /* poll(2) bits; a wake-up is reported once */
/* Returns false if the record went nowhere: no ring, or no room in it. */
bool ring_write(struct sim *sim, struct event *from, const struct scene *scene,
		const struct xp_record *record);

/* records.c: records, field by field */
uint64_t record_time(const struct sim *sim, const struct event *event);
void record_start(struct record *r, uint32_t type, uint16_t misc);
void record_bytes(struct record *r, const void *bytes, size_t len); /* NULL: zeros */
void record_u32(struct record *r, uint32_t value);
void record_u64(struct record *r, uint64_t value);
void record_text(struct record *r, const char *text); /* padded */
/* The fields that samples and trailers have in common, those of @bits the event asks for. */
void record_identity(const struct sim *sim, struct record *r, const struct event *event,
		     const struct scene *scene, uint64_t bits);
/* Adds the trailer and writes. Returns as ring_write(). */
bool record_write(struct sim *sim, struct record *r, struct event *event,
		  const struct scene *scene);
const struct record *record_lost(struct sim *sim, const struct event *event,
				 const struct scene *scene, uint64_t nr);
void record_throttle(struct sim *sim, struct event *event, const struct scene *scene, bool on);

/* sample.c: when an event is sampled */
void sample_init(const struct sim *sim, struct event *event);
uint64_t sample_next(struct sim *sim); /* time of the next one, if nothing changes; NEVER */
void sample_due(struct sim *sim);      /* time has passed */
/* Something has happened, and was counted. */
void sample_hit(struct sim *sim, struct event *event, const struct scene *scene,
		enum sim_mode mode);

/* sideband.c: what tasks do, as records */
enum switch_kind { SWITCH_IN, SWITCH_OUT, SWITCH_PREEMPTED };
void sideband_fork(struct sim *sim, struct task *parent, const struct task *child);
void sideband_exit(struct sim *sim, struct task *task);
/* What an inherited event has counted when its task ends, inherit_stat. */
void sideband_counts(struct sim *sim, struct event *event);
void sideband_comm(struct sim *sim, struct task *task, bool exec);
void sideband_map(struct sim *sim, struct task *task, uint64_t address, uint64_t len,
		  const char *path);
void sideband_switch(struct sim *sim, int cpu, struct task *task, const struct task *other,
		     enum switch_kind kind);

/* Where things are in the address spaces of tasks, and what file the programs are in. */
#define SIM_TEXT_BASE     UINT64_C(0x400000)
#define SIM_PROGRAM_BYTES UINT64_C(0x10000)
#define SIM_LIBRARY_BASE  UINT64_C(0x7f0000000000)
#define SIM_DATA_BASE     UINT64_C(0x7e0000000000)
enum { SIM_FILE_MAJOR = 8, SIM_FILE_MINOR = 1, SIM_FILE_INODE = 4711 };

/* files.c: descriptors */
int file_room(const struct sim *sim); /* 0 or -EMFILE */
struct file *file_new(struct sim *sim, enum file_kind kind, int real_fd, const char *what,
		      int *ret_err);
struct file *file_find(const struct sim *sim, int fd); /* NULL: not open */
int file_close(struct sim *sim, int fd);
/* poll(2) bits; what is reported once is consumed */
short file_ready(const struct sim *sim, const struct file *file);
ssize_t file_read(struct sim *sim, struct file *file, void *buf, size_t len);
ssize_t file_pread(const struct file *file, void *buf, size_t len, uint64_t offset);
ssize_t file_write(struct sim *sim, struct file *file, const void *buf, size_t len);

/* signals of the program under test, files.c */
void self_signal(struct sim *sim, int sig, int code);
void self_unblock(struct sim *sim); /* what is pending arrives */

/* process.c */
int process_spawn(struct sim *sim, char *const argv[], struct xp_child *ret_child);
int process_wait(struct sim *sim, pid_t pid, int options, int *ret_status,
		 struct rusage *ret_usage);
int process_pidfd(struct sim *sim, pid_t pid, unsigned int flags);
/* Processes have the descriptors of the program under test: a second one of @fd. */
int process_getfd(struct sim *sim, int pidfd, int fd);

/* maps.c: bpf(2), and the end of a descriptor */
union bpf_attr;
int maps_call(struct sim *sim, int command, union bpf_attr *attr);
void map_close(struct map *map);

/* syscalls.c */
extern const struct xp_sys sim_table;

/* roots.c: the files */
int roots_make(struct sim *sim);
void roots_remove(struct sim *sim);
void roots_add_task(struct sim *sim, const struct task *task);
void roots_set_online(struct sim *sim, int cpu, bool online);
void roots_look(struct sim *sim, const char *path); /* before @path is opened */
void roots_remove_task(struct sim *sim, const struct task *task);
/* The cgroup whose directory a complete path is; NULL: none's. */
const char *roots_cgroup(const struct sim *sim, const char *path);
void roots_set_comm(struct sim *sim, const struct task *task);

/* Writes a file with one line, below the root. */
void roots_put(const struct sim *sim, const char *line, const char *fmt, ...) XP_PRINTF(3, 4);
/* It is a file of the machine, not of the user. */
bool roots_has(const struct sim *sim, const char *path);

/* device.c: PMUs of other drivers, files of sysfs */
void devices_fini(struct scenario *sc);
void devices_put(const struct sim *sim);
const struct device *device_of_type(const struct sim *sim, uint32_t type); /* NULL */
/* What its driver refuses; @of_cpu: it is for no task. Returns 0 or -EINVAL. */
int device_check(const struct device *device, const struct xp_attr *attr, bool of_cpu, int cpu,
		 bool of_cgroup);

/* truth.c */
/* A file of the machine was written. */
void truth_note_write(struct sim *sim, const char *path, const char *text, size_t len);
void truth_note_event(struct sim *sim, const struct event *event);

#endif
