/* SPDX-License-Identifier: MIT */
/* What all views draw from: the recording, the sums of what is selected, colours, what was found. */
import { frameColors, readTheme, type Theme } from "./colors";
import { eventAt, kinds, type HeadEvent, type Report } from "./model";
import { findFrames, matcher } from "./search";
import type { State, Store } from "./state";
import { matchedWeight, sumFrames, weigh, type FrameSums, type Weights } from "./weights";

export class Scene {
	readonly report: Report;
	readonly store: Store;
	theme: Theme = readTheme();
	weights: Weights;
	colors: string[];
	/** per frame 1 if the search finds it; null: nothing is searched for */
	matches: Uint8Array | null = null;
	/** weight of the chains that the search finds; what is wrong with the expression */
	matched = 0;
	searchError = "";
	private sums: FrameSums | null = null;

	constructor(report: Report, store: Store) {
		this.report = report;
		this.store = store;
		this.weights = weigh(report, this.selection());
		this.colors = frameColors(report, store.state.coloring, this.theme);
	}

	get state(): State {
		return this.store.state;
	}

	get event(): HeadEvent {
		return eventAt(this.report, this.state.event);
	}

	/** Numbers of the recorded events that are shown. */
	get events(): readonly number[] {
		return this.report.head.events[this.state.event] ? [this.state.event] : this.report.wall ?? [];
	}

	/** Of all that is selected. */
	get total(): number {
		return this.weights.total[0];
	}

	get baseTotal(): number {
		return this.weights.base ? this.weights.base[0] : 0;
	}

	get frameSums(): FrameSums {
		this.sums ??= sumFrames(this.report, this.weights);
		return this.sums;
	}

	selection(): { event: number; threads: Set<number> | null; from: number | null; to: number | null } {
		const { event, threads, from, to } = this.state;

		return { event, threads: threads && new Set(threads), from, to };
	}

	name(frame: number): string {
		return frame < 0 ? "all" : this.report.strings[this.report.name[frame]] || "[unknown]";
	}

	module(frame: number): string {
		return frame < 0 ? "" : this.report.strings[this.report.module[frame]];
	}

	kind(frame: number): string {
		return frame < 0 ? "" : kinds[this.report.kind[frame]] ?? "unknown";
	}

	/** Computes anew what depends on what has changed. */
	refresh(changed: ReadonlySet<keyof State>): void {
		const has = (...keys: (keyof State)[]): boolean => keys.some(key => changed.has(key));

		if (has("event", "threads", "from", "to")) {
			this.weights = weigh(this.report, this.selection());
			this.sums = null;
		}
		if (has("search"))
			this.search();
		if (has("search", "event", "threads", "from", "to"))
			this.matched = this.matches ? matchedWeight(this.report, this.weights, this.matches) : 0;
		if (has("coloring"))
			this.recolor();
	}

	recolor(): void {
		this.theme = readTheme();
		this.colors = frameColors(this.report, this.state.coloring, this.theme);
	}

	private search(): void {
		const { search } = this.state;
		const matches = search.text ? matcher(search) : null;

		this.searchError = matches instanceof Error ? matches.message : "";
		this.matches = typeof matches === "function" ? findFrames(this.report, matches) : null;
	}
}
