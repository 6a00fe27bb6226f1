/* SPDX-License-Identifier: MIT */
/* Promises to programs that embed the library, in situations which its own program never has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xperf/xperf.h>

static struct xp_ctx *ctx;
static char path[] = "/tmp/xperf-embedders-XXXXXX";

static int open_writer(const char *to, struct xp_data_writer **ret_writer)
{
	const struct xp_data_writer_opts opts = { .size = sizeof(opts), .path = to };
	const struct xp_data_event event = {
		.size = sizeof(event),
		.name = "cpu-clock",
		.scale = 1,
		.attr = { .type = XP_TYPE_SOFTWARE, .size = 128, .sample_type = XP_SAMPLE_IP },
	};

	return xp_data_writer_open(ctx, &opts, ret_writer, NULL)
		       ?: xp_data_writer_add_event(*ret_writer, &event);
}

static void a_recording_without_records_is_whole(void **state)
{
	const struct xp_data_opts opts = { .size = sizeof(opts), .path = path };
	const struct xp_record *record;
	struct xp_data_writer *writer;
	struct xp_data *data;

	(void)state;
	assert_int_equal(open_writer(path, &writer), 0);
	assert_int_equal(xp_data_writer_start(writer, NULL), 0);
	assert_int_equal(xp_data_writer_finish(writer, NULL), 0);
	xp_data_writer_free(writer);
	assert_int_equal(xp_data_open(ctx, &opts, &data, NULL), 0);
	assert_int_equal(xp_data_next(data, &record, NULL), 0);
	assert_int_equal(xp_data_nr_damages(data), 0);
	xp_data_close(data);
}

static void what_could_not_start_is_not_finished(void **state)
{
	struct xp_data_writer *writer;

	(void)state;
	if (access("/dev/full", W_OK))
		skip();
	assert_int_equal(open_writer("/dev/full", &writer), 0);
	assert_int_equal(xp_data_writer_start(writer, NULL), -ENOSPC);
	assert_int_equal(xp_data_writer_finish(writer, NULL), -ENOSPC);
	xp_data_writer_free(writer);
}

/* As a daemon does. */
static void nothing_is_opened_in_place_of_standard_streams(void **state)
{
	struct xp_data_writer *writer;
	struct pollfd streams[] = { { .fd = 1 }, { .fd = 2 } };
	int kept[] = { fcntl(1, F_DUPFD, 10), fcntl(2, F_DUPFD, 10) };

	(void)state;
	close(1);
	close(2);
	int err = open_writer(path, &writer) ?: xp_data_writer_start(writer, NULL);
	poll(streams, 2, 0);
	err = err ?: xp_data_writer_finish(writer, NULL);
	xp_data_writer_free(writer);
	dup2(kept[0], 1);
	dup2(kept[1], 2);
	close(kept[0]);
	close(kept[1]);
	assert_int_equal(err, 0);
	assert_int_equal(streams[0].revents, POLLNVAL);
	assert_int_equal(streams[1].revents, POLLNVAL);
}

/* A worker that the program has forked meanwhile has a copy of the pipe that holds the command. */
static void a_command_is_freed_beside_other_children(void **state)
{
	static char name[] = "true";
	char *const argv[] = { name, NULL };
	struct xp_workload *workload;
	int lives[2];
	char byte;

	(void)state;
	assert_int_equal(pipe(lives), 0);
	assert_int_equal(xp_workload_prepare(ctx, argv, &workload, NULL), 0);
	pid_t worker = fork();
	if (!worker) {
		close(lives[1]);
		_exit(read(lives[0], &byte, 1) != 0);
	}
	xp_workload_free(workload);
	/* It returned, though the worker waits for this. */
	close(lives[0]);
	close(lives[1]);
	assert_int_equal(waitpid(worker, NULL, 0), worker);
}

static void *open_self(void *self)
{
	struct xp_diag diag;

	xp_self_start("page-faults", self, &diag);
	return NULL;
}

static void *read_self(void *self)
{
	struct xp_count count;

	return (void *)(intptr_t)xp_self_read(self, &count);
}

