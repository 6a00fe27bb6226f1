/* SPDX-License-Identifier: MIT */
/* User and system time of what `xperf stat` measures. */
#include "times.h"

#include <stdlib.h>
#include <string.h>

/* @list has been checked: numbers and commas. */
static bool read_list(struct xp_ctx *ctx, const char *list, bool are_threads,
		      struct xp_times *ret_times)
{
	for (const char *p = list;; p++) {
		pid_t id = (pid_t)strtol(p, NULL, 10);
		struct xp_times times;

		if (are_threads ? xp_times_of_thread(ctx, id, &times)
				: xp_times_of_process(ctx, id, false, &times))
			return false;
		ret_times->user_ns += times.user_ns;
		ret_times->system_ns += times.system_ns;
		p += strcspn(p, ",");
		if (!*p)
			return true;
	}
}

bool times_read(const struct stat_job *job, struct xp_times *ret_times)
{
	const struct target_args *args = &job->config->target;
	const struct session *session = &job->session;

	*ret_times = (struct xp_times){ 0 };
	/* Of tasks on some CPUs only, the times are not known. */
	if (target_names_tasks(args) && args->cpu_list)
		return false;
	if (args->pid_list || args->tid_list)
		return read_list(job->ctx, args->pid_list ? args->pid_list : args->tid_list,
				 args->tid_list, ret_times);
	if (args->system_wide || args->cpu_list)
		return !xp_times_of_cpus(job->ctx, args->cpu_list ? job->target.cpus : NULL,
					 ret_times);
	if (!session->ended)
		return !xp_times_of_process(job->ctx, xp_workload_pid(session->workload), true,
					    ret_times);
	ret_times->user_ns = session->exit.user_ns;
	ret_times->system_ns = session->exit.system_ns;
	return true;
}
