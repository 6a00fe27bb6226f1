/* SPDX-License-Identifier: MIT */
/* The part of a scenario that describes programs, running tasks, and what happens when. */
#include "scenario.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The event of a name; raw codes ("r1a8") become known when they are first named. */
static int intern_kind(struct parser *p, const char *name)
{
	struct scenario *sc = p->sc;
	int kind = scenario_kind(sc, name);
	char *end;

	if (kind >= 0)
		return kind;
	unsigned long long config = name[0] == 'r' && isxdigit((unsigned char)name[1])
					    ? strtoull(name + 1, &end, 16)
					    : (end = NULL, 0);
	if (!end || *end || strlen(name) >= sizeof(sc->kinds[0].name))
		return parse_error(p, "'%s' is no event", name);
	if (sc->nr_kinds == MAX_KINDS)
		return parse_error(p, "too many events");
	kind = sc->nr_kinds++;
	sc->kinds[kind] =
		(struct kind){ .type = PERF_TYPE_RAW, .config = config, .traits = KIND_USER };
	strcpy(sc->kinds[kind].name, name);
	sc->has_kind[kind] = true;
	return kind;
}

/* "EVENT=N", "EVENT:k=N", "EVENT:u=N" */
static int parse_rate(struct parser *p, struct step *step, char *word)
{
	char *equals = strchr(word, '=');
	uint64_t value;

	if (!equals)
		return parse_error(p, "'%s' does not belong here", word);
	*equals = '\0';
	char *mode = strrchr(word, ':');
	char letter = mode && strlen(mode) == 2 && strchr("uk", mode[1]) ? mode[1] : '\0';

	if (letter)
		*mode = '\0';
	int kind = intern_kind(p, word);
	if (kind < 0 || parse_number(p, equals + 1, &value))
		return -1;
	if (!letter)
		letter = p->sc->kinds[kind].traits & KIND_USER ? 'u' : 'k';
	if (letter == 'u')
		step->rates[kind].user = value;
	else
		step->rates[kind].kernel = value;
	return 0;
}

static int parse_run_word(struct parser *p, struct step *step, char *word)
{
	const char *cpu = value_of_key(word, "cpu"), *sys = value_of_key(word, "sys");
	uint64_t value = 0;

	if (!cpu && !sys)
		return parse_rate(p, step, word);
	if (cpu && !strcmp(cpu, "any")) {
		step->cpu = -2;
		return 0;
	}
	if (parse_number(p, cpu ? cpu : sys, &value))
		return -1;
	if (cpu)
		step->cpu = (int)value;
	else
		step->sys_pct = (int)value;
	if (sys ? value > 100 : value >= (uint64_t)p->sc->nr_cpus || p->sc->offline[value])
		return parse_error(p, "'%s' is out of range", word);
	return 0;
}

static int step_run(struct parser *p, struct step *step)
{
	int err = 0;

	step->rates = xalloc(MAX_KINDS * sizeof(*step->rates));
	step->ns = NEVER;
	if (strcmp(p->words[1], "forever"))
		err = parse_duration(p, p->words[1], &step->ns);
	for (int i = 2; i < p->nr && !err; i++)
		err = parse_run_word(p, step, p->words[i]);
	return err;
}

static int step_sleep(struct parser *p, struct step *step)
{
	return parse_duration(p, p->words[1], &step->ns);
}

static int step_hit(struct parser *p, struct step *step)
{
	step->kind = intern_kind(p, p->words[1]);
	step->count = 1;
	if (step->kind < 0)
		return -1;
	return p->nr > 2 ? parse_number(p, p->words[2], &step->count) : 0;
}

static int step_fork(struct parser *p, struct step *step)
{
	step->program_name = xstrdup(p->words[1]);
	step->count = 1;
	return p->nr > 2 ? parse_number(p, p->words[2], &step->count) : 0;
}

static int step_number(struct parser *p, struct step *step)
{
	return parse_number(p, p->words[1], &step->count);
}

static int step_raise(struct parser *p, struct step *step)
{
	int sig = signal_by_name(p->words[1]);

	step->count = (uint64_t)sig;
	return sig < 0 ? parse_error(p, "'%s' is no signal", p->words[1]) : 0;
}

static int step_name(struct parser *p, struct step *step)
{
	step->name = xstrdup(p->words[1]);
	return 0;
}

static int step_wait(struct parser *p, struct step *step)
{
	(void)p;
	(void)step;
	return 0;
}

static const struct {
	const char *word;
	enum step_op op;
	int min_words;
	int (*parse)(struct parser *p, struct step *step);
} steps[] = {
	{ "run", STEP_RUN, 2, step_run },          { "sleep", STEP_SLEEP, 2, step_sleep },
	{ "hit", STEP_HIT, 2, step_hit },          { "fork", STEP_FORK, 2, step_fork },
	{ "thread", STEP_THREAD, 2, step_fork },   { "wait", STEP_WAIT, 1, step_wait },
	{ "repeat", STEP_REPEAT, 2, step_number }, { "exit", STEP_EXIT, 2, step_number },
	{ "raise", STEP_RAISE, 2, step_raise },    { "name", STEP_NAME, 2, step_name },
	{ "map", STEP_MAP, 2, step_name },
};

