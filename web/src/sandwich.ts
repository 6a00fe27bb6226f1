/* SPDX-License-Identifier: MIT */
/* One function between those that call it, above, and those that it calls, below. */
import { button, element } from "./dom";
import { percent, quantity } from "./format";
import { FlameView, type FlameActions } from "./flame";
import { hasCode } from "./listing";
import type { Scene } from "./scene";
import type { Tooltip } from "./details";
import { Tree, type Box } from "./tree";

export class Sandwich {
	private readonly callers: FlameView;
	private readonly callees: FlameView;
	private readonly middle = element("div", { class: "middle", "aria-live": "polite" });

	constructor(host: HTMLElement, private readonly scene: Scene, tooltip: Tooltip) {
		const above = element("div", { class: "graph", "aria-label": "Callers" });
		const below = element("div", { class: "graph", "aria-label": "Callees" });

		host.append(element("div", { class: "split" }, above, this.middle, below));
		this.callers = new FlameView(above, scene, tooltip, this.actions());
		this.callees = new FlameView(below, scene, tooltip, this.actions());
	}

	show(): void {
		const { scene } = this;
		const frame = scene.state.frame >= 0 ? scene.state.frame : hottest(scene);
		const { order, byBase } = scene.state;
		const callers = new Tree(scene.report, scene.weights, "callers", frame, order, byBase);
		const callees = new Tree(scene.report, scene.weights, "callees", frame, order, byBase);

		this.describe(frame);
		this.callers.show(callers, callers.root, true);
		this.callees.show(callees, callees.root, false);
	}

	draw(): void {
		this.callers.drawSoon();
		this.callees.drawSoon();
	}

	/** A click on a box leads to its function. */
	private actions(): FlameActions {
		const choose = (frame: number): void => this.scene.store.go({ frame });

		return { zoom: (box: Box) => box.parent && choose(box.frame), choose, focus: () => undefined };
	}

	private describe(frame: number): void {
		const { scene } = this;
		const { unit } = scene.event;

		if (frame < 0) {
			this.middle.replaceChildren("There is no function in what is selected.");
			return;
		}
		const { self, total } = scene.frameSums;
		const where = [scene.module(frame), scene.kind(frame)].filter(Boolean).join(" · ");
		this.middle.replaceChildren(
			element("span", { class: "muted" }, "▲ callers · callees ▼"),
			element("b", {}, scene.name(frame)), element("span", { class: "muted" }, where),
			element("span", {}, `total ${quantity(total[frame], unit)} (${percent(total[frame], scene.total)})`),
			element("span", {}, `self ${quantity(self[frame], unit)} (${percent(self[frame], scene.total)})`),
			button("Find in the graph", {}, () =>
				scene.store.go({ view: "flame", search: { text: scene.name(frame), regex: false } })),
			...(hasCode() ? [button("Code", {}, () => scene.store.go({ view: "code", frame }))] : []));
	}
}

/** The function with the largest part of its own. */
function hottest(scene: Scene): number {
	const { self } = scene.frameSums;
	let found = -1;

	for (let frame = 0; frame < self.length; frame++)
		if (self[frame] > (found < 0 ? 0 : self[found]))
			found = frame;
	return found;
}
