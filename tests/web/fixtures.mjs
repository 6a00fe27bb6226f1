// SPDX-License-Identifier: MIT
// Recordings that tests of the page look at. `node fixtures.mjs NAME FILE` writes one as a page.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Recording } from "./encode.mjs";

const here = dirname(fileURLToPath(import.meta.url));
export const template = join(here, "../../data/html/report.html");
const [user, kernel, jit, inlined, offCpu, unknown] = [0, 1, 2, 3, 4, 5];

/** Numbers that look random and are the same each time. */
export function random(seed) {
	return () => {
		seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
		return seed / 2 ** 32;
	};
}

const ms = 1e6;
const main = ["main", "server", user];
const start = ["__libc_start_main", "libc.so.6", user];

/** Chains of a small server and how often each is met, in parts of a thousand. */
const serverChains = [
	[120, [start, main, ["serve", "server", user], ["parse_request", "server", user]]],
	[60, [start, main, ["serve", "server", user], ["parse_request", "server", user], ["scan_header", "server", inlined]]],
	[170, [start, main, ["serve", "server", user], ["render", "server", user], ["memcpy", "libc.so.6", user]]],
	[90, [start, main, ["serve", "server", user], ["render", "server", user], ["malloc", "libc.so.6", user], ["_int_malloc", "libc.so.6", user]]],
	[60, [start, main, ["serve", "server", user], ["render", "server", user], ["std::map<int, std::string>::find(int const&)", "server", user]]],
	[110, [start, main, ["serve", "server", user], ["read", "libc.so.6", user], ["entry_SYSCALL_64", "[kernel]", kernel], ["do_syscall_64", "[kernel]", kernel], ["vfs_read", "[kernel]", kernel], ["copy_page_to_iter", "[kernel]", kernel]]],
	[80, [start, main, ["serve", "server", user], ["read", "libc.so.6", user], ["entry_SYSCALL_64", "[kernel]", kernel], ["do_syscall_64", "[kernel]", kernel], ["asm_exc_page_fault", "[kernel]", kernel], ["clear_page_erms", "[kernel]", kernel]]],
	[140, [start, main, ["run_script", "server", user], ["interpret", "libscript.so", user], ["fib", "[JIT]", jit], ["fib", "[JIT]", jit], ["fib", "[JIT]", jit]]],
	[70, [start, main, ["run_script", "server", user], ["interpret", "libscript.so", user], ["0x7f001234", "libscript.so", unknown]]],
	[100, [start, main, ["wait_for_work", "server", user], ["futex_wait", "[kernel]", offCpu]]],
];

/** Two events, three threads, twelve seconds. */
export function server() {
	const recording = new Recording({
		title: "server --port 80",
		facts: [["Command", "server --port 80"], ["Host", "example, Linux 6.12, x86_64, 4 CPUs"],
			["Recorded", "2026-01-02 03:04:05, for 12 s"], ["Samples", "12,000 of 2 events, none lost"]],
		quality: { line: "97.2 % of call chains are complete", items: [
			{ level: "note", text: "7 % of samples are in functions without a name (libscript.so)", remedy: "Install its debug symbols." }] },
		events: [{ name: "task-clock", unit: "ns", step: ms, exact: true }, { name: "page-faults", unit: "events", step: 1, exact: true }],
		threads: [[100, 100, "server", "server"], [100, 101, "worker/1", "server"], [100, 102, "worker/2", "server"]],
		time: { bucket: 2 * ms, buckets: 6000 },
	});
	const next = random(1);

	for (let i = 0; i < 12000; i++) {
		/* Some busy moments in each tenth of a second, and a thread that is alone for two seconds. */
		const bucket = Math.min(5999, 50 * Math.floor(i / 100) + Math.floor(50 * next() ** (1 + Math.floor(i / 2000) % 3)));
		const thread = bucket > 3000 && bucket < 4000 ? 1 : Math.floor(next() * 3);
		recording.add(0, pick(serverChains, next), ms, { thread, bucket });
		if (i % 10 === 0)
			recording.add(1, pick(serverChains.slice(3, 7), next), 1, { thread, bucket });
	}
	recording.leaf(serverChains[0][1].slice(0, 2)).joined = 40;
	return recording;
}

