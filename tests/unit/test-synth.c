/* SPDX-License-Identifier: MIT */
/* What was there before a recording began: from trees of files, and of this very process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xperf/xperf.h>

#include "forward.h"
#include "put-file.h"
#include "str.h"
#include "uapi.h"

/* What a test is done to. */
static struct {
	char root[64];
	struct xp_ctx *ctx;
	struct forward forward; /* the real kernel, perhaps without some calls */
	uint64_t now_step;
	uint64_t now;
	struct xp_str text; /* the records as lines */
	int stop_after;     /* records; 0: never */
	int nr;
	uint16_t last_misc;
} t;

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

static void new_ctx(const char *root)
{
	struct xp_ctx_opts opts = { .size = sizeof(opts), .sys = &t.forward.sys, .root = root };

	xp_ctx_free(t.ctx);
	assert_int_equal(xp_ctx_new(&opts, &t.ctx), 0);
}

static int begin(void **state)
{
	(void)state;
	memset(&t, 0, sizeof(t));
	strcpy(t.root, "/tmp/xperf-synth-XXXXXX");
	assert_non_null(mkdtemp(t.root));
	forward_init(&t.forward, xp_sys_linux());
	new_ctx(t.root);
	return 0;
}

static int end(void **state)
{
	(void)state;
	xp_ctx_free(t.ctx);
	xp_str_fini(&t.text);
	nftw(t.root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}

static const struct xp_synth_opts plain = { .size = sizeof(plain), .id_bytes = 16 };

/* The bytes behind the name: NULs up to the next multiple of 8, then the trailer. */
static void check_end(const struct xp_record *record, const char *name)
{
	const char *at = name + strlen(name), *stop = (const char *)record + record->size;

	assert_int_equal(record->size % 8, 0);
	assert_true(stop - at >= 1 + 16 && stop - at <= 8 + 16);
	for (; at < stop; at++)
		assert_int_equal(*at, 0);
}

static int keep_record(const struct xp_record *record, void *data)
{
	const struct xp_record_mmap2 *mmap2 = (const void *)record;
	const struct xp_record_task *task = (const void *)record;
	const struct xp_record_comm *comm = (const void *)record;
	const char *name = "";

	(void)data;
	t.nr++;
	t.last_misc = record->misc;
	switch (record->type) {
	case XP_RECORD_MMAP:
		name = (const char *)record + sizeof(struct xp_record_mmap);
		xp_str_addf(&t.text, "mmap %d %#llx+%#llx@%#llx %#x %s\n", (int)mmap2->pid,
			    (unsigned long long)mmap2->address, (unsigned long long)mmap2->len,
			    (unsigned long long)mmap2->offset, record->misc, name);
		break;
	case XP_RECORD_MMAP2:
		name = (const char *)(mmap2 + 1);
		xp_str_addf(&t.text, "mmap2 %d/%d %#llx+%#llx@%#llx %x:%x:%llu %u %u %#x %s\n",
			    (int)mmap2->pid, (int)mmap2->tid, (unsigned long long)mmap2->address,
			    (unsigned long long)mmap2->len, (unsigned long long)mmap2->offset,
			    mmap2->major, mmap2->minor, (unsigned long long)mmap2->inode,
			    mmap2->prot, mmap2->flags, record->misc, name);
		break;
	case XP_RECORD_COMM:
		name = (const char *)(comm + 1);
		xp_str_addf(&t.text, "comm %d/%d %s\n", comm->pid, comm->tid, name);
		break;
	case XP_RECORD_FORK:
		assert_int_equal(record->size, sizeof(*task) + 16);
		xp_str_addf(&t.text, "fork %d/%d of %d/%d %#x\n", task->pid, task->tid,
			    task->parent_pid, task->parent_tid, record->misc);
		break;
	default:
		xp_str_addf(&t.text, "%u\n", record->type);
	}
	if (*name)
		check_end(record, name);
	return t.nr == t.stop_after ? 7 : 0;
}

static const char *records(void)
{
	return xp_str_text(&t.text);
}

static void forget(void)
{
	xp_str_fini(&t.text);
	memset(&t.text, 0, sizeof(t.text));
	t.nr = 0;
}

static void put_kernel(void)
{
	put_file(t.root,
		 "0000000000000000 A fixed_percpu_data\n"
		 "0000000000001000 A cpu_debug_store\n"
		 "ffffffff9a000000 T startup_64\n"
		 "ffffffff9a000000 T _stext\n"
		 "ffffffff9a000000 T _text\n"
		 "ffffffff9a0001c0 T secondary_startup_64\n",
		 "/proc/kallsyms");
	put_file(t.root,
		 "00001000-0009fbff : System RAM\n"
		 "  1a000000-1ae00ea6 : Kernel code\n",
		 "/proc/iomem");
}

static void the_kernel_by_its_reference_symbol(void **state)
{
	(void)state;
	put_kernel();
	assert_int_equal(xp_synth_kernel(t.ctx, &plain, keep_record, NULL), 0);
	assert_string_equal(records(), "mmap -1 0xffffffff9a000000+0xe00ea7@0xffffffff9a000000 0x1 "
				       "[kernel.kallsyms]_text\n");
}

/* Code that runs at boot is behind the text, among the data. */
static void the_kernel_ends_behind_its_data(void **state)
{
	(void)state;
	put_kernel();
	put_file(t.root,
		 "00001000-0009fbff : System RAM\n"
		 "00100000-bfffffff : System RAM\n"
		 "  1a000000-1ae00ea6 : Kernel code\n"
		 "  1b000000-1b5fffff : Kernel rodata\n"
		 "  1b600000-1b9fffff : Kernel data\n"
		 "  1c200000-1c3fffff : Kernel bss\n"
		 "c0000000-c00fffff : Not the Kernel\n",
		 "/proc/iomem");
	assert_int_equal(xp_synth_kernel(t.ctx, &plain, keep_record, NULL), 0);
	assert_string_equal(records(), "mmap -1 0xffffffff9a000000+0x2400000@0xffffffff9a000000 "
				       "0x1 [kernel.kallsyms]_text\n");
}

static void a_hidden_kernel_is_not_reported(void **state)
{
	(void)state;
	put_file(t.root, "0000000000000000 T _stext\n0000000000000000 T _text\n", "/proc/kallsyms");
	put_file(t.root, "ext4 1000000 1 - Live 0x0000000000000000\n", "/proc/modules");
	assert_int_equal(xp_synth_kernel(t.ctx, &plain, keep_record, NULL), 0);
	assert_int_equal(t.nr, 0);
}

/* Where the length is hidden the text ends at the first module, and no module reaches into the
 * next. */
static void modules_have_paths(void **state)
{
	(void)state;
	put_kernel();
	put_file(t.root, "00000000-00000000 : Kernel code\n", "/proc/iomem");
	put_file(t.root, "6.1.0-9-amd64\n", "/proc/sys/kernel/osrelease");
	put_file(t.root,
		 "snd_hda_intel 65536 2 - Live 0xffffffffc0500000\n"
		 "nowhere 8192 0 - Live 0xffffffffc0100000 (OE)\n"
		 "ext4 1048576 1 mbcache, Live 0xffffffffc0101000\n"
		 "damaged\n",
		 "/proc/modules");
	put_file(t.root,
		 "kernel/fs/ext4/ext4.ko: kernel/fs/mbcache.ko kernel/lib/crc16.ko\n"
		 "kernel/sound/pci/hda/snd-hda-intel.ko.xz: kernel/sound/soundcore.ko.xz\n"
		 "kernel/fs/other.ko:\n",
		 "/lib/modules/6.1.0-9-amd64/modules.dep");
	assert_int_equal(xp_synth_kernel(t.ctx, &plain, keep_record, NULL), 0);
	assert_string_equal(
		records(), "mmap -1 0xffffffff9a000000+0x26100000@0xffffffff9a000000 0x1 "
			   "[kernel.kallsyms]_text\n"
			   "mmap -1 0xffffffffc0100000+0x1000@0 0x1 [nowhere]\n"
			   "mmap -1 0xffffffffc0101000+0x100000@0 0x1 "
			   "/lib/modules/6.1.0-9-amd64/kernel/fs/ext4/ext4.ko\n"
			   "mmap -1 0xffffffffc0500000+0x10000@0 0x1 "
			   "/lib/modules/6.1.0-9-amd64/kernel/sound/pci/hda/snd-hda-intel.ko.xz\n");
}

#define STAT(id, name, parent, flags, threads)                                                     \
#id " (" name ") S " #parent " 1 1 0 -1 " #flags " 0 0 0 0 0 0 0 0 20 0 " #threads         \
	    " 0 1234 10000 100\n"

static void put_processes(void)
{
	put_file(t.root, STAT(2, "kthreadd", 0, 2129984, 1), "/proc/2/stat");
	put_file(t.root, "never read\n", "/proc/2/maps");
	put_file(t.root, STAT(70, "a (b) c", 2, 4194304, 2), "/proc/70/stat");
	put_file(t.root, "Name:\ta (b) c\nTgid:\t70\nPid:\t70\n", "/proc/70/status");
	put_file(t.root, "a (b) c\n", "/proc/70/task/70/comm");
	put_file(t.root, "a name of 15 by\n", "/proc/70/task/71/comm");
	put_file(t.root, "Name:\tx\nTgid:\t70\nPid:\t71\n", "/proc/71/status");
	put_file(t.root,
		 "00400000-00401000 r-xp 00001000 fe:01 4711                       /bin/a b\n"
		 "00600000-00601000 rw-p 00002000 fe:01 4711                       /bin/a b\n"
		 "00700000-00701000 ---p 00000000 00:00 0 \n"
		 "00800000-00801000 rwxp 00000000 00:00 0                          [heap]\n"
		 "00900000-00901000 rwxp 00000000 00:00 0 \n"
		 "00a00000-00a01000 rwxp 00000000 00:00 0                          [anon:jit]\n"
		 "00b00000-00b01000 rwxs 00000000 00:01 5                          "
		 "[anon_shmem:jit]\n"
		 "00c00000-00c01000 r-xs 00003000 00:01 77                         "
		 "/memfd:x (deleted)\n"
		 "00d00000-00d01000 r-xp 00000000 fe:01 78                         /a\\012b\n"
		 "damaged line\n"
		 "7ffe00000000-7ffe00002000 r-xp 00000000 00:00 0                  [vdso]\n"
		 "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0          [vsyscall]\n",
		 "/proc/70/maps");
	put_file(t.root, "gone\n", "/proc/80/stat");
}

#define LEADER "fork 70/70 of 2/2 0x2000\ncomm 70/70 a (b) c\n"
#define THREAD "fork 70/71 of 70/70 0x2000\ncomm 70/71 a name of 15 by\n"
#define MAPS                                                                                       \
	"mmap2 70/70 0x400000+0x1000@0x1000 fe:1:4711 5 2 0x2 /bin/a b\n"                          \
	"mmap2 70/70 0x800000+0x1000@0 0:0:0 7 2 0x2 [heap]\n"                                     \
	"mmap2 70/70 0x900000+0x1000@0 0:0:0 7 2 0x2 //anon\n"                                     \
	"mmap2 70/70 0xa00000+0x1000@0 0:0:0 7 2 0x2 //anon\n"                                     \
	"mmap2 70/70 0xb00000+0x1000@0 0:1:5 7 1 0x2 /dev/zero (deleted)\n"                        \
	"mmap2 70/70 0xc00000+0x1000@0x3000 0:1:77 5 1 0x2 /memfd:x (deleted)\n"                   \
	"mmap2 70/70 0xd00000+0x1000@0 fe:1:78 5 2 0x2 /a\nb\n"                                    \
	"mmap2 70/70 0x7ffe00000000+0x2000@0 0:0:0 5 2 0x2 [vdso]\n"

static void processes_with_names_parents_and_maps(void **state)
{
	(void)state;
	put_processes();
	assert_int_equal(xp_synth_system(t.ctx, &plain, keep_record, NULL), 0);
	/* in the order the directory has them */
	assert_non_null(strstr(records(), LEADER MAPS THREAD));
	assert_non_null(strstr(records(), "fork 2/2 of 0/0 0x2000\ncomm 2/2 kthreadd\n"));
	assert_null(strstr(records(), "80/80"));
	assert_int_equal(t.nr, 2 + 2 + 8 + 2);
}

static void chosen_threads_bring_their_leader_once(void **state)
{
	struct xp_threads *threads;

	(void)state;
	put_processes();
	assert_int_equal(xp_threads_of_processes(t.ctx, "70", &threads, NULL), 0);
	assert_int_equal(xp_synth_threads(t.ctx, threads, &plain, keep_record, NULL), 0);
	assert_string_equal(records(), LEADER MAPS THREAD);
	xp_threads_unref(threads);

	forget();
	assert_int_equal(xp_threads_one(t.ctx, 71, &threads), 0);
	assert_int_equal(xp_synth_threads(t.ctx, threads, &plain, keep_record, NULL), 0);
	assert_string_equal(records(), LEADER MAPS THREAD);
	xp_threads_unref(threads);

	forget();
	assert_int_equal(xp_threads_one(t.ctx, 12345, &threads), 0);
	assert_int_equal(xp_synth_threads(t.ctx, threads, &plain, keep_record, NULL), 0);
	assert_string_equal(records(), "");
	xp_threads_unref(threads);
}

static void what_is_not_wanted_is_left_out(void **state)
{
	struct xp_synth_opts opts = plain;

	(void)state;
	put_processes();
	opts.no_maps = true;
	assert_int_equal(xp_synth_system(t.ctx, &opts, keep_record, NULL), 0);
	assert_null(strstr(records(), "mmap"));
	assert_non_null(strstr(records(), LEADER THREAD));

	forget();
	opts.no_maps = false;
	opts.data_maps = true;
	assert_int_equal(xp_synth_system(t.ctx, &opts, keep_record, NULL), 0);
	assert_non_null(strstr(records(), "mmap2 70/70 0x600000+0x1000@0x2000 fe:1:4711 3 2 "
					  "0x2002 /bin/a b\n"));
	assert_null(strstr(records(), "0x700000"));
}

static void the_callback_ends_it(void **state)
{
	(void)state;
	put_processes();
	put_kernel();
	for (t.stop_after = 1; t.stop_after <= 14; t.stop_after++) {
		forget();
		assert_int_equal(xp_synth_system(t.ctx, &plain, keep_record, NULL), 7);
		assert_int_equal(t.nr, t.stop_after);
	}
	forget();
	t.stop_after = 1;
	assert_int_equal(xp_synth_kernel(t.ctx, &plain, keep_record, NULL), 7);
}

static void options_are_checked(void **state)
{
	struct xp_synth_opts odd = { .size = sizeof(odd), .id_bytes = 3 };

	(void)state;
	assert_int_equal(xp_synth_kernel(t.ctx, &odd, keep_record, NULL), -EINVAL);
	assert_int_equal(xp_synth_system(t.ctx, &plain, keep_record, NULL), -ENOENT);
}

/* A process of odd maps, held until it is killed. */
static pid_t odd_process(void)
{
	char name[] = "/tmp/xperf-synth-file-XXXXXX";
	int ready[2], fd = mkstemp(name);
	char byte;

	assert_true(fd >= 0);
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(ftruncate(fd, 8192), 0);
	pid_t pid = fork();
	if (pid) {
		assert_int_equal(read(ready[0], &byte, 1), 1);
		close(ready[0]);
		close(ready[1]);
		close(fd);
		return pid;
	}
	int prot = PROT_READ | PROT_EXEC;
	int memory = memfd_create("jit", MFD_CLOEXEC);
	char *named = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory < 0 || ftruncate(memory, 8192) ||
	    mmap(NULL, 4096, prot, MAP_PRIVATE, fd, 4096) == MAP_FAILED ||
	    mmap(NULL, 4096, prot, MAP_SHARED, memory, 0) == MAP_FAILED ||
	    mmap(NULL, 4096, prot, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ||
	    named == MAP_FAILED || unlink(name))
		_exit(1);
	prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, named, 8192, "xperf test");
	prctl(PR_SET_NAME, "odd) (process");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < 300; i++)
		mmap(NULL, 4096, i & 1 ? prot : PROT_READ, MAP_PRIVATE, fd, 0);
	if (write(ready[1], "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void end_process(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int no_query(const struct xp_sys *sys, int fd, unsigned long request, unsigned long arg)
{
	if (request == XP_PROCMAP_QUERY)
		return -ENOTTY;
	return xp_sys_linux()->ioctl(sys, fd, request, arg);
}

static void synth_one(pid_t pid, const struct xp_synth_opts *opts)
{
	struct xp_threads *threads;

	forget();
	assert_int_equal(xp_threads_one(t.ctx, pid, &threads), 0);
	assert_int_equal(xp_synth_threads(t.ctx, threads, opts, keep_record, NULL), 0);
	xp_threads_unref(threads);
}

/* The ioctl and the text report the same, whatever is mapped. */
static void both_ways_agree(void **state)
{
	struct xp_synth_opts opts = plain;
	pid_t pid = odd_process();

	(void)state;
	new_ctx("");
	for (int data = 0; data < 2; data++) {
		opts.data_maps = data;
		t.forward.sys.ioctl = no_query;
		synth_one(pid, &opts);
		char *by_text = xp_str_detach(&t.text);
		forward_init(&t.forward, xp_sys_linux());
		synth_one(pid, &opts);
		assert_string_equal(records(), by_text);
		free(by_text);
		assert_non_null(strstr(records(), " /memfd:jit (deleted)\n"));
		assert_non_null(strstr(records(), " /dev/zero (deleted)\n"));
		assert_non_null(strstr(records(), " //anon\n"));
		assert_non_null(strstr(records(), " [vdso]\n"));
		assert_non_null(strstr(records(), "/tmp/xperf-synth-file-"));
		assert_non_null(strstr(records(), " odd) (process\n"));
		assert_true(t.nr >= 150);
	}
	end_process(pid);
}

static uint64_t fast_clock(const struct xp_sys *sys)
{
	(void)sys;
	return t.now += t.now_step;
}

/* Two looks at the clock: at the beginning, and at the first map. */
static void a_timeout_is_reported_in_the_last_record(void **state)
{
	struct xp_synth_opts opts = plain;
	pid_t pid = odd_process();

	(void)state;
	opts.timeout_ms = 100;
	t.now_step = 60 * 1000000;
	for (int text = 0; text < 2; text++) {
		new_ctx("");
		t.forward.sys.now = fast_clock;
		if (text)
			t.forward.sys.ioctl = no_query;
		synth_one(pid, &opts);
		assert_true(t.last_misc & XP_MISC_PROC_MAP_PARSE_TIMEOUT);
		assert_true(t.nr > 10 && t.nr < 100);
	}
	end_process(pid);
}

static int keep_namespaces(const struct xp_record *record, void *data)
{
	const struct xp_record_namespaces *rec = (const void *)record;
	struct xp_record_namespaces *ret = data;

	if (record->type == XP_RECORD_NAMESPACES)
		memcpy(ret, rec, sizeof(*rec) + 7 * sizeof(struct xp_namespace));
	return 0;
}

static void namespaces_are_reported(void **state)
{
	struct {
		struct xp_record_namespaces rec;
		struct xp_namespace at[7];
	} got = { 0 };
	struct xp_synth_opts opts = plain;
	struct xp_threads *threads;
	struct stat st;

	(void)state;
	new_ctx("");
	opts.namespaces = true;
	assert_int_equal(xp_threads_one(t.ctx, getpid(), &threads), 0);
	assert_int_equal(xp_synth_threads(t.ctx, threads, &opts, keep_namespaces, &got), 0);
	assert_int_equal(got.rec.pid, getpid());
	assert_int_equal(got.rec.nr, 7);
	assert_int_equal(stat("/proc/self/ns/mnt", &st), 0);
	assert_int_equal(got.at[5].inode, st.st_ino);
	assert_int_equal(got.at[5].device, st.st_dev);
	xp_threads_unref(threads);
}

static void *hold(void *data)
{
	char byte;
	const int *fds = data;

	prctl(PR_SET_NAME, "second");
	assert_int_equal(write(fds[3], "", 1), 1);
	return read(fds[0], &byte, 1) < 0 ? data : NULL;
}

static void threads_of_this_process(void **state)
{
	struct xp_threads *threads;
	pthread_t thread;
	char text[32], byte;
	int fds[4];

	(void)state;
	new_ctx("");
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(pipe(fds + 2), 0);
	assert_int_equal(pthread_create(&thread, NULL, hold, fds), 0);
	assert_int_equal(read(fds[2], &byte, 1), 1);
	snprintf(text, sizeof(text), "%d", getpid());
	assert_int_equal(xp_threads_of_processes(t.ctx, text, &threads, NULL), 0);
	assert_int_equal(xp_synth_threads(t.ctx, threads, &plain, keep_record, NULL), 0);
	assert_non_null(strstr(records(), " second\n"));
	assert_non_null(strstr(records(), "unit-tests"));
	xp_threads_unref(threads);
	close(fds[1]);
	pthread_join(thread, NULL);
	close(fds[0]);
	close(fds[2]);
	close(fds[3]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_kernel_by_its_reference_symbol),
		TEST(the_kernel_ends_behind_its_data),
		TEST(a_hidden_kernel_is_not_reported),
		TEST(modules_have_paths),
		TEST(processes_with_names_parents_and_maps),
		TEST(chosen_threads_bring_their_leader_once),
		TEST(what_is_not_wanted_is_left_out),
		TEST(the_callback_ends_it),
		TEST(options_are_checked),
		TEST(both_ways_agree),
		TEST(a_timeout_is_reported_in_the_last_record),
		TEST(namespaces_are_reported),
		TEST(threads_of_this_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
