// SPDX-License-Identifier: MIT
// Writes a report as xperf does (docs/html-report.md), of call chains that a test makes up.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

/** A growing row of bytes. */
class Bytes {
	constructor() {
		this.bytes = Buffer.alloc(1 << 16);
		this.length = 0;
	}

	byte(value) {
		if (this.length === this.bytes.length)
			this.bytes = Buffer.concat([this.bytes, Buffer.alloc(this.bytes.length)]);
		this.bytes[this.length++] = value;
	}

	number(value) {
		for (; value >= 128; value = Math.floor(value / 128))
			this.byte((value % 128) + 128);
		this.byte(value);
	}

	column(values) {
		this.number(values.length);
		for (const value of values)
			this.number(value);
	}

	gaps(values) {
		this.column(values.map((value, i) => value - (i ? values[i - 1] : 0)));
	}

	signed(values) {
		this.column(values.map(value => (value < 0 ? -2 * value - 1 : 2 * value)));
	}

	texts(texts) {
		const raw = Buffer.from(texts.map(text => `${text}\0`).join(""));

		this.number(raw.length);
		for (const byte of raw)
			this.byte(byte);
	}

	done() {
		return this.bytes.subarray(0, this.length);
	}
}

/** Call chains, added one by one, in a tree. */
export class Recording {
	constructor(head) {
		this.head = { version: 1, program: "xperf", title: "test", facts: [], quality: { line: "", items: [] },
			threads: [], time: null, ...head };
		this.strings = new Map();
		this.frames = new Map();
		this.table = [];
		this.root = { frame: -1, children: new Map(), sums: null };
		this.samples = this.head.events.map(() => []);
	}

	string(text) {
		if (!this.strings.has(text))
			this.strings.set(text, this.strings.size);
		return this.strings.get(text);
	}

	/** @param frame [name, module, kind], outermost first in chains */
	frame(frame) {
		const key = frame.join("\0");
		if (!this.frames.has(key)) {
			this.frames.set(key, this.table.length);
			this.table.push([this.string(frame[0]), this.string(frame[1]), frame[2]]);
		}
		return this.frames.get(key);
	}

	leaf(chain) {
		let node = this.root;

		for (const frame of chain) {
			const id = typeof frame === "number" ? frame : this.frame(frame);
			if (!node.children.has(id))
				node.children.set(id, { frame: id, children: new Map(), sums: null });
			node = node.children.get(id);
		}
		node.sums ??= this.head.events.map(() => ({ samples: 0, weight: 0, base: 0 }));
		return node;
	}

	add(event, chain, weight, { thread = 0, bucket = 0, base = 0, samples = 1 } = {}) {
		const node = this.leaf(chain);

		node.sums[event].samples += samples;
		node.sums[event].weight += weight;
		node.sums[event].base += base;
		if (this.head.time && samples)
			this.samples[event].push([thread, bucket, node, weight]);
		return node;
	}

	/** Nodes depth first, without the root, which has the number 0. */
	number() {
		this.nodes = [];
		const stack = [[this.root, 0]];

		while (stack.length) {
			const [node, depth] = stack.pop();
			node.number = this.nodes.length;
			node.depth = depth;
			this.nodes.push(node);
			for (const child of [...node.children.values()].reverse())
				stack.push([child, depth + 1]);
		}
		this.leaves = this.nodes.filter(node => node.sums);
		this.leaves.forEach((node, i) => { node.chain = i; });
	}

	framesBlock() {
		const bytes = new Bytes();

		bytes.texts([...this.strings.keys()]);
		for (const column of [0, 1, 2])
			bytes.column(this.table.map(row => row[column]));
		return bytes.done();
	}

	treeBlock() {
		const bytes = new Bytes();
		const { nodes, leaves } = this;
		const joined = nodes.filter(node => node.joined);

		bytes.column(nodes.slice(1).map((node, i) => nodes[i].depth + 1 - node.depth));
		this.writeFrames(bytes);
		bytes.gaps(joined.map(node => node.number));
		bytes.column(joined.map(node => node.joined));
		bytes.gaps(leaves.map(node => node.number));
		this.head.events.forEach((event, i) => {
			bytes.column(leaves.map(node => node.sums[i].samples));
			bytes.signed(leaves.map(node => node.sums[i].weight / event.step - node.sums[i].samples));
			if (this.head.base)
				bytes.signed(leaves.map(node => node.sums[i].base));
		});
		return bytes.done();
	}

	/** Frames by their place among those that the caller's function has called so far, or new ones. */
	writeFrames(bytes) {
		const called = new Map();
		const places = [];
		const fresh = [];

		for (const node of this.nodes)
			for (const { frame } of node.children.values())
				places[node.children.get(frame).number - 1] = node.frame;
		places.forEach((caller, i) => {
			const { frame } = this.nodes[i + 1];
			if (!called.has(caller))
				called.set(caller, new Map());
			const known = called.get(caller);
			places[i] = known.get(frame) ?? 0;
			if (!known.has(frame)) {
				known.set(frame, known.size + 1);
				fresh.push(frame);
			}
		});
		bytes.column(places);
		bytes.column(fresh);
	}

	samplesBlock() {
		const bytes = new Bytes();

		this.head.events.forEach((event, i) => writeSamples(bytes, this.samples[i], event.sampleStep ?? event.step));
		return bytes.done();
	}

	/** The page with all this in it. */
	page(template, { packed = true } = {}) {
		const blocks = { head: Buffer.from(JSON.stringify(this.head)) };

		this.number();
		blocks.frames = this.framesBlock();
		blocks.tree = this.treeBlock();
		if (this.head.time)
			blocks.samples = this.samplesBlock();
		if (this.code)
			blocks.code = Buffer.from(JSON.stringify(this.code));
		const data = Object.entries(blocks).map(([name, bytes]) => {
			const text = (packed ? gzipSync(bytes, { level: 9 }) : bytes).toString("base64");
			return `<script type="text/plain" id="data-${name}"${packed ? ' data-packed="gzip"' : ""}>${text}</script>\n`;
		});
		return readFileSync(template, "utf8").replace("<!-- @DATA@ -->\n", () => data.join(""));
	}
}

/** Samples of one event: cells of a thread and a bucket, in each its chains in order. */
function writeSamples(bytes, samples, step) {
	const sorted = samples.slice().sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2].chain - b[2].chain);
	const cells = [];
	const entries = [];

	for (const [thread, bucket, { chain }, weight] of sorted) {
		const cell = cells.at(-1);
		const entry = entries.at(-1);
		const same = cell && cell.thread === thread && cell.bucket === bucket;
		if (same && entry.chain === chain) {
			entry.samples++;
			entry.weight += weight;
			continue;
		}
		entries.push({ chain, gap: same ? chain - entry.chain : chain, samples: 1, weight });
		if (same)
			cell.nr++;
		else
			cells.push({ thread, bucket, nr: 1,
				gap: cell && cell.thread === thread ? bucket - cell.bucket : bucket });
	}
	bytes.gaps(cells.map(cell => cell.thread));
	bytes.column(cells.map(cell => cell.gap));
	bytes.column(cells.map(cell => cell.nr));
	bytes.column(entries.map(entry => entry.gap));
	bytes.column(entries.map(entry => entry.samples - 1));
	bytes.signed(inSteps(entries.map(entry => entry.weight), step).map((steps, i) => steps - entries[i].samples));
}

/** Weights in steps; what is cut off is added to the next. */
function inSteps(weights, step) {
	let rest = 0;

	return weights.map(weight => {
		const steps = Math.round((weight + rest) / step);
		rest += weight - steps * step;
		return steps;
	});
}