int parse_step(struct parser *p)
{
	struct program *program = p->program;

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		if (strcmp(p->words[0], steps[i].word))
			continue;
		if (p->nr < steps[i].min_words)
			return parse_error(p, "'%s' needs more", p->words[0]);
		program->steps = realloc(program->steps, (size_t)(program->nr_steps + 1) *
								 sizeof(program->steps[0]));
		if (!program->steps)
			abort();
		struct step *step = &program->steps[program->nr_steps++];
		*step = (struct step){ .op = steps[i].op, .cpu = -1 };
		return steps[i].parse(p, step);
	}
	return parse_error(p, "'%s' is no statement and no step", p->words[0]);
}

static int parse_ignored(struct parser *p, const char *word)
{
	int sig = signal_by_name(word);

	if (sig < 0)
		return parse_error(p, "'%s' is no signal", word);
	p->program->ignored_signals |= UINT64_C(1) << sig;
	return 0;
}

int parse_program(struct parser *p)
{
	int err = 0;

	if (p->nr < 2)
		return parse_error(p, "a program has a name");
	p->program = xalloc(sizeof(*p->program));
	p->program->name = xstrdup(p->words[1]);
	p->program->nr = p->sc->programs.nr;
	vec_add(&p->sc->programs, p->program);
	for (int i = 2; i < p->nr && !err; i++) {
		char *ignores = value_of_key(p->words[i], "ignores");
		const char *exec_error = value_of_key(p->words[i], "exec_error");

		if (ignores)
			err = parse_list(p, ignores, parse_ignored);
		else if (exec_error && errno_by_name(exec_error) > 0)
			p->program->exec_errno = errno_by_name(exec_error);
		else if (!strcmp(p->words[i], "bits=32"))
			p->program->is_32 = true;
		else
			err = parse_error(p, "'%s' does not belong here", p->words[i]);
	}
	return err;
}

int parse_task(struct parser *p)
{
	uint64_t pid, value = 0;

	p->program = NULL;
	if (p->nr < 3 || parse_number(p, p->words[1], &pid))
		return parse_error(p, "task PID PROGRAM");
	struct background *background = xalloc(sizeof(*background));
	*background = (struct background){ .pid = (pid_t)pid,
					   .nr_threads = 1,
					   .cpu = -1,
					   .program_name = xstrdup(p->words[2]),
					   .cgroup = xstrdup("") };
	vec_add(&p->sc->backgrounds, background);
	for (int i = 3; i < p->nr; i++) {
		const char *threads = value_of_key(p->words[i], "threads");
		const char *uid = value_of_key(p->words[i], "uid");
		const char *cpu = value_of_key(p->words[i], "cpu");
		const char *cgroup = value_of_key(p->words[i], "cgroup");

		if (cgroup) {
			free(background->cgroup);
			background->cgroup = xstrdup(cgroup);
			scenario_add_cgroup(p->sc, cgroup);
			continue;
		}
		if (!threads && !uid && !cpu)
			return parse_error(p, "'%s' does not belong here", p->words[i]);
		if (parse_number(p, threads ? threads : uid ? uid : cpu, &value))
			return -1;
		if (threads)
			background->nr_threads = (int)value;
		else if (uid)
			background->uid = (uid_t)value;
		else
			background->cpu = (int)value;
	}
	return 0;
}

static int parse_plug(struct parser *p, enum action_op op, struct action *action)
{
	uint64_t cpu;

	if (parse_number(p, p->words[3], &cpu))
		return -1;
	if (cpu >= (uint64_t)p->sc->nr_cpus)
		return parse_error(p, "no such CPU");
	action->op = op;
	action->cpu = (int)cpu;
	return 0;
}

int parse_at(struct parser *p)
{
	const char *when = p->words[p->nr > 1 ? 1 : 0];
	struct action *action = xalloc(sizeof(*action));
	uint64_t pid;

	p->program = NULL;
	vec_add(&p->sc->actions, action);
	if (p->nr < 4)
		return parse_error(
			p, "at TIME signal NAME, at TIME kill PID NAME, at TIME unplug CPU");
	action->after_exec = !strncmp(when, "exec+", 5);
	if (parse_duration(p, when + (action->after_exec ? 5 : 0), &action->at))
		return -1;
	if (!strcmp(p->words[2], "unplug"))
		return parse_plug(p, ACTION_UNPLUG, action);
	if (!strcmp(p->words[2], "plug"))
		return parse_plug(p, ACTION_PLUG, action);
	if (!strcmp(p->words[2], "kill") && p->nr == 5) {
		if (parse_number(p, p->words[3], &pid))
			return -1;
		action->op = ACTION_KILL;
		action->pid = (pid_t)pid;
	} else if (strcmp(p->words[2], "signal")) {
		return parse_error(p, "'%s' is nothing that can happen", p->words[2]);
	} else if (p->nr == 5 && !strcmp(p->words[4], "all")) {
		action->op = ACTION_SIGNAL_ALL;
	}
	action->signal = signal_by_name(p->words[action->op == ACTION_KILL ? 4 : 3]);
	return action->signal < 0 ? parse_error(p, "no such signal") : 0;
}

int parse_fail(struct parser *p)
{
	struct fault *fault = xalloc(sizeof(*fault));

	p->program = NULL;
	vec_add(&p->sc->faults, fault);
	if (p->nr != 4 || parse_number(p, p->words[2], &fault->nr))
		return parse_error(p, "fail CALL N ERRNO");
	fault->err = errno_by_name(p->words[3]);
	if (fault->err < 0)
		return parse_error(p, "'%s' is no errno", p->words[3]);
	if (strcmp(p->words[1], "call"))
		fault->name = xstrdup(p->words[1]);
	return 0;
}
