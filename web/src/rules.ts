/* SPDX-License-Identifier: MIT */
/*
 * What is remarkable in a recording: a table of shares that are looked at, from which size on each
 * is worth a word, and what to do next. Each rule names the functions that it counts.
 */
import { Kind, type Level } from "./model";
import type { Scene } from "./scene";
import { matchedWeight } from "./weights";

export interface Finding {
	rule: string;
	level: Level;
	/** part of the weight, of all that is selected */
	part: number;
	says: string;
	next: string;
	/** an expression that finds the functions in the graph; "": there is none */
	find: string;
	/** the function with most of it; -1: none */
	most: number;
}

interface Rule {
	name: string;
	/** a share from which it is reported, and one from which it is bad */
	limit: number;
	bad: number;
	/** functions by name and by kind, both if both are there; weight of their own, or with callees */
	names?: RegExp;
	kinds?: number[];
	of: "self" | "total";
	/** after "12.3 % "; what to do */
	says: string;
	next: string;
	/** this rule is for samples of time only */
	ofTime?: boolean;
}

const rules: Rule[] = [
	{ name: "kernel", limit: 0.3, bad: 0.6, kinds: [Kind.kernel], of: "self",
		says: "is spent in the kernel",
		next: "Look at which system calls lead there in the callers of its largest function; fewer and larger calls cost less." },
	{ name: "page faults", limit: 0.05, bad: 0.15, of: "total",
		names: /^(asm_exc_page_fault|exc_page_fault|do_user_addr_fault|handle_mm_fault|do_page_fault|do_anonymous_page|el0_da|do_mem_abort)$/,
		says: "goes into page faults",
		next: "Reuse memory instead of giving it back, or use huge pages; xperf record -e page-faults -g shows who touches new memory." },
	{ name: "clearing pages", limit: 0.03, bad: 0.1, of: "self",
		names: /^(clear_page|clear_page_(erms|rep|orig)|clear_huge_page|clear_user_highpage|__arch_clear_user)$/,
		says: "goes into clearing new pages",
		next: "The program asks the kernel for memory again and again: keep large buffers, or raise the allocator's trim and mmap thresholds." },
	{ name: "lock waits", limit: 0.03, bad: 0.1, of: "total",
		names: /^(futex_wait\w*|__futex_wait|do_futex|__lll_lock_wait\w*|___?pthread_mutex_lock\w*|pthread_mutex_lock\w*|__pthread_rwlock_\w*lock\w*|rwsem_down_\w+|__mutex_lock\S*|mutex_spin_on_owner)$/,
		says: "goes into locks and waiting for them",
		next: "Look at who calls the lock; hold it for less, or divide what it protects. xperf record --off-cpu shows how long threads wait." },
	{ name: "spinning", limit: 0.05, bad: 0.15, of: "self",
		names: /^(native_queued_spin_lock_slowpath|queued_spin_lock_slowpath|osq_lock|mutex_spin_on_owner|rwsem_spin_on_owner|__?pthread_spin_lock|pthread_spin_lock|_raw_spin_lock\w*|cpu_relax|sched_yield|__sched_yield)$/,
		says: "is spent spinning: threads run in order to wait",
		next: "Look at who takes the lock. With many threads for one lock, fewer threads can be faster." },
	{ name: "memory copies", limit: 0.08, bad: 0.2, of: "self",
		names: /^(_*mem(cpy|move|set|pcpy)\w*|_*(copy|clear)_user\w*|copy_user_\w+|rep_movs\w*|_copy_(to|from)_iter|__memcg_\w*copy\w*|copy_page\w*)$/,
		says: "copies or fills memory",
		next: "Look at the callers for buffers that are passed on and could be shared instead." },
	{ name: "allocator", limit: 0.08, bad: 0.2, of: "total",
		names: /^(_*libc_)?(malloc|calloc|realloc|free|cfree|aligned_alloc|posix_memalign|_int_malloc|_int_free\w*|malloc_consolidate)$|^operator (new|delete)(\[\])?(\(.*)?$|^(je_|tc_|mi_)(malloc|calloc|realloc|free)\w*$|^__rust_(alloc|dealloc|realloc)\w*$|^runtime\.mallocgc$/,
		says: "goes into the allocator of memory",
		next: "Look at the callers that allocate most: reserve space once, reuse objects, or try another allocator." },
	{ name: "garbage collection", limit: 0.08, bad: 0.25, of: "total",
		names: /^(runtime\.(gcBgMarkWorker\S*|gcDrain\w*|gcAssistAlloc\w*)|gc_collect_main|_PyGC_Collect\w*|G1\w+::do_\w*|GCTaskThread::run|.*(Scavenger|MarkCompact)Collector::.*)$/,
		says: "goes into garbage collection",
		next: "Allocate less in the functions that call the allocator, or give the runtime more memory." },
	{ name: "interpreter", limit: 0.3, bad: 2, of: "self", names: /^_PyEval_EvalFrameDefault$/,
		says: "is the interpreter of Python itself",
		next: "Python 3.12 and later name their functions with python -X perf; then the graph shows which of them run." },
	{ name: "system call entry", limit: 0.05, bad: 0.15, of: "self",
		names: /^(entry_SYSCALL_64\w*|syscall_return_via_sysret|syscall_enter_from_user_mode\w*|syscall_exit_to_user_mode\w*|do_syscall_64|__x64_sys_\w+|el0_svc\w*)$/,
		says: "is the way into system calls and back",
		next: "There are many short system calls: xperf stat -e raw_syscalls:sys_enter counts them. Read and write more at once." },
	{ name: "idle", limit: 0.2, bad: 2, of: "self",
		names: /^(intel_idle\w*|mwait_idle\w*|default_idle\w*|acpi_idle_\w+|acpi_safe_halt|poll_idle|cpu_do_idle|pv_native_safe_halt|native_safe_halt|arch_cpu_idle|cpuidle_enter_state)$/,
		says: "are processors with nothing to do",
		next: "Select the threads of interest in the timeline, or record only them; shares then are of their time." },
	{ name: "off-CPU", limit: 0.3, bad: 2, kinds: [Kind.offCpu], of: "total",
		says: "is time in which threads waited",
		next: "Look at the functions that wait; those on the path of a request matter, those of idle workers do not." },
	{ name: "unknown functions", limit: 0.05, bad: 0.25, kinds: [Kind.unknown], of: "self",
		says: "is in functions without a name",
		next: "Install debug symbols (xperf report names the files), let a JIT write /tmp/perf-PID.map, or set DEBUGINFOD_URLS." },
	{ name: "incomplete call chains", limit: 0.05, bad: 0.25, kinds: [Kind.cut], of: "total",
		says: "has call chains that are cut off",
		next: "Record with --call-graph dwarf or with a larger copy of the stack, or build with -fno-omit-frame-pointer." },
];

function ofRule(scene: Scene, rule: Rule): Uint8Array {
	const { report } = scene;
	const names = rule.names && report.strings.map(text => rule.names!.test(text));

	return Uint8Array.from(report.name, (name, frame) =>
		(!names || names[name]) && (!rule.kinds || rule.kinds.includes(report.kind[frame])) ? 1 : 0);
}

function judge(scene: Scene, rule: Rule): Finding | null {
	const frames = ofRule(scene, rule);
	const { self, total } = scene.frameSums;
	const weight = rule.of === "self" ? self : total;
	let [part, most] = [0, -1];

	frames.forEach((counts, frame) => {
		if (!counts)
			return;
		part += self[frame];
		if (weight[frame] > (most < 0 ? 0 : weight[most]))
			most = frame;
	});
	if (rule.of === "total")
		part = matchedWeight(scene.report, scene.weights, frames);
	const share = part / scene.total;
	if (!(share >= rule.limit))
		return null;
	return { rule: rule.name, level: share >= rule.bad ? "bad" : "note", part, says: rule.says, next: rule.next,
		find: rule.names?.source ?? "", most };
}

/** One function with a large part of all. */
function hotFunction(scene: Scene): Finding | null {
	const { self } = scene.frameSums;
	let most = 0;

	for (let frame = 1; frame < self.length; frame++)
		if (self[frame] > self[most])
			most = frame;
	if (!(self[most] >= 0.25 * scene.total) || scene.report.kind[most] === Kind.unknown)
		return null;
	return { rule: "one function", level: "note", part: self[most], says: `is one function, ${scene.name(most)}`,
		next: "What makes it faster makes the whole faster; xperf report -s srcline shows which of its lines take the time.",
		find: "", most };
}

/** Threads that had all they could have, while others did little. */
function busyThread(scene: Scene): Finding | null {
	const { cells, head } = scene.report;
	const { from, to, threads } = scene.state;

	if (!cells || !head.time || scene.event.unit !== "ns" || threads)
		return null;
	const { thread, bucket, start, weight, chain } = cells[scene.state.event];
	const sums = new Float64Array(head.threads.length);
	for (let cell = 0; cell < thread.length; cell++)
		if (bucket[cell] >= (from ?? 0) && bucket[cell] < (to ?? Infinity))
			for (let i = start[cell]; i < start[cell + 1]; i++)
				if (scene.report.kind[scene.report.frame[scene.report.leaf[chain[i]]]] !== Kind.offCpu)
					sums[thread[cell]] += weight[i];
	const busiest = sums.indexOf(Math.max(...sums));
	const duration = ((to ?? head.time.buckets) - (from ?? 0)) * head.time.bucket;
	const others = sums.filter((sum, at) => at !== busiest && sum > 0);
	if (sums[busiest] < 0.9 * duration || !others.length || others.some(sum => sum > 0.5 * sums[busiest]))
		return null;
	const [, tid, comm] = head.threads[busiest];
	return { rule: "one thread", level: "note", part: sums[busiest],
		says: `is one thread, ${comm} ${tid}, which runs all the time while the other ${others.length} do less than half as much`,
		next: "It limits the whole: select it in the timeline, and give some of its work to others.", find: "", most: -1 };
}

/** So few samples that shares are uncertain. */
function fewSamples(scene: Scene): Finding | null {
	const nr = scene.weights.samples[0];

	if (nr >= 200 || nr === 0)
		return null;
	return { rule: "few samples", level: "note", part: scene.total, says: `rests on ${nr} samples only: small shares are chance`,
		next: "Record for longer, or more often with -F.", find: "", most: -1 };
}

/** What is remarkable, what is bad and large first. */
export function findings(scene: Scene): Finding[] {
	if (!(scene.total > 0))
		return [];
	const found = [...rules.map(rule => judge(scene, rule)), hotFunction(scene), busyThread(scene), fewSamples(scene)]
		.filter(finding => finding !== null);

	return found.sort((a, b) => Number(b.level === "bad") - Number(a.level === "bad") || b.part - a.part);
}