function pick(chains, next) {
	let at = next() * chains.reduce((sum, [part]) => sum + part, 0);

	return (chains.find(([part]) => (at -= part) < 0) ?? chains[0])[1];
}

/** A program that waits most of the time, recorded on and off CPUs. */
export function waits() {
	const recording = new Recording({ title: "sleeper", events: [{ name: "task-clock", unit: "ns", step: ms, exact: true },
		{ name: "offcpu-time", unit: "ns", step: ms, exact: true, offCpu: 1 }],
	threads: [[7, 7, "sleeper", "sleeper"]], time: { bucket: 20 * ms, buckets: 500 } });

	for (let i = 0; i < 500; i++)
		if (i % 10)
			recording.add(1, [start, main, ["read", "libc.so.6", user], ["schedule", "[kernel]", offCpu]], 20 * ms, { bucket: i });
		else
			recording.add(0, [start, main, ["work", "sleeper", user]], 20 * ms, { bucket: i });
	recording.code = { files: ["", "a.c"], functions: [{ name: "work", file: "sleeper", address: "10", sums: [[0, 0, 50, 1000 * ms], [1, 1, 9, 180 * ms]],
		rows: [[0, "nop", 1, 1, 0], [0, "call read", 2, 1, 1]] }] };
	return recording;
}

/** A recording and the one before it: one function is new, one is gone, one is slower. */
export function difference() {
	const recording = new Recording({ title: "new against old", base: { title: "old" },
		events: [{ name: "cycles", unit: "events", step: 1, exact: true }] });
	const under = name => [main, [name, "server", user]];

	recording.add(0, under("same"), 500, { base: 500, samples: 50 });
	recording.add(0, under("slower"), 400, { base: 200, samples: 40 });
	recording.add(0, under("faster"), 100, { base: 300, samples: 10 });
	recording.add(0, under("new"), 200, { samples: 20 });
	recording.add(0, under("gone"), 0, { base: 200, samples: 0 });
	return recording;
}

export const evil = "</script><img src=x onerror=\"window.broken=1\"><script>window.broken=1</script>";

/** Names that would be markup or script if a page let them. */
export function hostile() {
	const recording = new Recording({ title: `title ${evil}`, facts: [[`fact ${evil}`, evil]],
		quality: { line: evil, items: [{ level: "bad", text: evil, remedy: evil }] },
		events: [{ name: evil, unit: "events", step: 1, exact: true }, { name: "b", unit: "events", step: 1, exact: true }],
		threads: [[1, 1, evil, evil], [1, 2, "javascript:alert(1)", evil]], time: { bucket: 20 * ms, buckets: 10 } });
	const names = [evil, "<!--", "-->", "]]>", "javascript:window.broken=1", "${window.broken=1}", "&lt;b&gt;", "\u202egnp.exe",
		"constructor", "__proto__", "toString", "\ud83d\ude00"];

	names.forEach((name, i) => recording.add(0, [[evil, evil, user], [name, `${name}.so`, i % 7]], 10, { thread: i % 2, bucket: i % 10 }));
	recording.add(1, [[evil, evil, user]], 1);
	return recording;
}

