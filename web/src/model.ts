/* SPDX-License-Identifier: MIT */
/*
 * What the page knows of a recording, as tables of numbers: frames, the tree of call chains, how
 * often each chain was met, and when by which thread.
 */
import { Reader } from "./decode";

/** Kinds of frames, in the order of their numbers in the data. */
export const kinds = ["user", "kernel", "jit", "inlined", "off-cpu", "unknown", "guest", "group",
	"cut off"] as const;
export const Kind = { user: 0, kernel: 1, jit: 2, inlined: 3, offCpu: 4, unknown: 5, guest: 6, group: 7,
	cut: 8 };

export type Level = "good" | "note" | "bad";

export interface HeadEvent {
	name: string;
	unit: string;
	step: number;
	sampleStep?: number;
	exact: boolean;
	offCpu?: number;
}

/** The first block, which is JSON. */
export interface Head {
	version: number;
	program: string;
	title: string;
	facts: [string, string][];
	quality: { line: string; items: { level: Level; text: string; remedy: string }[] };
	/**
	 * unit: "events", "ns" or "bytes"; step: sums are multiples of it; sampleStep: weights of samples
	 * are; exact: these are not rounded; offCpu: weights are times that threads waited
	 */
	events: HeadEvent[];
	/** process, thread, name of the thread, name of the process */
	threads: [number, number, string, string][];
	/** of what the times are: nanoseconds a bucket lasts, number of buckets */
	time: { bucket: number; buckets: number } | null;
	/** the recording that this one is compared with */
	base?: { title: string };
}

/** Sums of one event, per call chain. */
export interface EventSums {
	samples: Float64Array;
	weight: Float64Array;
	/** of the recording that this one is compared with */
	base: Float64Array | null;
}

/** Samples of one event by thread and time; entries of cell i are start[i] .. start[i + 1]. */
export interface Cells {
	thread: Int32Array;
	bucket: Int32Array;
	start: Int32Array;
	chain: Int32Array;
	samples: Float64Array;
	weight: Float64Array;
}

export interface Report {
	head: Head;
	strings: string[];
	/** of frames */
	name: Int32Array;
	module: Int32Array;
	kind: Uint8Array;
	/** of nodes, in depth-first order; 0 is the root, whose frame is -1. end: after the last below */
	frame: Int32Array;
	parent: Int32Array;
	end: Int32Array;
	/** samples of which the frame of the node is from an earlier sample; few nodes have any */
	joined: Map<number, number>;
	/** the last node of each call chain */
	leaf: Int32Array;
	/** those of the head; after them the wall time, if it is known */
	events: EventSums[];
	/** the events that the wall time is made of; null: it is not known */
	wall: [number, number] | null;
	/** one per event; null: not decoded yet, or the recording has no times */
	cells: Cells[] | null;
}

export function decodeHead(bytes: Uint8Array): Head {
	const head = JSON.parse(new TextDecoder().decode(bytes)) as Head;

	if (head.version !== 1)
		throw new Error(`the data of this page have version ${head.version}, which it cannot read`);
	return head;
}

/** Time on CPUs and time off CPUs of the same threads are together what a clock on the wall shows. */
export const wallTime = "wall time (on + off CPU)";

/** The event with this number of the sums: a recorded one, or the wall time. */
export function eventAt({ head, wall }: Report, nr: number): HeadEvent {
	return head.events[nr] ??
		{ name: wallTime, unit: "ns", step: 1, exact: (wall ?? []).every(i => head.events[i].exact) };
}

function wallOf(head: Head, events: EventSums[]): [number, number] | null {
	const times = head.events.flatMap((event, i) =>
		(event.unit === "ns" && events[i].samples.some(nr => nr > 0) ? [i] : []));
	const waits = times.filter(i => head.events[i].offCpu);

	return times.length === 2 && waits.length === 1 ? [times[0], times[1]] : null;
}

const addUp = (a: Float64Array, b: Float64Array): Float64Array => a.map((value, i) => value + b[i]);

function addSums(a: EventSums, b: EventSums): EventSums {
	return { samples: addUp(a.samples, b.samples), weight: addUp(a.weight, b.weight),
		base: a.base && b.base && addUp(a.base, b.base) };
}

/** Parents and ends of subtrees, from how many levels each node is above the child of the last. */
function link(up: Int32Array): { parent: Int32Array; end: Int32Array } {
	const parent = new Int32Array(up.length + 1).fill(-1);
	const end = new Int32Array(up.length + 1);
	let last = 0;

	for (let node = 1; node < parent.length; node++) {
		let above = last;
		for (let i = up[node - 1]; i > 0 && above > 0; i--) {
			end[above] = node;
			above = parent[above];
		}
		parent[node] = above;
		last = node;
	}
	for (; last >= 0; last = parent[last])
		end[last] = parent.length;
	return { parent, end };
}

