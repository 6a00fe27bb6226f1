/* SPDX-License-Identifier: MIT */
/* What is around the views: tabs, events, search, history, theme, keys, and what is selected. */
import { button, byId, element } from "./dom";
import { counted, instant, percent, quantity } from "./format";
import { hasCode } from "./listing";
import { wallTime } from "./model";
import type { Scene } from "./scene";
import { views, type State, type View } from "./state";

const labels: Record<View, string> = { summary: "Summary", flame: "Flame graph", sandwich: "Callers and callees",
	top: "Functions", timeline: "Timeline", code: "Code" };

const keys: [string, string][] = [
	["1 … 6", "the views, from left to right"],
	["/", "search; a capital letter makes letters count; .* is for regular expressions"],
	["Arrow keys", "in a graph: caller, callee, neighbours"],
	["Enter, a click", "zoom to the box; a box below it zooms out"],
	["s, Shift and a click", "callers and callees of the function"],
	["Escape", "zoom out to all, end the search"],
	["Alt + Left, Alt + Right", "back and forward"],
	["i", "upside down: flame graph or icicle graph"],
	["t", "light or dark"],
	["x", "clear the selection of threads and time"],
	["n, p", "in code: the next and the previous row with samples"],
];

interface Choice {
	key: "coloring" | "layout" | "direction" | "order" | "byBase";
	label: string;
	values: [string | boolean, string][];
	views: View[];
	when?(scene: Scene): boolean;
}

/** Not every recording has code. */
const isThere = (view: View): boolean => view !== "code" || hasCode();

const hasBase = (scene: Scene): boolean => scene.weights.base !== null;

/** How the same is shown: a group of buttons each. */
const choices: Choice[] = [
	{ key: "layout", label: "Shape", views: ["flame"], values: [["flame", "Flame"], ["icicle", "Icicle"]] },
	{ key: "direction", label: "Begin with", views: ["flame"], values: [["callees", "Callers first"], ["callers", "Callees first"]] },
	{ key: "order", label: "Order", views: ["flame", "sandwich"], values: [["weight", "Width"], ["name", "Name"]] },
	{ key: "byBase", label: "Widths", views: ["flame", "sandwich"], values: [[false, "Now"], [true, "Before"]], when: hasBase },
	{ key: "coloring", label: "Colour", views: ["flame", "sandwich", "top"], values: [["kind", "Kind"], ["module", "File"], ["change", "Change"]] },
];

export class Controls {
	constructor(private readonly scene: Scene, private readonly redraw: () => void) {
		this.makeTabs();
		this.makeEvents();
		this.makeSearch();
		this.makeKeys();
		byId("back").addEventListener("click", () => history.back());
		byId("forward").addEventListener("click", () => history.forward());
		byId("theme").addEventListener("click", () => this.turnTheme());
		byId("help").addEventListener("click", () => byId<HTMLDialogElement>("keys").showModal());
		const dark = matchMedia("(prefers-color-scheme: dark)");
		dark.addEventListener("change", () => this.setTheme(dark.matches));
		this.setTheme(dark.matches);
		document.addEventListener("keydown", event => this.key(event));
	}

	show(): void {
		const { scene } = this;
		const { state, store } = scene;

		for (const view of views) {
			const tab = byId(`tab-${view}`);
			tab.setAttribute("aria-selected", String(view === state.view));
			tab.tabIndex = view === state.view ? 0 : -1;
			tab.hidden = !isThere(view);
			if (view === state.view)
				byId("tabs").scrollLeft = tab.offsetLeft + tab.offsetWidth - byId("tabs").clientWidth;
		}
		byId<HTMLSelectElement>("event").value = String(state.event);
		byId<HTMLButtonElement>("back").disabled = !store.canGoBack;
		byId<HTMLButtonElement>("forward").disabled = !store.canGoForward;
		const total = `${scene.weights.exact ? "" : "about "}${quantity(scene.total, scene.event.unit)}` +
			`${scene.event.unit === "events" ? ` ${scene.event.name}` : ""}, ${counted(scene.weights.samples[0], "sample")}`;
		byId("total").textContent = byId("total").title = total;
		this.showSearch();
		this.showQuality();
		this.showOptions();
		this.showSelection();
	}

	private makeTabs(): void {
		const tabs = views.map(view => button(labels[view], { role: "tab", id: `tab-${view}`,
			"aria-controls": `view-${view}` }, () => this.scene.store.go({ view })));

		byId("tabs").append(...tabs);
		byId("tabs").addEventListener("keydown", event => {
			const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
			if (!step)
				return;
			const shown = views.filter(isThere);
			const at = (shown.indexOf(this.scene.state.view) + step + shown.length) % shown.length;
			this.scene.store.go({ view: shown[at] });
			tabs[views.indexOf(shown[at])].focus();
		});
	}

	private makeEvents(): void {
		const { head: { events }, wall } = this.scene.report;
		const select = byId<HTMLSelectElement>("event");

		select.append(...events.map((event, i) => element("option", { value: i }, event.name)));
		if (wall)
			select.prepend(element("option", { value: events.length }, wallTime));
		select.addEventListener("change", () => this.scene.store.go({ event: Number(select.value) }));
		byId("event-label").hidden = events.length < 2;
	}

