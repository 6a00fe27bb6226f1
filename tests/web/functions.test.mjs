// SPDX-License-Identifier: MIT
// Functions of web/src that need no browser. all.mjs is made of them by test-functions.sh.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assemblyRows, counted, decodeCode, decodeHead, decodeReport, decodeSamples, findCode, findFrames, grouped, heatOf,
	instant, matchedWeight, matcher, outermost, pathOf, percent, points, quantity, Reader, sourceRows, sumFrames, Tree, weigh } from "./all.mjs";
import { Recording } from "./encode.mjs";

const user = 0, inlined = 3;
const all = { event: 0, threads: null, from: null, to: null };

/** A recording as the page reads it. */
function read(recording) {
	recording.number();
	const head = decodeHead(Buffer.from(JSON.stringify(recording.head)));
	const report = decodeReport(head, recording.framesBlock(), recording.treeBlock());

	if (head.time)
		report.cells = decodeSamples(report, recording.samplesBlock());
	return report;
}

/** main calls a and b; a calls itself; times and threads differ. */
function small({ base } = {}) {
	const recording = new Recording({ events: [{ name: "cycles", unit: "events", step: 1, exact: true }],
		threads: [[1, 1, "x", "x"], [1, 2, "y", "x"]], time: { bucket: 1000, buckets: 4 }, ...(base && { base: { title: "old" } }) });
	const [main, a, b] = ["main", "a", "b"].map(name => [name, "prog", user]);

	recording.add(0, [main], 1, { thread: 0, bucket: 0, base: 5 });
	recording.add(0, [main, a], 10, { thread: 0, bucket: 1 });
	recording.add(0, [main, a, a], 100, { thread: 1, bucket: 2, base: 50 });
	recording.add(0, [main, b], 1000, { thread: 1, bucket: 3 });
	return read(recording);
}

const frameOf = (report, name) => report.name.findIndex(text => report.strings[text] === name);

describe("numbers as text", () => {
	const rows = [
		[grouped(0), "0"], [grouped(999), "999"], [grouped(1234567), "1,234,567"], [grouped(0.6), "1"],
		[quantity(0, "ns"), "0 ns"], [quantity(999, "ns"), "999 ns"], [quantity(1000, "ns"), "1.00 µs"],
		[quantity(61e9, "ns"), "1.02 min"], [quantity(7200e9, "ns"), "2.00 h"], [quantity(1536, "bytes"), "1.50 KiB"],
		[quantity(12, "events"), "12"], [quantity(1.5e9, "events"), "1.50 G"], [quantity(5, "furlongs"), "5"],
		[percent(0, 10), "0.00 %"], [percent(1, 1e6), "< 0.01 %"], [percent(1, 3), "33.3 %"], [percent(1, 0), "-"], [percent(1, NaN), "-"],
		[points(0.5, 0.25), "+25.00"], [points(0.25, 0.5), "−25.00"],
		[instant(1.5e9, 1e7), "1.50 s"], [instant(0, 1e9), "0 s"],
		[counted(1, "sample"), "1 sample"], [counted(1000, "sample"), "1,000 samples"],
	];

	for (const [found, wanted] of rows)
		it(wanted, () => assert.equal(found, wanted));
});

describe("columns of numbers", () => {
	it("are read to their ends", () => {
		const reader = new Reader(Uint8Array.from([3, 1, 0x80, 1, 0xff, 0x7f, 2, 1, 2]));
		assert.deepEqual([...reader.column()], [1, 128, 16383]);
		assert.deepEqual([...reader.signed()], [-1, 1]);
		assert.equal(reader.atEnd, true);
	});
	for (const [what, bytes] of [["no end of a number", [0x80]], ["more numbers than bytes", [9, 1]], ["a number is cut off", [1, 0x80]]])
		it(`are refused: ${what}`, () => assert.throws(() => new Reader(Uint8Array.from(bytes)).column(), /damaged|cut off/));
});

describe("search", () => {
	const found = (text, regex, name) => matcher({ text, regex })(name);

	it("takes small letters for both", () => assert.ok(found("mem", false, "MemCpy")));
	it("takes capital letters as they are", () => assert.ok(!found("Mem", false, "memcpy")));
	it("takes dots as they are", () => assert.ok(!found("m.m", false, "mem")));
	it("has expressions", () => assert.ok(found("^m.m", true, "memcpy") && !found("^cpy", true, "memcpy")));
	it("reports what is no expression", () => assert.ok(matcher({ text: "(", regex: true }) instanceof Error));
	it("finds functions by their file", () => assert.deepEqual([...findFrames(small(), text => text === "prog")], [1, 1, 1]));
});

describe("sums", () => {
	it("count a function that calls itself once", () => {
		const report = small(), weights = weigh(report, all), sums = sumFrames(report, weights);
		const [main, a, b] = ["main", "a", "b"].map(name => frameOf(report, name));

		assert.deepEqual([main, a, b].map(frame => sums.total[frame]), [1111, 110, 1000]);
		assert.deepEqual([main, a, b].map(frame => sums.self[frame]), [1, 110, 1000]);
		assert.equal(weights.exact, true);
		assert.equal(matchedWeight(report, weights, Uint8Array.from(report.name, (_, frame) => (frame === a || frame === main ? 1 : 0))), 1111);
		assert.equal(outermost(report, a).length, 1);
	});
	it("are of the threads and times that are selected", () => {
		const report = small();
		const total = selection => weigh(report, { ...all, ...selection }).total[0];

		assert.equal(total({ threads: new Set([1]) }), 1100);
		assert.equal(total({ from: 1, to: 3 }), 110);
		assert.equal(total({ threads: new Set([0]), from: 2 }), 0);
	});
	it("have the other recording's", () => {
		const { base, baseSelf } = weigh(small({ base: true }), all);
		assert.equal(base[0], 55);
		assert.equal(baseSelf.reduce((sum, value) => sum + value), 55);
	});
});