/**
 * Frames of nodes: each is one that was called by the same function before, as its place among these
 * from 1 on, or 0 and the next of the frames that were not.
 */
function decodeFrames(reader: Reader, parent: Int32Array, nrFrames: number): Int32Array {
	const places = reader.column();
	const fresh = reader.column();
	const frame = new Int32Array(parent.length);
	const called: number[][] = Array.from({ length: nrFrames + 1 }, () => []);
	let used = 0;

	if (places.length !== parent.length - 1)
		throw new Error("the data of this page are damaged");
	checkBelow(fresh, nrFrames);
	frame[0] = -1;
	for (let node = 1; node < frame.length; node++) {
		const known = called[frame[parent[node]] + 1];
		const place = places[node - 1];

		if (!place)
			known.push(fresh[used++]);
		frame[node] = known[(place || known.length) - 1];
	}
	checkBelow(frame.subarray(1), nrFrames);
	return frame;
}

function decodeMarks(reader: Reader): Map<number, number> {
	const at = reader.gaps();
	const nr = reader.column();

	return new Map(Array.from(at, (place, i) => [place, nr[i]]));
}

/** Weights are stored in steps, as what they have more than one a sample. */
function weights(more: Float64Array, samples: Float64Array, step: number): Float64Array {
	for (let i = 0; i < more.length; i++)
		more[i] = (more[i] + samples[i]) * step;
	return more;
}

function checkBelow(values: Int32Array, limit: number): void {
	for (const value of values)
		if (value < 0 || value >= limit)
			throw new Error("the data of this page are damaged");
}

export function decodeReport(head: Head, frames: Uint8Array, tree: Uint8Array): Report {
	const names = new Reader(frames);
	const strings = names.texts();
	const name = names.column();
	const module = names.column();
	const kind = Uint8Array.from(names.column());
	const reader = new Reader(tree);
	const { parent, end } = link(reader.column());
	const frame = decodeFrames(reader, parent, name.length);

	checkBelow(name, strings.length);
	checkBelow(module, strings.length);
	const joined = decodeMarks(reader);
	const leaf = reader.gaps();
	checkBelow(leaf, parent.length);
	const events = head.events.map((event): EventSums => {
		const samples = Float64Array.from(reader.column());
		const weight = weights(reader.signed(), samples, event.step);

		return { samples, weight, base: head.base ? reader.signed() : null };
	});
	const wall = wallOf(head, events);
	if (wall)
		events.push(addSums(events[wall[0]], events[wall[1]]));
	return { head, strings, name, module, kind, frame, parent, end, joined, leaf, events, wall,
		cells: null };
}

/** Entries of a cell are in the order of their chains: gaps, begun anew in each cell. */
function undoGaps(chain: Int32Array, start: Int32Array): void {
	for (let cell = 0; cell + 1 < start.length; cell++)
		for (let i = start[cell] + 1; i < start[cell + 1]; i++)
			chain[i] += chain[i - 1];
}

function decodeCells(reader: Reader, step: number): Cells {
	const thread = reader.gaps();
	const bucket = reader.column();
	const nr = reader.column();
	const start = new Int32Array(nr.length + 1);

	for (let i = 0; i < nr.length; i++) {
		start[i + 1] = start[i] + nr[i];
		if (i > 0 && thread[i] === thread[i - 1])
			bucket[i] += bucket[i - 1];
	}
	const chain = reader.column();
	undoGaps(chain, start);
	const samples = Float64Array.from(reader.column());
	for (let i = 0; i < samples.length; i++)
		samples[i]++;
	return { thread, bucket, start, chain, samples, weight: weights(reader.signed(), samples, step) };
}

/** Cells of two events; both can have one of a thread and bucket. */
function joinCells(a: Cells, b: Cells): Cells {
	const ints = (key: "thread" | "bucket" | "chain"): Int32Array => Int32Array.from([...a[key], ...b[key]]);
	const floats = (key: "samples" | "weight"): Float64Array => Float64Array.from([...a[key], ...b[key]]);
	const start = [...a.start, ...b.start.subarray(1).map(at => at + a.chain.length)];

	return { thread: ints("thread"), bucket: ints("bucket"), start: Int32Array.from(start), chain: ints("chain"),
		samples: floats("samples"), weight: floats("weight") };
}

export function decodeSamples(report: Report, bytes: Uint8Array): Cells[] {
	const reader = new Reader(bytes);
	const { wall } = report;
	const all = report.head.events.map(event => {
		const cells = decodeCells(reader, event.sampleStep ?? event.step);

		checkBelow(cells.chain, report.leaf.length);
		checkBelow(cells.thread, report.head.threads.length);
		return cells;
	});

	return wall ? [...all, joinCells(all[wall[0]], all[wall[1]])] : all;
}