/** Functions with their code; source and names that would be markup if a page let them. */
export function code() {
	const recording = new Recording({ title: "code", events: [{ name: "task-clock", unit: "ns", step: 1, exact: true },
		{ name: "cycles", unit: "events", step: 1, exact: true }], threads: [[1, 1, "a", "a"], [1, 2, "b", "a"]],
	time: { bucket: 20 * ms, buckets: 2 } });

	recording.add(0, [["main", "a", user], ["work", "a", user]], 25 * ms, { samples: 25 });
	recording.add(0, [["main", "a", user], ["work", "a", user], ["mix", "a", inlined]], 50 * ms, { samples: 50 });
	recording.add(0, [["main", "a", user], ["copy", "b.so", user]], 20 * ms, { samples: 20, thread: 1, bucket: 1 });
	recording.add(0, [["main", "a", user]], 5 * ms, { samples: 5, thread: 1 });
	recording.add(1, [["main", "a", user], ["copy", "b.so", user]], 7000, { samples: 7 });
	recording.code = { files: ["/src/a.c", "", evil], functions: [
		{ name: "work", file: "a", address: "ffffffff81000010", sums: [[1, 0, 25, 25 * ms], [4, 0, 20, 20 * ms], [5, 0, 29, 29 * ms], [6, 0, 1, ms]],
			rows: [[1, `\tint x = 1; ${evil}`, 10, 0], [0, `mov $0x1,%eax # ${evil}`, 10, 0, 0], [2, "mix():", 0, 1], [1, "\tx ^= x << 13;", 4, 0],
				[0, "shl $0xd,%eax", 4, 0, 5], [0, "xor %ecx,%eax", 4, 0, 8], [3, 17], [0, "ret", 12, 0, 90]] },
		{ name: "copy", file: "b.so", address: "1000", sums: [[0, 0, 20, 20 * ms], [0, 1, 7, 7000]], rows: [[0, "rep movsb %ds:(%rsi),%es:(%rdi)", 0, 1, 0]] }] };
	return recording;
}

/** A program of many functions, each of which calls some few, the first of them most. */
function callGraph(recording, functions, next) {
	const frame = i => recording.frame([`namespace_${i % 97}::function_${i}(int, char const*)`, `lib${i % 40}.so`, i % 11 ? user : kernel]);
	const graph = Array.from({ length: functions }, (_, i) => ({ frame: frame(i), calls: [] }));

	for (const node of graph)
		for (let more = 1 + Math.floor(next() * 6); more > 0; more--)
			node.calls.push(graph[Math.floor(next() * functions)]);
	return graph;
}

/** The first functions of a chain, and some of those they call. */
function walk(shared, graph, next, depth) {
	const chain = shared.length ? shared.slice() : [graph[0]];

	while (chain.length < depth) {
		const { calls } = chain.at(-1);
		chain.push(calls[Math.floor(next() ** 2 * calls.length)]);
	}
	return chain;
}

/** A million samples of a hundred thousand call chains, a million nodes; weights that all differ. */
export function large({ chains = 100000, samples = 1000000, functions = 20000 } = {}) {
	const recording = new Recording({ title: "a large recording", facts: [["Samples", String(samples)]],
		events: [{ name: "cycles", unit: "events", step: 1, sampleStep: 250000, exact: false }],
		threads: Array.from({ length: 64 }, (_, i) => [1000, 1000 + i, `worker/${i}`, "large"]),
		time: { bucket: 20 * ms, buckets: 3000 } });
	const next = random(7);
	const graph = callGraph(recording, functions, next);
	const all = [];

	for (let i = 0; i < chains; i++) {
		const other = i ? all[Math.floor(next() * i)] : [];
		const depth = 8 + Math.floor(next() * 50);
		all.push(walk(other.slice(0, Math.max(other.length - 3 - Math.floor(next() * 15), 0)), graph, next, depth));
	}
	for (let i = 0; i < samples; i++) {
		const chain = i < chains ? all[i] : all[Math.floor(next() ** 2 * chains)];
		const weight = 1500000 + Math.floor(next() * 1000000);
		recording.add(0, chain.map(node => node.frame), weight,
			{ thread: Math.floor(next() ** 2 * 64), bucket: Math.floor((i * 3000) / samples) });
	}
	return recording;
}

export const fixtures = { server, difference, hostile, code, waits, large };

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const [, , name, file] = process.argv;
	const recording = fixtures[name]();

	writeFileSync(file, recording.page(template));
	console.log(`${file}: ${recording.nodes.length} nodes, ${recording.leaves.length} chains`);
}
