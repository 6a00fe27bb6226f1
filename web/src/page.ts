/* SPDX-License-Identifier: MIT */
/* The views, of which one is shown at a time. */
import { kindLegend } from "./colors";
import { Controls } from "./controls";
import { facts, Tooltip } from "./details";
import { button, byId, element } from "./dom";
import { FlameView } from "./flame";
import { Listing } from "./listing";
import { kinds } from "./model";
import { Sandwich } from "./sandwich";
import type { Scene } from "./scene";
import { views, type State, type View } from "./state";
import { Summary } from "./summary";
import { Timeline } from "./timeline";
import { TopTable } from "./top";
import { pathOf, Tree, type Box } from "./tree";

export class Page {
	private readonly tooltip = new Tooltip();
	private readonly details = element("div", { class: "details" });
	private readonly flame: FlameView;
	private readonly controls: Controls;
	private readonly shows: Record<View, () => void>;
	private readonly draws: (() => void)[];
	private tree: Tree | null = null;

	constructor(private readonly scene: Scene) {
		const graph = element("div", { class: "graph", id: "graph", "aria-label":
			"Call chains by weight. Arrow keys move from box to box, Enter zooms." });
		byId("view-flame").append(graph, this.details);
		this.flame = new FlameView(graph, scene, this.tooltip, {
			zoom: box => this.scene.store.go({ zoom: pathOf(box) }),
			choose: frame => this.scene.store.go({ view: "sandwich", frame }),
			focus: box => this.describe(box),
		});
		const sandwich = new Sandwich(byId("view-sandwich"), scene, this.tooltip);
		const top = new TopTable(byId("view-top"), scene, frame => scene.store.go({ view: "sandwich", frame }));
		const summary = new Summary(byId("view-summary"), scene);
		const listing = new Listing(byId("view-code"), scene);
		const timeline = new Timeline(byId("view-timeline"), scene, this.tooltip);
		this.shows = { summary: () => summary.show(), flame: () => this.showFlame(), sandwich: () => sandwich.show(),
			top: () => top.show(), timeline: () => timeline.show(), code: () => listing.show() };
		this.draws = [() => this.flame.drawSoon(), () => sandwich.draw()];
		this.controls = new Controls(scene, () => this.redraw());
		byId("title").textContent = scene.report.head.title;
		byId("title").title = scene.report.head.title;
		byId("message").hidden = true;
		scene.store.listen(changed => this.update(changed));
		this.update(new Set<keyof State>(["view"]));
		addEventListener("beforeprint", () => this.showView("summary", true));
		addEventListener("afterprint", () => this.showView("summary", false));
	}

	/** Samples by time are there now. */
	samplesRead(): void {
		if (this.scene.state.view === "timeline" || this.scene.state.view === "summary")
			this.shows[this.scene.state.view]();
	}

	private update(changed: ReadonlySet<keyof State>): void {
		const { scene } = this;
		const onlyColors = [...changed].every(key => key === "search" || key === "coloring");

		scene.refresh(changed);
		for (const view of views)
			byId(`view-${view}`).hidden = view !== scene.state.view;
		byId(`view-${scene.state.view}`).classList.add("printed");
		this.tooltip.hide();
		this.controls?.show();
		if (onlyColors && scene.state.view !== "top")
			this.draws.forEach(draw => draw());
		else
			this.shows[scene.state.view]();
		if (changed.has("coloring"))
			this.describe(null);
	}

	private redraw(): void {
		this.draws.forEach(draw => draw());
		if (this.tree)
			this.shows[this.scene.state.view]();
	}

	/** The summary is part of what is printed, whatever else is. */
	private showView(view: View, printing: boolean): void {
		if (printing)
			this.shows[view]();
		byId(`view-${view}`).classList.toggle("printed", printing || this.scene.state.view === view);
	}

	private showFlame(): void {
		const { scene } = this;
		const { direction, order, byBase, layout, zoom } = scene.state;
		const { weights } = scene;

		if (!this.tree || this.tree.weights !== weights || this.tree.direction !== direction ||
			this.tree.order !== order || this.tree.byBase !== (byBase && weights.base !== null))
			this.tree = new Tree(scene.report, weights, direction, -1, order, byBase);
		this.flame.show(this.tree, this.tree.find(zoom), layout === "flame");
	}

	/** The line below the graph: the box that keys act on, else what colours mean. */
	private describe(box: Box | null): void {
		const { scene } = this;

		if (!box || box.frame < 0 || !this.tree) {
			this.details.replaceChildren(this.legend(), element("span", { class: "push" }),
				element("span", { class: "muted" }, "Click: zoom. Shift and click: callers and callees."));
			return;
		}
		const rows = facts(scene, this.tree, box).slice(0, 4).map(([what, value]) =>
			element("span", {}, element("span", { class: "muted" }, `${what} `), value));
		this.details.replaceChildren(element("b", {}, scene.name(box.frame)), ...rows, element("span", { class: "push" }),
			button("Callers and callees", {}, () => scene.store.go({ view: "sandwich", frame: box.frame })),
			button("All", { title: "Zoom out (Escape)" }, () => scene.store.go({ zoom: [] })));
	}

	private legend(): HTMLElement {
		const { scene } = this;
		const legend = element("span", { class: "legend" });

		if (scene.state.coloring === "change")
			legend.append("red: a larger share than before, blue: a smaller one; Before: also what is gone");
		else if (scene.state.coloring === "module")
			legend.append("a colour per file");
		else
			kindLegend(scene.theme).forEach((color, kind) => {
				if (!scene.report.kind.includes(kind))
					return;
				const swatch = element("i", { "aria-hidden": "true" });
				swatch.style.background = color;
				legend.append(element("span", {}, swatch, kinds[kind]));
			});
		if (scene.report.joined.size)
			legend.append(element("span", {}, element("i", { class: "dashed", "aria-hidden": "true" }), "from an earlier sample"));
		return legend;
	}
}
