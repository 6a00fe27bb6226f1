/* SPDX-License-Identifier: MIT */
/* What is known of a box, in words: for the tooltip, the line below the picture, and the voice. */
import { element } from "./dom";
import { counted, percent, points, quantity } from "./format";
import type { Scene } from "./scene";
import type { Box, Tree } from "./tree";

/** Facts of a box: what, and how much. */
export function facts(scene: Scene, tree: Tree, box: Box): [string, string][] {
	const { unit } = scene.event;
	const about = scene.weights.exact ? "" : "about ";
	const amount = (value: number): string =>
		`${about}${quantity(value, unit)} (${percent(value, scene.total)})`;
	const rows: [string, string][] = [["Total", amount(box.total)]];

	if (tree.direction === "callees")
		rows.push(["Self", amount(box.self)]);
	rows.push(["Samples", counted(box.samples, "sample")]);
	if (box.parent)
		rows.push(["Of its parent", percent(box.total, box.parent.total)]);
	if (scene.weights.base) {
		const [now, before] = [box.total / scene.total, box.base / scene.baseTotal];
		rows.push(["Before", `${quantity(box.base, unit)} (${percent(box.base, scene.baseTotal)})`]);
		rows.push(["Change", `${points(now || 0, before || 0)} percentage points`]);
	}
	if (box.joined)
		rows.push(["Joined", `${counted(box.joined, "sample")} of the recording with this frame ` +
			"from an earlier sample"]);
	return rows;
}

/** "main, a.out, user: 12.3 %, …" */
export function sentence(scene: Scene, tree: Tree, box: Box): string {
	const where = [scene.name(box.frame), scene.module(box.frame), scene.kind(box.frame)];

	return `${where.filter(Boolean).join(", ")}: ` +
		facts(scene, tree, box).map(([what, value]) => `${what.toLowerCase()} ${value}`).join(", ");
}

/** The box that follows the mouse. */
export class Tooltip {
	private readonly box = element("div", { class: "tooltip", role: "tooltip", hidden: true });

	constructor() {
		document.body.append(this.box);
	}

	show(x: number, y: number, title: string, where: string, rows: [string, string][]): void {
		this.box.replaceChildren(element("strong", {}, title), element("div", { class: "where" }, where));
		if (rows.length)
			this.box.append(element("dl", {}, ...rows.flatMap(([what, value]) =>
				[element("dt", {}, what), element("dd", {}, value)])));
		this.box.hidden = false;
		this.place(x, y);
	}

	hide(): void {
		this.box.hidden = true;
	}

	/** Beside the mouse, inside of the window. */
	private place(x: number, y: number): void {
		const { offsetWidth: width, offsetHeight: height } = this.box;
		const left = x + 14 + width > innerWidth ? x - 14 - width : x + 14;
		const top = y + 16 + height > innerHeight ? y - 12 - height : y + 16;

		this.box.style.left = `${Math.max(4, left)}px`;
		this.box.style.top = `${Math.max(4, top)}px`;
	}
}
