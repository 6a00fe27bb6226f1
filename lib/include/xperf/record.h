/* SPDX-License-Identifier: MIT */
/*
 * The records of ring buffers and of perf.data, as bytes.
 *
 * Bodies are laid out as the kernel and perf write them; integers are in the byte order of the
 * machine that recorded. Every record is a multiple of 8 bytes; those of the kernel end with a
 * trailer where the event has sample_id_all (see <xperf/sample.h>).
 *
 * Source: linux/perf_event.h (Linux 7.2), "enum perf_event_type"; types from 64 upwards: the
 * perf.data format, Documentation/perf.data-file-format.txt of perf.
 */
#ifndef XPERF_RECORD_H
#define XPERF_RECORD_H

#include <xperf/api.h>

XP_BEGIN_DECLS

/** struct xp_record - the header every record begins with. @size: bytes, this header included. */
struct xp_record {
	uint32_t type;
	uint16_t misc;
	uint16_t size;
};

/** enum xp_record_type - what a record is */
enum xp_record_type {
	XP_RECORD_MMAP = 1,
	XP_RECORD_LOST = 2,
	XP_RECORD_COMM = 3,
	XP_RECORD_EXIT = 4,
	XP_RECORD_THROTTLE = 5,
	XP_RECORD_UNTHROTTLE = 6,
	XP_RECORD_FORK = 7,
	XP_RECORD_READ = 8,
	XP_RECORD_SAMPLE = 9,
	XP_RECORD_MMAP2 = 10,
	XP_RECORD_AUX = 11,
	XP_RECORD_ITRACE_START = 12,
	XP_RECORD_LOST_SAMPLES = 13,
	XP_RECORD_SWITCH = 14,
	XP_RECORD_SWITCH_CPU_WIDE = 15,
	XP_RECORD_NAMESPACES = 16,
	XP_RECORD_KSYMBOL = 17,
	XP_RECORD_BPF_EVENT = 18,
	XP_RECORD_CGROUP = 19,
	XP_RECORD_TEXT_POKE = 20,
	XP_RECORD_AUX_OUTPUT_HW_ID = 21,
	XP_RECORD_CALLCHAIN_DEFERRED = 22,

	/* written by the recording program */
	XP_RECORD_HEADER_ATTR = 64,
	XP_RECORD_HEADER_EVENT_TYPE = 65,
	XP_RECORD_HEADER_TRACING_DATA = 66, /* followed by bytes outside the record */
	XP_RECORD_HEADER_BUILD_ID = 67,
	XP_RECORD_FINISHED_ROUND = 68,
	XP_RECORD_ID_INDEX = 69,
	XP_RECORD_AUXTRACE_INFO = 70,
	XP_RECORD_AUXTRACE = 71, /* followed by bytes outside the record */
	XP_RECORD_AUXTRACE_ERROR = 72,
	XP_RECORD_THREAD_MAP = 73,
	XP_RECORD_CPU_MAP = 74,
	XP_RECORD_STAT_CONFIG = 75,
	XP_RECORD_STAT = 76,
	XP_RECORD_STAT_ROUND = 77,
	XP_RECORD_EVENT_UPDATE = 78,
	XP_RECORD_TIME_CONV = 79,
	XP_RECORD_HEADER_FEATURE = 80,
	XP_RECORD_COMPRESSED = 81, /* not a multiple of 8 bytes */
	XP_RECORD_FINISHED_INIT = 82,
	XP_RECORD_COMPRESSED2 = 83,
	XP_RECORD_BPF_METADATA = 84,
};

/** Bits of misc. The first three are the processor mode: */
enum {
	XP_MISC_CPUMODE_MASK = 7,
	XP_MISC_KERNEL = 1,
	XP_MISC_USER = 2,
	XP_MISC_HYPERVISOR = 3,
	XP_MISC_GUEST_KERNEL = 4,
	XP_MISC_GUEST_USER = 5,
	XP_MISC_PROC_MAP_PARSE_TIMEOUT = 1 << 12, /* synthesized MMAP2: the maps are not complete */
	XP_MISC_MMAP_DATA = 1 << 13,              /* MMAP, MMAP2: not executable */
	XP_MISC_COMM_EXEC = 1 << 13,
	XP_MISC_FORK_EXEC = 1 << 13, /* FORK written by perf, of a task that ran already */
	XP_MISC_SWITCH_OUT = 1 << 13,
	XP_MISC_EXACT_IP = 1 << 14, /* SAMPLE */
	XP_MISC_SWITCH_OUT_PREEMPT = 1 << 14,
	XP_MISC_MMAP_BUILD_ID = 1 << 14, /* MMAP2 has a build id in the place of the inode */
	XP_MISC_BUILD_ID_SIZE = 1 << 15, /* HEADER_BUILD_ID: its size is valid */
};

