/* SPDX-License-Identifier: MIT */
/*
 * host PLUGIN [FUNCTION]: a thread runs a function of a plugin and ends after the plugin was
 * unloaded. Compiled with XPERF_REGIONS the program and a library that it is linked with have
 * regions, too.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <xperf/regions.h>

#ifdef XPERF_REGIONS
void in_library(void);
#else
static void in_library(void)
{
}
#endif

static pthread_barrier_t barrier;
static void (*in_plugin)(void);

static void *thread(void *unused)
{
	in_plugin();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return unused;
}

int main(int argc, char **argv)
{
	void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	pthread_t id;

	in_plugin = plugin ? (void (*)(void))dlsym(plugin, "in_plugin") : NULL;
	if (!in_plugin) {
		puts(dlerror());
		return 1;
	}
	XP_REGION_BEGIN("in_main");
	in_library();
	XP_REGION_END("in_main");
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&id, NULL, thread, NULL);
	pthread_barrier_wait(&barrier);
	dlclose(plugin);
	pthread_barrier_wait(&barrier);
	pthread_join(id, NULL);
	puts("the thread has ended");
	return 0;
}
