/* SPDX-License-Identifier: MIT */
/*
 * Records branch stacks without a PMU: `step-branches FILE PROGRAM [ARGUMENT...]` runs the program
 * step by step, and each instruction that the next one does not follow is a branch. What a
 * processor would say of predictions and cycles is made up, so that each kind of it occurs.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xperf/xperf.h>

enum {
	NR_BRANCHES = 16,        /* of a sample */
	PERIOD = 41,             /* branches from one sample to the next */
	LONGEST = 16,            /* bytes of an instruction */
	MACHINE = 62,            /* elf.h, EM_X86_64 */
	BRANCH_INSTRUCTIONS = 4, /* linux/perf_event.h */
	BEFORE = 1               /* the time of what was there before the samples */
};

static const uint64_t id = 10;

struct stepper {
	struct xp_ctx *ctx;
	struct xp_data_writer *writer;
	struct xp_data_event event;
	pid_t pid;
	struct xp_branch branches[NR_BRANCHES]; /* the last is the first */
	size_t nr_branches, nr_all;
	uint64_t nr_steps, nr_since; /* instructions; since the last branch */
	uint64_t sample_at;          /* after that many steps; 0: not yet known */
};

static void fail(const char *what, int err)
{
	fprintf(stderr, "step-branches: %s: %s\n", what, strerror(err < 0 ? -err : err));
	exit(1);
}

static void check(const char *what, int err)
{
	if (err < 0)
		fail(what, err);
}

/* --- records --- */

static void put_record(struct stepper *s, uint32_t type, const void *body, size_t len)
{
	struct {
		struct xp_record header;
		uint8_t bytes[1024];
	} record = { .header = { type, XP_MISC_USER, 0 } };
	const struct xp_sample_id at = { s->pid, s->pid, BEFORE, id, 0, 0 };

	memcpy(record.bytes, body, len);
	xp_sample_id_encode(&at, &s->event.attr, record.bytes + len);
	record.header.size =
		(uint16_t)(sizeof(record.header) + len + xp_sample_id_bytes(&s->event.attr));
	check("record", xp_data_writer_write(s->writer, &record, record.header.size, true));
}

/* All maps with code that there are. */
static void put_maps(struct stepper *s)
{
	struct {
		uint32_t pid, tid;
		uint64_t start, len, offset;
		uint32_t major, minor;
		uint64_t inode, generation;
		uint32_t prot, flags;
		char name[512];
	} map = { .pid = (uint32_t)s->pid, .tid = (uint32_t)s->pid, .prot = 5, .flags = 2 };
	char path[64], line[1024], prot[8];
	uint64_t end;

	snprintf(path, sizeof(path), "/proc/%d/maps", s->pid);
	FILE *file = fopen(path, "re");
	if (!file)
		fail(path, errno);
	while (fgets(line, sizeof(line), file)) {
		memset(map.name, 0, sizeof(map.name));
		int got = sscanf(line,
				 "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %" SCNx32 ":%" SCNx32
				 " %" SCNu64 " %503s",
				 &map.start, &end, prot, &map.offset, &map.major, &map.minor,
				 &map.inode, map.name);

		map.len = end - map.start;
		if (got == 8 && prot[2] == 'x')
			put_record(s, XP_RECORD_MMAP2, &map,
				   sizeof(map) - sizeof(map.name) +
					   ((strlen(map.name) + 8) & ~(size_t)7));
	}
	fclose(file);
}

static void put_sample(struct stepper *s, uint64_t ip)
{
	const struct xp_record user = { XP_RECORD_SAMPLE, XP_MISC_USER, 0 };
	struct xp_sample sample = { .size = sizeof(sample),
				    .record = &user,
				    .id = { s->pid, s->pid, s->nr_steps + 1, id, 0, 0 },
				    .ip = ip,
				    .branches = s->branches,
				    .nr_branches = s->nr_branches };
	uint64_t record[512];
	int len = xp_sample_encode(&sample, &s->event.attr, record, sizeof(record));

	check("sample", len);
	check("sample", xp_data_writer_write(s->writer, record, (size_t)len, true));
}

