/* SPDX-License-Identifier: MIT */
/* The first part of the document of --json=v1: see about.h. */
#include "about.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <xperf/cpus.h>
#include <xperf/ctx.h>
#include <xperf/sys.h>

#include "header.h"
#include "json-numbers.h"
#include "recording.h"

/* --- what is known --- */

enum { TEXT_HOST, TEXT_KERNEL, TEXT_MACHINE, TEXT_CPU };

static int look_at_names(struct stat_about *about, struct xp_ctx *ctx)
{
	const struct xp_sys *sys = xp_ctx_sys(ctx);
	struct utsname name;

	if (sys->uname(sys, &name))
		return 0;
	about->host = about->texts[TEXT_HOST] = strdup(name.nodename);
	about->kernel = about->texts[TEXT_KERNEL] = strdup(name.release);
	about->machine = about->texts[TEXT_MACHINE] = strdup(name.machine);
	return about->host && about->kernel && about->machine ? 0 : -ENOMEM;
}

static int look_at_cpus(struct stat_about *about, struct xp_ctx *ctx)
{
	struct xp_cpus *online = NULL;
	int err = xp_cpu_model(ctx, &about->texts[TEXT_CPU]);

	if (err == -ENOMEM)
		return err;
	about->cpu = about->texts[TEXT_CPU];
	err = xp_cpus_online(ctx, &online, NULL);
	about->nr_cpus_online = xp_cpus_nr(online);
	xp_cpus_unref(online);
	return err == -ENOMEM ? err : 0;
}

int stat_about_here(struct stat_about *about, const struct stat_config *config, struct xp_ctx *ctx,
		    int argc, char **argv)
{
	const struct xp_sys *sys = xp_ctx_sys(ctx);
	uint64_t resolution_ns;

	*about = (struct stat_about){ .config = config,
				      .disturbance.size = sizeof(about->disturbance) };
	if (sys->clock(sys, CLOCK_REALTIME, &about->started_ns, &resolution_ns))
		about->started_ns = 0;
	xp_disturbance_read(ctx, &about->disturbance);
	about->arguments = calloc((size_t)argc, sizeof(*about->arguments));
	if (!about->arguments)
		return -ENOMEM;
	for (; about->nr_arguments < argc; about->nr_arguments++)
		about->arguments[about->nr_arguments] = argv[about->nr_arguments];
	return look_at_names(about, ctx) ?: look_at_cpus(about, ctx);
}

static const char *text_of(const struct recording *rec, enum xp_feature number)
{
	struct feature feature = feature_of(rec->data, number);
	const char *text = feature_text(&feature);

	return feature.is_short ? NULL : text;
}

/* The first word is the program. */
static int read_arguments(struct stat_about *about, const struct recording *rec)
{
	struct feature feature = feature_of(rec->data, XP_FEATURE_CMDLINE);
	uint32_t nr = feature_u32(&feature);

	feature_text(&feature);
	if (!nr || feature.is_short || nr > (size_t)(feature.end - feature.at))
		return 0;
	about->arguments = calloc(nr, sizeof(*about->arguments));
	if (!about->arguments)
		return -ENOMEM;
	for (uint32_t i = 1; i < nr; i++) {
		const char *text = feature_text(&feature);

		if (feature.is_short)
			break;
		about->arguments[about->nr_arguments++] = text;
	}
	return 0;
}

int stat_about_recorded(struct stat_about *about, const struct stat_config *config,
			const struct recording *rec)
{
	struct feature cpus = feature_of(rec->data, XP_FEATURE_NRCPUS);

	*about = (struct stat_about){
		.config = config,
		.recording = rec->path,
		.recorder = text_of(rec, XP_FEATURE_VERSION),
		.host = text_of(rec, XP_FEATURE_HOSTNAME),
		.kernel = text_of(rec, XP_FEATURE_OSRELEASE),
		.machine = text_of(rec, XP_FEATURE_ARCH),
		.cpu = text_of(rec, XP_FEATURE_CPUDESC),
	};
	/* of two numbers the first is the CPUs that there can be */
	feature_u32(&cpus);
	about->nr_cpus_online = (int)(feature_u32(&cpus) & INT32_MAX);
	return read_arguments(about, rec);
}

