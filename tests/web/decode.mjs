// SPDX-License-Identifier: MIT
// The data of an HTML report as folded stacks, decoded without the page's own code:
// node decode.mjs FILE [EVENT] prints the call chains of an event, with --samples sums of its samples by
// chain, with --base those of what it is compared with, with --head the head.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const [, , file, event = "0", what = ""] = process.argv;
const page = readFileSync(file, "latin1");

function block(name) {
	const found = page.match(new RegExp(`<script type="text/plain" id="data-${name}"( data-packed="gzip")?>([^<]*)</script>`));
	const bytes = found && Buffer.from(found[2], "base64");

	return found && (found[1] ? gunzipSync(bytes) : bytes);
}

/** Columns of a block, one after the other. */
function reader(bytes) {
	let at = 0;
	const number = () => {
		let value = 0;
		for (let scale = 1; ; scale *= 128) {
			const byte = bytes[at++];
			value += (byte & 127) * scale;
			if (!(byte & 128))
				return value;
		}
	};
	const column = () => Array.from({ length: number() }, number);

	return {
		column,
		gaps: () => { let last = 0; return column().map(gap => (last += gap)); },
		signed: () => column().map(value => (value % 2 ? -(value + 1) / 2 : value / 2)),
		texts: () => { const len = number(); at += len; return bytes.subarray(at - len, at).toString().split("\0").slice(0, -1); },
		done: () => at === bytes.length,
	};
}

const head = JSON.parse(block("head"));
const frames = reader(block("frames"));
const texts = frames.texts();
const names = frames.column().map(text => texts[text]);
const tree = reader(block("tree"));
const up = tree.column();
const places = tree.column();
const fresh = tree.column();
const parent = [-1];
const frame = [-1];
const below = new Map();

up.forEach((levels, i) => {
	let above = i;
	for (; levels > 0; levels--)
		above = parent[above];
	const known = below.get(frame[above]) ?? below.set(frame[above], []).get(frame[above]);
	if (!places[i])
		known.push(fresh.shift());
	parent.push(above);
	frame.push(known[(places[i] || known.length) - 1]);
});
tree.gaps(); tree.column(); // joined
const leaf = tree.gaps();
const chain = node => (node ? [...chain(parent[node]), names[frame[node]]] : []);
const sums = head.events.map(({ step }) => {
	const samples = tree.column();
	const weight = tree.signed().map((more, i) => (more + samples[i]) * step);
	const base = head.base ? tree.signed() : null;
	return { samples, weight, base };
});
if (!tree.done())
	throw new Error("more in the tree than is read");

/** Samples of each event by chain; weights are sums of rounded ones. */
function ofSamples() {
	const samples = reader(block("samples"));

	return head.events.map(({ sampleStep }) => {
		samples.gaps(); samples.column();
		const nr = samples.column();
		const gaps = samples.column();
		const counts = samples.column().map(more => more + 1);
		const weights = samples.signed().map((more, i) => (more + counts[i]) * sampleStep);
		const sum = { samples: leaf.map(() => 0), weight: leaf.map(() => 0) };
		let entry = 0;
		for (const entries of nr)
			for (let i = 0, at = 0; i < entries; i++, entry++) {
				at = i ? at + gaps[entry] : gaps[entry];
				sum.samples[at] += counts[entry];
				sum.weight[at] += weights[entry];
			}
		return sum;
	});
}

if (what === "--head") {
	console.log(JSON.stringify(head, null, "\t"));
} else {
	const { weight: own, base } = (what === "--samples" ? ofSamples() : sums)[Number(event)];
	const weight = what === "--base" ? base : own;
	leaf.forEach((node, i) => weight[i] && console.log(`${chain(node).join(";")} ${weight[i]}`));
}