describe("wall time", () => {
	const [main, wait] = [["main", "prog", user], ["read", "libc.so.6", 4]];
	const recording = (more = []) => {
		const made = new Recording({ events: [{ name: "task-clock", unit: "ns", step: 1, exact: true },
			{ name: "offcpu-time", unit: "ns", step: 1, exact: true, offCpu: 1 }, ...more],
		threads: [[1, 1, "x", "x"], [1, 2, "y", "x"]], time: { bucket: 1000, buckets: 4 } });
		made.add(0, [main], 10, { thread: 0, bucket: 1 });
		made.add(0, [main, wait], 20, { thread: 1, bucket: 1 });
		made.add(1, [main, wait], 300, { thread: 1, bucket: 1 });
		made.add(1, [main, wait], 4000, { thread: 0, bucket: 3 });
		return made;
	};

	it("is time on CPUs and time off CPUs, as sums and by time and thread", () => {
		const report = read(recording()), event = 2;
		const total = selection => weigh(report, { ...all, event, ...selection }).total[0];

		assert.deepEqual(report.wall, [0, 1]);
		assert.deepEqual([total({}), weigh(report, { ...all, event }).samples[0]], [4330, 4]);
		assert.equal(total({ threads: new Set([1]) }), 320);
		assert.equal(total({ from: 1, to: 2 }), 330);
		assert.deepEqual([0, 1].map(other => weigh(report, { ...all, event: other }).total[0]), [30, 4300]);
	});
	it("is none where another clock counts the same time", () => {
		const made = recording([{ name: "cpu-clock", unit: "ns", step: 1, exact: true }]);
		made.add(2, [main], 5);
		assert.equal(read(made).wall, null);
	});
	it("is none of other units", () => {
		const made = recording();
		made.head.events[0].unit = "events";
		assert.equal(read(made).wall, null);
	});
});

describe("trees", () => {
	const names = (report, boxes) => boxes.map(box => report.strings[report.name[box.frame]]);

	it("begin with callers", () => {
		const report = small(), tree = new Tree(report, weigh(report, all), "callees", -1, "weight");
		const [main] = tree.children(tree.root);

		assert.equal(tree.root.total, 1111);
		assert.deepEqual(names(report, tree.children(main)), ["b", "a"]);
		assert.deepEqual(tree.find([main.frame, frameOf(report, "a")]).total, 110);
		assert.deepEqual(pathOf(tree.children(main)[0]), [main.frame, frameOf(report, "b")]);
	});
	it("are sorted by name", () => {
		const report = small(), tree = new Tree(report, weigh(report, all), "callees", -1, "name");
		assert.deepEqual(names(report, tree.children(tree.children(tree.root)[0])), ["a", "b"]);
	});
	it("begin with callees", () => {
		const report = small(), tree = new Tree(report, weigh(report, all), "callers", -1, "weight");
		const boxes = tree.children(tree.root);

		assert.deepEqual(names(report, boxes), ["b", "a", "main"]);
		assert.deepEqual(boxes.map(box => box.total), [1000, 110, 1]);
	});
	it("end where a path does", () => {
		const report = small(), tree = new Tree(report, weigh(report, all), "callees", -1, "weight");
		assert.equal(tree.find([99]), tree.root);
	});
});

describe("code", () => {
	const raw = { files: ["a.c", ""], functions: [{ name: "work", file: "prog", address: "ffffffffffffff00",
		rows: [[1, "x = 1;", 3, 0], [0, "mov", 3, 0, 0], [2, "mix():", 0, 1], [0, "add", 7, 0, 2], [3, 5], [0, "ret", 0, 1, 9]],
		sums: [[1, 0, 1, 10], [3, 0, 2, 20], [3, 0, 1, 5], [3, 1, 9, 9], [4, 0, 1, 1]] }] };
	const functions = decodeCode(Buffer.from(JSON.stringify(raw)));
	const [work] = functions;

	it("sums up what is at one row", () => {
		const { rows, all: sum } = heatOf(work, [0]);
		assert.deepEqual(rows.get(3), { samples: 3, weight: 25 });
		assert.deepEqual(sum, { samples: 5, weight: 36 });
	});
	it("has addresses of 64 bits", () => assert.deepEqual(assemblyRows(work, new Map()).map(row => row.place),
		["3", "ffffffffffffff00", "", "ffffffffffffff02", "", "ffffffffffffff09"]));
	it("sums up events", () => assert.deepEqual(heatOf(work, [0, 1]).all, { samples: 14, weight: 45 }));
	it("has lines of source with what all instructions of theirs weigh", () => {
		const rows = sourceRows(work, heatOf(work, [0]).rows);
		assert.deepEqual(rows.map(({ kind, place, text, heat }) => [kind, place, text, heat?.weight]),
			[["name", "", "a.c", undefined], ["source", "3", "x = 1;", 10], ["skipped", "", "…", undefined], ["source", "7", "", 25]]);
	});
	it("is found by name and file, or where a function is inlined", () => {
		assert.equal(findCode(functions, "work", "prog"), work);
		assert.equal(findCode(functions, "mix", "prog"), work);
		assert.equal(findCode(functions, "work", "other"), null);
	});
});

it("an inlined function has a kind of its own", () => {
	const recording = new Recording({ events: [{ name: "e", unit: "events", step: 1, exact: true }] });
	recording.add(0, [["f", "p", user]], 1);
	recording.add(0, [["f", "p", inlined]], 2);
	const report = read(recording);
	assert.deepEqual([...report.kind], [user, inlined]);
});