void stat_about_fini(struct stat_about *about)
{
	for (size_t i = 0; i < sizeof(about->texts) / sizeof(about->texts[0]); i++)
		free(about->texts[i]);
	free(about->arguments);
	*about = (struct stat_about){ 0 };
}

/* --- as JSON --- */

static const struct json_layout members = { "\n    ", "\n    ", "\n  " };

/* RFC 3339. */
static void put_started(const struct stat_about *about, struct json *json)
{
	time_t seconds = (time_t)(about->started_ns / 1000000000);
	char text[sizeof("2026-01-01T00:00:00Z") + 8] = "";
	struct tm tm;

	if (about->started_ns && gmtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	json_string(json, "started", text[0] ? text : NULL);
}

static void put_host(const struct stat_about *about, struct json *json)
{
	const struct xp_disturbance *d = &about->disturbance;

	json_object(json, "host", &members);
	json_string(json, "name", about->host);
	json_string(json, "kernel", about->kernel);
	json_string(json, "machine", about->machine);
	json_string(json, "cpu", about->cpu);
	if (about->nr_cpus_online)
		json_int(json, "cpus_online", about->nr_cpus_online);
	else
		json_null(json, "cpus_online");
	json_string(json, "governor", d->size && d->governor[0] ? d->governor : NULL);
	if (d->size && d->turbo >= 0)
		json_bool(json, "turbo", d->turbo);
	else
		json_null(json, "turbo");
	json_end(json);
}

static void put_words(struct json *json, const char *name, const char *const *words, int nr)
{
	json_array(json, name, &json_blanks);
	for (int i = 0; i < nr; i++)
		json_string(json, NULL, words[i]);
	json_end(json);
}

static void put_target(const struct stat_config *config, struct json *json)
{
	char **command = config->workload;
	int nr = 0;

	json_object(json, "target", &members);
	if (command) {
		while (command[nr])
			nr++;
		put_words(json, "command", (const char *const *)command, nr);
	} else {
		json_null(json, "command");
	}
	json_bool(json, "all_cpus", config->target.system_wide);
	json_string(json, "cpus", config->target.cpu_list);
	json_string(json, "pids", config->target.pid_list);
	json_string(json, "tids", config->target.tid_list);
	json_string(json, "bpf_programs", config->programs);
	json_end(json);
}

/* What may change what a program does, or what is counted. */
static const char *const variables[] = {
	"GLIBC_TUNABLES",
	"GOMAXPROCS",
	"LANG",
	"LC_ALL",
	"LC_NUMERIC",
	"LD_BIND_NOW",
	"LD_LIBRARY_PATH",
	"LD_PRELOAD",
	"LIBPFM_FORCE_PMU",
	"MALLOC_ARENA_MAX",
	"OMP_NUM_THREADS",
	"PATH",
	"XPERF_METRICS_DIR",
};

static void put_environment(struct json *json)
{
	json_object(json, "environment", &members);
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *value = getenv(variables[i]);

		if (value)
			json_string(json, variables[i], value);
	}
	json_end(json);
}

static const char *const aggregations[XP_AGGR_NR_MODES] = {
	[XP_AGGR_GLOBAL] = "none",   [XP_AGGR_SOCKET] = "socket",   [XP_AGGR_DIE] = "die",
	[XP_AGGR_CORE] = "core",     [XP_AGGR_NODE] = "node",       [XP_AGGR_CPU] = "cpu",
	[XP_AGGR_THREAD] = "thread", [XP_AGGR_CLUSTER] = "cluster", [XP_AGGR_CACHE] = "cache",
};

void stat_about_put(const struct stat_about *about, struct json *json)
{
	enum xp_aggr_mode mode = about->config->aggr_mode; /* of a recording without counts: none */

	json_string(json, "schema", "xperf-stat-1");
	json_string(json, "xperf", xp_version());
	json_string(json, "recording", about->recording);
	json_string(json, "recorder", about->recorder);
	put_started(about, json);
	put_host(about, json);
	put_words(json, "arguments", about->arguments, about->nr_arguments);
	if (about->recording) {
		json_null(json, "target");
		json_null(json, "environment");
	} else {
		put_target(about->config, json);
		put_environment(json);
	}
	json_string(json, "aggregation", mode < XP_AGGR_NR_MODES ? aggregations[mode] : NULL);
}
