/* SPDX-License-Identifier: MIT */
/* Sums per node of the tree, of one event and of what is selected: threads and a range of time. */
import { eventAt, type Cells, type Report } from "./model";

/** What is looked at. Times are buckets, the last one excluded; null: all. */
export interface Selection {
	event: number;
	threads: ReadonlySet<number> | null;
	from: number | null;
	to: number | null;
}

export interface Weights {
	/** per node: weight of chains that end there, of all that go through it; the same of samples */
	self: Float64Array;
	total: Float64Array;
	selfSamples: Float64Array;
	samples: Float64Array;
	/** of the recording that this one is compared with; null: there is none */
	base: Float64Array | null;
	baseSelf: Float64Array | null;
	/** false: weights are rounded, as those of a selection can be */
	exact: boolean;
}

export function isWhole(selection: Selection): boolean {
	return !selection.threads && selection.from === null && selection.to === null;
}

/** Calls @use for each entry of the cells that are selected. */
export function eachSelected(cells: Cells, selection: Selection,
	use: (entry: number, cell: number) => void): void {
	const { threads, from, to } = selection;

	for (let cell = 0; cell < cells.thread.length; cell++) {
		const bucket = cells.bucket[cell];

		if ((threads && !threads.has(cells.thread[cell])) || (from !== null && bucket < from) ||
			(to !== null && bucket >= to))
			continue;
		for (let entry = cells.start[cell]; entry < cells.start[cell + 1]; entry++)
			use(entry, cell);
	}
}

function addUp(report: Report, self: Float64Array): Float64Array {
	const total = self.slice();

	for (let node = total.length - 1; node > 0; node--)
		total[report.parent[node]] += total[node];
	return total;
}

function ofChains(report: Report, values: Float64Array): Float64Array {
	const self = new Float64Array(report.parent.length);

	for (let i = 0; i < values.length; i++)
		self[report.leaf[i]] += values[i];
	return self;
}

export function weigh(report: Report, selection: Selection): Weights {
	const sums = report.events[selection.event];
	const whole = isWhole(selection) || !report.cells;
	let { samples, weight } = sums;

	if (!whole) {
		const cells = report.cells![selection.event];
		samples = new Float64Array(report.leaf.length);
		weight = new Float64Array(report.leaf.length);
		eachSelected(cells, selection, entry => {
			samples[cells.chain[entry]] += cells.samples[entry];
			weight[cells.chain[entry]] += cells.weight[entry];
		});
	}
	const self = ofChains(report, weight);
	const selfSamples = ofChains(report, samples);
	const baseSelf = sums.base && ofChains(report, sums.base);
	return {
		self, selfSamples, baseSelf,
		total: addUp(report, self),
		samples: addUp(report, selfSamples),
		base: baseSelf && addUp(report, baseSelf),
		exact: whole || eventAt(report, selection.event).exact,
	};
}

/** Sums per frame; a function that calls itself counts once. */
export interface FrameSums {
	self: Float64Array;
	total: Float64Array;
	samples: Float64Array;
	base: Float64Array | null;
}

export function sumFrames(report: Report, weights: Weights): FrameSums {
	const nr = report.name.length;
	const sums: FrameSums = {
		self: new Float64Array(nr), total: new Float64Array(nr), samples: new Float64Array(nr),
		base: weights.base && new Float64Array(nr),
	};
	/* Where the outermost node of the frame ends: nodes before it are calls of itself. */
	const inside = new Int32Array(nr);

	for (let node = 1; node < report.frame.length; node++) {
		const frame = report.frame[node];

		sums.self[frame] += weights.self[node];
		if (node < inside[frame])
			continue;
		inside[frame] = report.end[node];
		sums.total[frame] += weights.total[node];
		sums.samples[frame] += weights.samples[node];
		if (sums.base)
			sums.base[frame] += weights.base![node];
	}
	return sums;
}

/** Weight of all chains that have one of these frames. */
export function matchedWeight(report: Report, weights: Weights, matches: Uint8Array): number {
	let sum = 0;

	for (let node = 1; node < report.frame.length;) {
		if (matches[report.frame[node]]) {
			sum += weights.total[node];
			node = report.end[node];
		} else {
			node++;
		}
	}
	return sum;
}