static void a_later_thread_is_another_one(void **state)
{
	struct xp_self *self = NULL;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, open_self, &self), 0);
	pthread_join(thread, NULL);
	if (!self)
		skip();
	/* One of them has the same pthread_t. */
	for (int i = 0; i < 20; i++) {
		void *err;

		assert_int_equal(pthread_create(&thread, NULL, read_self, self), 0);
		pthread_join(thread, &err);
		assert_int_equal((intptr_t)err, -EPERM);
	}
	xp_self_close(self);
}

static void unknown_types_of_symbols_are_refused(void **state)
{
	struct xp_symbol_place place;
	struct xp_diag diag = { 0 };

	(void)state;
	for (int type = XP_SYMBOL_DATA + 1; type < 100; type += 40)
		assert_int_equal(xp_symbol_find("/proc/self/exe", "main", (enum xp_symbol_type)type,
						&place, &diag),
				 -EINVAL);
	assert_int_equal(
		xp_symbol_find("/proc/self/exe", "main", (enum xp_symbol_type) - 1, &place, &diag),
		-EINVAL);
}

static void a_map_without_size_is_refused_at_once(void **state)
{
	struct xp_timeline *timeline;
	struct xp_map map = { 0 };

	(void)state;
	assert_int_equal(xp_timeline_new(&timeline), 0);
	assert_int_equal(xp_timeline_seal(timeline), 0);
	assert_int_equal(xp_timeline_map_at(timeline, 1, XP_MISC_USER, 0x1000, XP_NO_TIME, &map),
			 -EINVAL);
	map.size = sizeof(map);
	assert_int_equal(xp_timeline_map_at(timeline, 1, XP_MISC_USER, 0x1000, XP_NO_TIME, &map),
			 0);
	xp_timeline_free(timeline);
}

/* Lets no more descriptors be opened, or as many as before. */
static void allow_descriptors(bool allow)
{
	static struct rlimit before;
	struct rlimit none;

	if (allow) {
		setrlimit(RLIMIT_NOFILE, &before);
		return;
	}
	int fd = open("/dev/null", O_RDONLY);
	close(fd);
	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	none.rlim_cur = (rlim_t)fd;
	setrlimit(RLIMIT_NOFILE, &none);
}

static void a_file_that_could_not_be_opened_is_opened_later(void **state)
{
	struct xp_symbol_place place;
	struct xp_function function;
	struct xp_symbols *symbols;
	struct xp_symtab *symtab;
	struct xp_diag diag;
	char self[4096] = "";

	(void)state;
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0 ||
	    xp_symbol_find(self, "main", XP_SYMBOL_FUNCTION, &place, &diag))
		skip();
	assert_int_equal(xp_symbols_new(ctx, NULL, &symbols), 0);
	allow_descriptors(false);
	int err = xp_symbols_open(symbols, self, NULL, 0, &symtab);
	allow_descriptors(true);
	assert_int_equal(err, 0);
	assert_int_equal(xp_symtab_get_state(symtab), XP_SYMTAB_NO_DESCRIPTOR);
	assert_string_equal(xp_symtab_reason(symtab), "too many files are open");
	assert_int_equal(xp_symbols_open(symbols, self, NULL, 0, &symtab), 0);
	assert_int_equal(xp_symtab_find(symtab, place.address, &function), 1);
	assert_string_equal(function.name, "main");
	xp_symbols_free(symbols);
}

static struct xp_unwind_file *unwound;
static int map_answer;

static int map_all(void *data, uint64_t address, struct xp_unwind_map *ret_map)
{
	(void)data, (void)address;
	*ret_map = (struct xp_unwind_map){ 0, UINT64_MAX, 0, unwound, true };
	return map_answer;
}

