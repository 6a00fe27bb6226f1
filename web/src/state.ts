/* SPDX-License-Identifier: MIT */
/*
 * What is shown, in one object. Going somewhere (a view, an event, a box, a selection) is a step of
 * the browser's history; how it is drawn is not.
 */
import type { Coloring } from "./colors";
import type { Search } from "./search";
import type { Direction, Order } from "./tree";

export const views = ["summary", "flame", "sandwich", "top", "timeline", "code"] as const;
export type View = (typeof views)[number];

/** What a step of the history leads back to. */
export interface Place {
	view: View;
	event: number;
	direction: Direction;
	/** frames from the root to the box that is as wide as the picture */
	zoom: number[];
	/** the function whose callers and callees are shown; -1: none */
	frame: number;
	threads: number[] | null;
	from: number | null;
	to: number | null;
}

export interface State extends Place {
	search: Search;
	coloring: Coloring;
	layout: "flame" | "icicle";
	order: Order;
	byBase: boolean;
}

type Listener = (changed: ReadonlySet<keyof State>) => void;

export const firstPlace: Place = { view: "flame", event: 0, direction: "callees", zoom: [], frame: -1,
	threads: null, from: null, to: null };

function placeOf(state: State): Place {
	const { view, event, direction, zoom, frame, threads, from, to } = state;

	return { view, event, direction, zoom, frame, threads, from, to };
}

function same(a: unknown, b: unknown): boolean {
	return a === b || JSON.stringify(a) === JSON.stringify(b);
}

export class Store {
	readonly state: State;
	/** of the page's own steps: where we are, and how many there are */
	private at = 0;
	private last = 0;
	private readonly listeners: Listener[] = [];

	constructor(first: Partial<State>) {
		this.state = { ...firstPlace, search: { text: "", regex: false }, coloring: "kind",
			layout: "flame", order: "weight", byBase: false, ...first };
		history.replaceState({ at: 0, place: placeOf(this.state) }, "");
		window.addEventListener("popstate", event => this.restore(event.state));
	}

	get canGoBack(): boolean {
		return this.at > 0;
	}

	get canGoForward(): boolean {
		return this.at < this.last;
	}

	listen(listener: Listener): void {
		this.listeners.push(listener);
	}

	/** Changes how the same is shown. */
	set(change: Partial<State>): void {
		const changed = this.apply(change);

		history.replaceState({ at: this.at, place: placeOf(this.state) }, "");
		this.tell(changed);
	}

	/** Goes somewhere else: one step of the history. */
	go(change: Partial<State>): void {
		const changed = this.apply(change);

		if (!changed.size)
			return;
		this.last = ++this.at;
		history.pushState({ at: this.at, place: placeOf(this.state) }, "");
		this.tell(changed);
	}

	private restore(step: { at: number; place: Place } | null): void {
		if (!step)
			return;
		this.at = step.at;
		this.last = Math.max(this.last, step.at);
		this.tell(this.apply(step.place));
	}

	private apply(change: Partial<State>): Set<keyof State> {
		const changed = new Set<keyof State>();

		for (const key of Object.keys(change) as (keyof State)[])
			if (!same(this.state[key], change[key])) {
				(this.state as unknown as Record<string, unknown>)[key] = change[key];
				changed.add(key);
			}
		return changed;
	}

	private tell(changed: ReadonlySet<keyof State>): void {
		for (const listener of this.listeners)
			listener(changed);
	}
}
