/* SPDX-License-Identifier: MIT */
/* Promises of bpf(2) about maps, and of pidfd_getfd(2): what events are shared by. */
#include "promises-events.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <xperf/sys.h>

#include "uapi.h"

#define SYS (promise_env.sys)

static int call(int command, union bpf_attr *attr)
{
	return SYS->bpf(SYS, command, attr, sizeof(*attr));
}

/* Its number; 0: it is not there. */
static uint32_t find_map(const char *name)
{
	union bpf_attr attr = { 0 };
	uint32_t found = 0;

	while (!found && !call(BPF_MAP_GET_NEXT_ID, &attr)) {
		union bpf_attr map = { .map_id = attr.next_id }, ask = { 0 };
		struct bpf_map_info info = { 0 };
		int fd = call(BPF_MAP_GET_FD_BY_ID, &map);

		attr = (union bpf_attr){ .start_id = attr.next_id };
		if (fd < 0)
			continue;
		ask.info.bpf_fd = (uint32_t)fd;
		ask.info.info_len = sizeof(info);
		ask.info.info = (uintptr_t)&info;
		assert_int_equal(call(BPF_OBJ_GET_INFO_BY_FD, &ask), 0);
		if (!strcmp(info.name, name)) {
			assert_int_equal(info.type, BPF_MAP_TYPE_ARRAY);
			assert_int_equal(info.key_size, sizeof(uint32_t));
			assert_int_equal(info.value_size, 12);
			found = info.id;
		}
		SYS->close(SYS, fd);
	}
	return found;
}

/* A map is found by its name, has what was put into it, and is gone with its last descriptor. */
void promise_maps_are_found(void **state)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_ARRAY,
				.key_size = sizeof(uint32_t),
				.value_size = 12,
				.max_entries = 1,
				.map_name = "xperf_promise" };
	char in[12] = "eleven byte", out[16] = "";
	uint32_t key = 0;
	int fd = call(BPF_MAP_CREATE, &attr);

	(void)state;
	if (fd == -EPERM || fd == -ENOSYS) {
		print_message("skipped: no maps of BPF may be made here\n");
		skip();
	}
	assert_true(fd >= 0);
	attr = (union bpf_attr){ .map_fd = (uint32_t)fd };
	attr.key = (uintptr_t)&key;
	attr.value = (uintptr_t)in;
	assert_int_equal(call(BPF_MAP_UPDATE_ELEM, &attr), 0);
	uint32_t id = find_map("xperf_promise");
	if (id) {
		union bpf_attr by_id = { .map_id = id };
		int second = call(BPF_MAP_GET_FD_BY_ID, &by_id);

		assert_true(second >= 0);
		SYS->close(SYS, fd);
		attr = (union bpf_attr){ .map_fd = (uint32_t)second };
		attr.key = (uintptr_t)&key;
		attr.value = (uintptr_t)out;
		assert_int_equal(call(BPF_MAP_LOOKUP_ELEM, &attr), 0);
		assert_memory_equal(in, out, sizeof(in));
		fd = second;
	} else {
		print_message("not looked for: that needs CAP_SYS_ADMIN\n");
	}
	SYS->close(SYS, fd);
	assert_int_equal(find_map("xperf_promise"), 0);
}

/* An event has one number in all its descriptors, and counts until the last of them is closed. */
void promise_a_second_descriptor_keeps_an_event(void **state)
{
	struct xp_attr attr = promise_software(PERF_COUNT_SW_TASK_CLOCK);
	int process = SYS->pidfd_open(SYS, promise_env.self, 0);
	struct xp_child child = promise_spawn(promise_env.work);
	int fd = SYS->perf_event_open(SYS, &attr, child.pid, -1, -1, 0);
	uint64_t id = 0, second_id = 0, words[8];

	(void)state;
	assert_true(process >= 0 && fd >= 0);
	int second = SYS->pidfd_getfd(SYS, process, fd);
	assert_int_equal(SYS->pidfd_getfd(SYS, process, 999999), -EBADF);
	SYS->ioctl(SYS, fd, PERF_EVENT_IOC_ID, (unsigned long)(uintptr_t)&id);
	SYS->close(SYS, fd);
	SYS->close(SYS, process);
	promise_run_to_end(&child);
	if (second == -ENOSYS || second == -EPERM) {
		print_message("skipped: no descriptors of other processes may be taken here\n");
		skip();
	}
	assert_true(second >= 0);
	assert_int_equal(
		SYS->ioctl(SYS, second, PERF_EVENT_IOC_ID, (unsigned long)(uintptr_t)&second_id),
		0);
	assert_int_equal(id, second_id);
	assert_true(SYS->read(SYS, second, words, sizeof(words)) > 0);
	assert_true(words[0] > 0);
	SYS->close(SYS, second);
}