/* From registers that are all the same. */
static int walk_somewhere(struct xp_unwind *unwind, struct xp_unwind_chain *chain)
{
	const struct xp_unwind_calls calls = { .size = sizeof(calls), .map = map_all };
	uint64_t stack[8] = { 0 }, values[33];
	const struct xp_unwind_start start = {
		.size = sizeof(start),
		.stack = stack,
		.stack_len = sizeof(stack),
		.regs = { .abi = 2, .mask = 0x1ffffffff, .values = values, .nr = 33 },
	};
	struct xp_unwinder *unwinder;

	for (size_t i = 0; i < 33; i++)
		values[i] = 0x1000;
	assert_int_equal(xp_unwinder_new(unwind, "aarch64", &calls, &unwinder), 0);
	int err = xp_unwinder_walk(unwinder, &start, chain);
	xp_unwinder_free(unwinder);
	return err;
}

static void maps_that_cannot_be_found_out_are_an_error(void **state)
{
	uint64_t pcs[4];
	struct xp_unwind_chain chain = { .size = sizeof(chain), .pcs = pcs, .max = 4 };
	struct xp_symbols *symbols;
	struct xp_unwind *unwind;

	(void)state;
	assert_int_equal(xp_symbols_new(ctx, NULL, &symbols), 0);
	assert_int_equal(xp_unwind_new(symbols, NULL, &unwind), 0);
	unwound = NULL;
	map_answer = -EIO;
	assert_int_equal(walk_somewhere(unwind, &chain), -EIO);
	assert_int_equal(chain.nr, 1);
	assert_int_equal(chain.end, XP_UNWIND_NOT_MAPPED);
	map_answer = 0;
	assert_int_equal(walk_somewhere(unwind, &chain), 0);

	/* Nor is a file that cannot be opened one that is damaged. */
	map_answer = 1;
	assert_int_equal(xp_unwind_open(unwind, "/proc/self/exe", NULL, 0, &unwound), 0);
	allow_descriptors(false);
	int err = walk_somewhere(unwind, &chain);
	allow_descriptors(true);
	assert_int_equal(err, -EMFILE);
	assert_int_equal(chain.end, XP_UNWIND_NO_FILE);
	assert_string_equal(xp_unwind_file_reason(unwound), "too many files are open");
	assert_int_equal(walk_somewhere(unwind, &chain), 0);
	assert_string_not_equal(xp_unwind_file_reason(unwound), "too many files are open");
	xp_unwind_free(unwind);
	xp_symbols_free(symbols);
}

static int count_record(const struct xp_record *record, void *nr)
{
	(void)record;
	++*(int *)nr;
	return 0;
}

static void tasks_that_cannot_be_described_are_an_error(void **state)
{
	struct xp_threads *self;
	int nr = 0;

	(void)state;
	assert_int_equal(xp_threads_one(ctx, getpid(), &self), 0);
	allow_descriptors(false);
	int threads = xp_synth_threads(ctx, self, NULL, count_record, &nr);
	int system = xp_synth_system(ctx, NULL, count_record, &nr);
	int kernel = xp_synth_kernel(ctx, NULL, count_record, &nr);
	allow_descriptors(true);
	assert_int_equal(threads, -EMFILE);
	assert_int_equal(system, -EMFILE);
	assert_int_equal(kernel, -EMFILE);
	assert_int_equal(nr, 0);
	assert_int_equal(xp_synth_threads(ctx, self, NULL, count_record, &nr), 0);
	assert_true(nr > 2);
	xp_threads_unref(self);
}

static int set_up(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	return fd < 0 || xp_ctx_new(NULL, &ctx);
}

static int tear_down(void **state)
{
	(void)state;
	xp_ctx_free(ctx);
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recording_without_records_is_whole),
		cmocka_unit_test(what_could_not_start_is_not_finished),
		cmocka_unit_test(nothing_is_opened_in_place_of_standard_streams),
		cmocka_unit_test(a_command_is_freed_beside_other_children),
		cmocka_unit_test(a_later_thread_is_another_one),
		cmocka_unit_test(unknown_types_of_symbols_are_refused),
		cmocka_unit_test(a_map_without_size_is_refused_at_once),
		cmocka_unit_test(a_file_that_could_not_be_opened_is_opened_later),
		cmocka_unit_test(maps_that_cannot_be_found_out_are_an_error),
		cmocka_unit_test(tasks_that_cannot_be_described_are_an_error),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