	private makeSearch(): void {
		const input = byId<HTMLInputElement>("search");
		let waiting = 0;

		input.addEventListener("input", () => {
			clearTimeout(waiting);
			waiting = window.setTimeout(() => this.search({ text: input.value }), 60);
		});
		byId("regex").addEventListener("click", () => this.search({ regex: !this.scene.state.search.regex }));
	}

	private search(change: Partial<State["search"]>): void {
		this.scene.store.set({ search: { ...this.scene.state.search, ...change } });
	}

	private showSearch(): void {
		const { scene } = this;
		const { search } = scene.state;
		const input = byId<HTMLInputElement>("search");

		if (document.activeElement !== input || !search.text)
			input.value = search.text;
		input.setAttribute("aria-invalid", String(scene.searchError !== ""));
		input.title = scene.searchError;
		byId("regex").setAttribute("aria-pressed", String(search.regex));
		byId("matched").textContent = scene.searchError ? "no expression" :
			scene.matches ? percent(scene.matched, scene.total) : "";
	}

	private showQuality(): void {
		const { line, items } = this.scene.report.head.quality;
		const worst = items.find(item => item.level === "bad") ?? items.find(item => item.level === "note");
		const place = byId("quality");

		place.hidden = !line;
		place.replaceChildren(element("span", { class: `level ${worst?.level ?? "good"}` }, "Quality: "), line, " ");
		if (items.some(item => item.remedy))
			place.append(button("What to do", { class: "link" }, () => this.scene.store.go({ view: "summary" })));
	}

	private showOptions(): void {
		const { scene } = this;
		const shown = choices.filter(choice => choice.views.includes(scene.state.view) && (choice.when?.(scene) ?? true));
		const focused = document.activeElement?.getAttribute("data-choice");

		byId("options").replaceChildren(...shown.map(choice => this.choice(choice)));
		if (focused)
			byId("options").querySelector<HTMLElement>(`[data-choice="${focused}"]`)?.focus();
	}

	private choice(choice: Choice): HTMLElement {
		const { scene } = this;
		const values = choice.values.filter(([value]) => value !== "change" || hasBase(scene));
		const buttons = values.map(([value, label]) => button(label,
			{ "aria-pressed": String(scene.state[choice.key] === value), "data-choice": `${choice.key}-${value}` },
			() => this.choose(choice.key, value)));

		return element("span", { class: "choice", role: "group", "aria-label": choice.label }, ...buttons);
	}

	private choose(key: Choice["key"], value: string | boolean): void {
		/* Another tree has other boxes to zoom to: that is a step of the history. */
		if (key === "direction")
			this.scene.store.go({ direction: value as State["direction"], zoom: [] });
		else
			this.scene.store.set({ [key]: value });
	}

	private showSelection(): void {
		const { state, report, store } = this.scene;
		const { threads, from, to } = state;
		const place = byId("selection");
		const time = report.head.time;
		const parts: string[] = [];

		if (threads)
			parts.push(threads.length > 3 ? counted(threads.length, "thread") :
				threads.map(thread => `${report.head.threads[thread][2]} ${report.head.threads[thread][1]}`).join(", "));
		if (time && (from !== null || to !== null))
			parts.push(`${instant((from ?? 0) * time.bucket, time.bucket)} to ` +
				instant((to ?? time.buckets) * time.bucket, time.bucket));
		place.hidden = !parts.length;
		place.replaceChildren(`Selected: ${parts.join("; ")}`, button("Clear", { id: "clear" },
			() => store.go({ threads: null, from: null, to: null })));
	}

	private makeKeys(): void {
		const rows = keys.flatMap(([key, what]) => [element("dt", {}, element("kbd", {}, key)), element("dd", {}, what)]);
		const dialog = byId<HTMLDialogElement>("keys");

		dialog.append(element("h2", { id: "keys-title" }, "Keys"), element("dl", {}, ...rows),
			element("p", {}, button("Close", {}, () => dialog.close())));
	}

	private turnTheme(): void {
		this.setTheme(!this.scene.theme.dark);
	}

	private setTheme(dark: boolean): void {
		document.documentElement.dataset.theme = dark ? "dark" : "light";
		this.scene.recolor();
		this.redraw();
	}

	private key(event: KeyboardEvent): void {
		const writing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
		const { store, state } = this.scene;
		const acts: Record<string, () => void> = {
			"/": () => byId("search").focus(),
			"?": () => byId<HTMLDialogElement>("keys").showModal(),
			i: () => store.set({ layout: state.layout === "flame" ? "icicle" : "flame" }),
			t: () => this.turnTheme(),
			x: () => store.go({ threads: null, from: null, to: null }),
		};

		if (event.ctrlKey || event.metaKey || event.altKey)
			return;
		if (event.key === "Escape" && state.search.text) {
			this.search({ text: "" });
			byId<HTMLInputElement>("search").value = "";
		}
		if (writing)
			return;
		const view = views.filter(isThere)[Number(event.key) - 1];
		if (view || acts[event.key]) {
			event.preventDefault();
			if (view)
				store.go({ view });
			else
				acts[event.key]();
		}
	}
}
