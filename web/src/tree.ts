/* SPDX-License-Identifier: MIT */
/*
 * Trees to draw. Boxes are made when somebody looks at them: of a million nodes, some thousand are
 * wide enough to be seen.
 */
import type { Report } from "./model";
import type { Weights } from "./weights";

/** A box: nodes of the tree of call chains that are shown as one. */
export interface Box {
	frame: number;
	parent: Box | null;
	depth: number;
	/** of all chains through it; of those that end in it; their number; of the other recording */
	total: number;
	self: number;
	samples: number;
	base: number;
	/** samples, of all events and times, with the frame from an earlier one */
	joined: number;
	/** nodes; and where the weight of each is, which is the node itself downwards */
	nodes: number[];
	from: number[];
	children: Box[] | null;
}

export type Direction = "callees" | "callers";
export type Order = "weight" | "name";

export class Tree {
	readonly root: Box;
	/** Whether widths are those of the other recording. */
	readonly byBase: boolean;
	private readonly upwards: boolean;
	private readonly weight: Float64Array;
	private readonly samples: Float64Array;
	private readonly base: Float64Array | null;

	/**
	 * @param frame the function the tree begins with; -1: all chains, from their outermost functions
	 * or, of callers, from the innermost
	 */
	constructor(private readonly report: Report, readonly weights: Weights,
		readonly direction: Direction, frame: number, readonly order: Order, byBase = false) {
		const own = direction === "callers" && frame < 0;

		this.upwards = direction === "callers";
		this.byBase = byBase && weights.base !== null;
		this.weight = own ? weights.self : weights.total;
		this.samples = own ? weights.selfSamples : weights.samples;
		this.base = own ? weights.baseSelf : weights.base;
		this.root = this.newBox(frame, null);
		if (frame >= 0)
			for (const node of outermost(report, frame))
				this.add(this.root, node, node);
		else
			this.addAll(own);
	}

	width(box: Box): number {
		return this.byBase ? box.base : box.total;
	}

	/** Children, widest first or by name; those without width are left out. */
	children(box: Box): Box[] {
		if (!box.children) {
			const found = new Map<number, Box>();

			if (this.upwards)
				this.expandUp(box, found);
			else
				this.expandDown(box, found);
			box.children = [...found.values()].filter(child => this.width(child) > 0);
			box.children.sort(this.order === "name" ? this.compareNames : this.compareWidths);
		}
		return box.children;
	}

	/** The box at the end of a path of frames from the root, as far as there is one. */
	find(path: readonly number[]): Box {
		let box = this.root;

		for (const frame of path) {
			const child = this.children(box).find(one => one.frame === frame);
			if (!child)
				break;
			box = child;
		}
		return box;
	}

	private compareWidths = (a: Box, b: Box): number =>
		this.width(b) - this.width(a) || a.frame - b.frame;

	private compareNames = (a: Box, b: Box): number => {
		const names = this.report.name;
		const strings = this.report.strings;
		const [x, y] = [strings[names[a.frame]], strings[names[b.frame]]];

		return x < y ? -1 : x > y ? 1 : a.frame - b.frame;
	};

	private newBox(frame: number, parent: Box | null): Box {
		return { frame, parent, depth: parent ? parent.depth + 1 : 0, total: 0, self: 0, samples: 0,
			base: 0, joined: 0, nodes: [], from: [], children: null };
	}

	private addAll(own: boolean): void {
		if (!own) {
			this.add(this.root, 0, 0);
			return;
		}
		/* Several chains of one end are several nodes: each node is added once. */
		for (let node = 1; node < this.weight.length; node++)
			if (this.weight[node] > 0 || (this.base && this.base[node] > 0))
				this.add(this.root, node, node);
	}

	private add(box: Box, node: number, from: number): void {
		box.total += this.weight[from];
		box.samples += this.samples[from];
		if (this.base)
			box.base += this.base[from];
		if (!this.upwards) {
			box.self += this.weights.self[node];
			box.joined += this.report.joined.get(node) ?? 0;
		}
		box.nodes.push(node);
		box.from.push(from);
	}

	private childOf(box: Box, found: Map<number, Box>, frame: number): Box {
		let child = found.get(frame);

		if (!child) {
			child = this.newBox(frame, box);
			found.set(frame, child);
		}
		return child;
	}

	private expandDown(box: Box, found: Map<number, Box>): void {
		const { frame, end } = this.report;

		for (const node of box.nodes)
			for (let below = node + 1; below < end[node]; below = end[below])
				this.add(this.childOf(box, found, frame[below]), below, below);
	}

	/** The root of all chains stands for their innermost functions; any other for a function. */
	private expandUp(box: Box, found: Map<number, Box>): void {
		const { frame, parent } = this.report;
		const innermost = box.frame < 0;

		for (let i = 0; i < box.nodes.length; i++) {
			const node = innermost ? box.nodes[i] : parent[box.nodes[i]];

			if (node > 0)
				this.add(this.childOf(box, found, frame[node]), node, box.from[i]);
			else
				box.self += this.weight[box.from[i]];
		}
	}
}

/** Nodes of a function that it does not itself contain further out. */
export function outermost(report: Report, frame: number): number[] {
	const nodes: number[] = [];

	for (let node = 1; node < report.frame.length;) {
		if (report.frame[node] === frame) {
			nodes.push(node);
			node = report.end[node];
		} else {
			node++;
		}
	}
	return nodes;
}

/** Frames from the root to the box. */
export function pathOf(box: Box): number[] {
	const path: number[] = [];

	for (let at: Box | null = box; at && at.parent; at = at.parent)
		path.unshift(at.frame);
	return path;
}