/** Context markers in call chains: the entries after one belong to its mode. */
#define XP_CONTEXT_HV            ((uint64_t)-32)
#define XP_CONTEXT_KERNEL        ((uint64_t)-128)
#define XP_CONTEXT_USER          ((uint64_t)-512)
#define XP_CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define XP_CONTEXT_GUEST         ((uint64_t)-2048)
#define XP_CONTEXT_GUEST_KERNEL  ((uint64_t)-2176)
#define XP_CONTEXT_GUEST_USER    ((uint64_t)-2560)
/** Entries from here upwards are markers, not addresses. */
#define XP_CONTEXT_MAX ((uint64_t)-4095)

/** struct xp_record_mmap2 - a file, or memory, became part of an address space; the name of the
 * file, with a final NUL and padded to 8 bytes, follows */
struct xp_record_mmap2 {
	struct xp_record header;
	uint32_t pid, tid;
	uint64_t address;
	uint64_t len;
	uint64_t offset; /* in the file, bytes */
	__extension__ union {
		__extension__ struct {
			uint32_t major, minor;
			uint64_t inode;
			uint64_t inode_generation;
		};
		__extension__ struct { /* with XP_MISC_MMAP_BUILD_ID */
			uint8_t build_id_size;
			uint8_t reserved_1;
			uint16_t reserved_2;
			uint8_t build_id[20];
		};
	};
	uint32_t prot, flags;
};

/** struct xp_record_mmap - as MMAP2, without what that has more */
struct xp_record_mmap {
	struct xp_record header;
	uint32_t pid, tid;
	uint64_t address;
	uint64_t len;
	uint64_t offset;
};

/** struct xp_record_comm - a thread has got a name; it follows, with a final NUL, padded to 8 */
struct xp_record_comm {
	struct xp_record header;
	uint32_t pid, tid;
};

/** struct xp_record_task - FORK: thread @tid of @pid was made by @parent_tid; EXIT: it ended */
struct xp_record_task {
	struct xp_record header;
	uint32_t pid, parent_pid;
	uint32_t tid, parent_tid;
	uint64_t time_ns;
};

/** struct xp_record_lost - @lost records of event @id did not fit into the ring */
struct xp_record_lost {
	struct xp_record header;
	uint64_t id;
	uint64_t lost;
};

/** struct xp_record_lost_samples - @lost samples were dropped; of which event, the trailer says */
struct xp_record_lost_samples {
	struct xp_record header;
	uint64_t lost;
};

/** struct xp_record_throttle - the kernel stopped, or took up again, sampling of an event */
struct xp_record_throttle {
	struct xp_record header;
	uint64_t time_ns;
	uint64_t id;
	uint64_t stream_id;
};

/** struct xp_record_aux - new data in the AUX area */
struct xp_record_aux {
	struct xp_record header;
	uint64_t offset;
	uint64_t size;
	uint64_t flags;
};

/** struct xp_namespace - one entry of NAMESPACES; order: net, uts, ipc, pid, user, mnt, cgroup */
struct xp_namespace {
	uint64_t device;
	uint64_t inode;
};

/** struct xp_record_namespaces - the namespaces of a thread; @nr entries follow */
struct xp_record_namespaces {
	struct xp_record header;
	uint32_t pid, tid;
	uint64_t nr;
};

/** struct xp_record_cgroup - a control group's number; its path follows, NUL, padded to 8 */
struct xp_record_cgroup {
	struct xp_record header;
	uint64_t id;
};

/** struct xp_record_ksymbol - kernel code came or went; its name follows, NUL, padded to 8 */
struct xp_record_ksymbol {
	struct xp_record header;
	uint64_t address;
	uint32_t len;
	uint16_t kind;  /* 0 unknown, 1 BPF, 2 out of line */
	uint16_t flags; /* 1: went */
};

/** struct xp_record_build_id - which file has which build id; the name follows, NUL, padded to 8 */
struct xp_record_build_id {
	struct xp_record header;
	int32_t pid; /* -1: the host's */
	uint8_t build_id[20];
	uint8_t build_id_size;
	uint8_t reserved[3];
};

/** struct xp_record_auxtrace - a piece of the AUX area; @size bytes follow outside the record */
struct xp_record_auxtrace {
	struct xp_record header;
	uint64_t size;
	uint64_t offset;
	uint64_t reference;
	uint32_t idx;
	uint32_t tid;
	uint32_t cpu;
	uint32_t reserved;
};

/**
 * xp_record_fn - called once per record
 * @record: borrowed for the call, complete
 *
 * Return 0 to go on; any other value stops the walk and becomes its result.
 */
typedef int (*xp_record_fn)(const struct xp_record *record, void *data);

/** xp_record_name - the name of a record type, as perf shows it: "MMAP2". Returns static text,
 * NULL for a type that is not known. */
XP_API const char *xp_record_name(uint32_t type);

XP_END_DECLS

#endif