static void open_writer(struct stepper *s, const char *path)
{
	struct xp_data_writer_opts opts = { .size = sizeof(opts), .path = path };
	struct xp_diag diag = { 0 };

	s->event = (struct xp_data_event){
		.size = sizeof(s->event),
		.name = "branches",
		.scale = 1.0,
		.ids = &id,
		.nr_ids = 1,
		.attr = { .size = 128,
			  .type = XP_TYPE_HARDWARE,
			  .config = BRANCH_INSTRUCTIONS,
			  .sample_period = PERIOD,
			  .sample_type = XP_SAMPLE_IP | XP_SAMPLE_TID | XP_SAMPLE_TIME |
					 XP_SAMPLE_BRANCH_STACK,
			  .branch_sample_type = XP_BRANCH_ANY | XP_BRANCH_USER,
			  .sample_id_all = 1 },
	};
	check("context", xp_ctx_new(NULL, &s->ctx));
	check(path, xp_data_writer_open(s->ctx, &opts, &s->writer, &diag));
	check(path, xp_data_writer_add_event(s->writer, &s->event));
	check(path, xp_data_writer_start(s->writer, &diag));
}

/* --- steps --- */

/* Bits as in struct perf_branch_entry: all kinds that a reader shows, in turn. */
static uint64_t made_up_flags(const struct stepper *s)
{
	static const uint64_t kinds[] = { 2, 1, 2, 2 | 4, 2, 0, 2, 2, 1 | 4 | 8, 2, 2 };
	uint64_t cycles = s->nr_all % 5 ? s->nr_since * 2 / 3 : 0;

	return kinds[s->nr_all % (sizeof(kinds) / sizeof(kinds[0]))] | (cycles & 0xffff) << 4;
}

static void add_branch(struct stepper *s, uint64_t from, uint64_t to)
{
	if (s->nr_branches < NR_BRANCHES)
		s->nr_branches++;
	memmove(&s->branches[1], &s->branches[0], (s->nr_branches - 1) * sizeof(s->branches[0]));
	s->branches[0] = (struct xp_branch){ from, to, made_up_flags(s) };
	s->nr_since = 0;
	if (++s->nr_all % PERIOD == 0)
		s->sample_at = s->nr_steps + s->nr_all / PERIOD % 7;
}

static uint64_t ip_of(const struct stepper *s)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, s->pid, NULL, &regs))
		fail("PTRACE_GETREGS", errno);
	return regs.rip;
}

static int len_at(const struct stepper *s, uint64_t ip)
{
	long words[LONGEST / sizeof(long)];

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		words[i] = ptrace(PTRACE_PEEKTEXT, s->pid, ip + i * sizeof(long), NULL);
	return xp_instruction_len(MACHINE, words, sizeof(words));
}

/* Returns false when the program has ended. */
static bool step(const struct stepper *s)
{
	int status;

	if (ptrace(PTRACE_SINGLESTEP, s->pid, NULL, NULL))
		fail("PTRACE_SINGLESTEP", errno);
	if (waitpid(s->pid, &status, 0) != s->pid)
		fail("waitpid", errno);
	return WIFSTOPPED(status) && status >> 8 != (SIGTRAP | PTRACE_EVENT_EXIT << 8);
}

static void run(struct stepper *s)
{
	uint64_t ip = ip_of(s);

	while (step(s)) {
		uint64_t next = ip_of(s);

		s->nr_steps++;
		s->nr_since++;
		/* a repeated one stays where it is until it is done */
		if (next != ip && next != ip + (uint64_t)len_at(s, ip))
			add_branch(s, ip, next);
		if (s->sample_at && s->nr_steps >= s->sample_at) {
			put_sample(s, next);
			s->sample_at = 0;
		}
		ip = next;
	}
}

static void start_program(struct stepper *s, char **argv)
{
	int status;

	s->pid = fork();
	if (s->pid < 0)
		fail("fork", errno);
	if (!s->pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execvp(*argv, argv);
		_exit(127);
	}
	if (waitpid(s->pid, &status, 0) != s->pid || !WIFSTOPPED(status))
		fail(*argv, ECHILD);
	ptrace(PTRACE_SETOPTIONS, s->pid, NULL, PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL);
}

int main(int argc, char **argv)
{
	struct stepper s = { .nr_all = 0 };

	if (argc < 3)
		return 2;
	start_program(&s, argv + 2);
	open_writer(&s, argv[1]);
	run(&s);
	put_maps(&s);
	ptrace(PTRACE_CONT, s.pid, NULL, NULL);
	check(argv[1], xp_data_writer_finish(s.writer, NULL));
	xp_data_writer_free(s.writer);
	xp_ctx_free(s.ctx);
	return 0;
}
