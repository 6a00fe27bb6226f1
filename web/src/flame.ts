/* SPDX-License-Identifier: MIT */
/* A tree of call chains as boxes on a canvas: drawing, the mouse, the keyboard. */
import { changeColor } from "./colors";
import { facts, sentence, type Tooltip } from "./details";
import { announce, element, fitCanvas } from "./dom";
import { findAt, layOut, type Placed, type Rows } from "./layout";
import type { Scene } from "./scene";
import type { Box, Tree } from "./tree";

export const rowHeight = 19;
const font = "12px system-ui, sans-serif";
const narrowestText = 26;

export interface FlameActions {
	/** The user wants this box as wide as the picture. */
	zoom(box: Box): void;
	/** The user wants to see callers and callees of a function. */
	choose(frame: number): void;
	/** The box that keys act on has changed. */
	focus(box: Box | null): void;
}

export class FlameView {
	readonly host: HTMLElement;
	private readonly canvas = element("canvas");
	private readonly space = element("div", { class: "space", "aria-hidden": "true" });
	private rows: Rows = [];
	private tree: Tree | null = null;
	private zoom: Box | null = null;
	private upwards = true;
	private hovered: Placed | null = null;
	private focused: Box | null = null;
	private frameAsked = 0;
	private readonly widths = new Map<string, number>();

	constructor(host: HTMLElement, private readonly scene: Scene, private readonly tooltip: Tooltip,
		private readonly actions: FlameActions) {
		this.host = host;
		host.tabIndex = 0;
		host.setAttribute("role", "application");
		host.setAttribute("aria-roledescription", "flame graph");
		host.append(this.canvas, this.space);
		host.addEventListener("scroll", () => this.drawSoon());
		host.addEventListener("keydown", event => this.key(event));
		host.addEventListener("focus", () => this.drawSoon());
		host.addEventListener("blur", () => this.drawSoon());
		this.canvas.addEventListener("mousemove", event => this.hover(event));
		this.canvas.addEventListener("mouseleave", () => this.unhover());
		this.canvas.addEventListener("click", event => this.click(event));
		new ResizeObserver(() => this.arrange()).observe(host);
	}

	/** Shows a tree; upwards: the root is below, as in a flame graph. */
	show(tree: Tree, zoom: Box, upwards: boolean): void {
		const turned = upwards !== this.upwards || !this.tree;

		this.tree = tree;
		this.zoom = zoom;
		this.upwards = upwards;
		this.hovered = null;
		this.tooltip.hide();
		this.focusOn(zoom, false);
		this.arrange();
		if (turned || zoom.depth > 0)
			this.reveal(zoom.depth);
	}

	/** Draws before the next frame of the screen, once. */
	drawSoon(): void {
		this.frameAsked ||= requestAnimationFrame(() => {
			this.frameAsked = 0;
			this.draw();
		});
	}

	draw(): void {
		const { clientWidth: width, clientHeight: height } = this.host;

		if (!this.tree || !width || !height)
			return;
		const context = fitCanvas(this.canvas, width, height);
		const top = this.host.scrollTop;
		context.fillStyle = this.scene.theme.panel;
		context.fillRect(0, 0, width, height);
		context.font = font;
		context.textBaseline = "middle";
		for (let depth = 0; depth < this.rows.length; depth++) {
			const y = this.rowTop(depth) - top;
			if (y > -rowHeight && y < height)
				for (const placed of this.rows[depth])
					this.drawBox(context, placed, y);
		}
		this.outline(context, this.hovered, this.scene.theme.text, top);
		if (document.activeElement === this.host)
			this.outline(context, this.placedOf(this.focused), this.scene.theme.focus, top);
	}

	private get height(): number {
		return Math.max(this.rows.length * rowHeight, this.host.clientHeight);
	}

	private rowTop(depth: number): number {
		return this.upwards ? this.height - (depth + 1) * rowHeight : depth * rowHeight;
	}

	/** Places all boxes anew: of another tree, zoom, or width. */
	private arrange(): void {
		if (!this.tree || !this.zoom || !this.host.clientWidth)
			return;
		this.rows = layOut(this.tree, this.zoom, this.host.clientWidth);
		this.space.style.height = `${this.height - this.host.clientHeight}px`;
		this.draw();
	}

	private drawBox(context: CanvasRenderingContext2D, placed: Placed, y: number): void {
		const { scene } = this;
		const { box } = placed;
		const found = scene.matches && box && box.frame >= 0 && scene.matches[box.frame] === 1;
		const faded = scene.matches ? !found : box !== null && box.depth < this.zoom!.depth;
		const width = Math.max(placed.width - (placed.width > 3 ? 1 : 0.25), 0.5);

		context.globalAlpha = faded ? 0.4 : 1;
		context.fillStyle = found ? scene.theme.match : this.color(box);
		context.fillRect(placed.x, y, width, rowHeight - 1);
		if (box?.joined && placed.width > 4) {
			context.fillStyle = scene.theme.muted;
			for (let x = placed.x + 1; x < placed.x + width - 3; x += 7)
				context.fillRect(x, y + rowHeight - 3, 4, 1);
		}
		if (box && placed.width >= narrowestText) {
			context.globalAlpha = faded ? 0.75 : 1;
			context.fillStyle = found ? "#000" : scene.theme.text;
			this.write(context, scene.name(box.frame), placed.x, width, y + rowHeight / 2);
		}
		context.globalAlpha = 1;
	}

	private color(box: Box | null): string {
		const { scene } = this;

		if (!box || box.frame < 0)
			return scene.theme.line;
		if (scene.state.coloring === "change" && scene.weights.base)
			return changeColor(box.total / scene.total || 0, box.base / scene.baseTotal || 0, scene.theme);
		return scene.colors[box.frame];
	}

	/** As much of the text as there is space for. */
	private write(context: CanvasRenderingContext2D, text: string, x: number, width: number, y: number): void {
		const space = width - 7;
		let shown = text;
		let length = this.widths.get(text);

		if (length === undefined) {
			length = context.measureText(text).width;
			this.widths.set(text, length);
		}
		if (length > space) {
			const nr = Math.floor((text.length * space) / length) - 1;
			if (nr < 2)
				return;
			shown = `${text.slice(0, nr)}…`;
		}
		context.fillText(shown, x + 4, y, space + 3);
	}

	private outline(context: CanvasRenderingContext2D, placed: Placed | null, color: string, top: number): void {
		if (!placed?.box)
			return;
		context.strokeStyle = color;
		context.lineWidth = 2;
		context.strokeRect(placed.x + 1, this.rowTop(placed.box.depth) - top + 0.5,
			Math.max(placed.width - 3, 1), rowHeight - 2);
	}

	private placedOf(box: Box | null): Placed | null {
		return (box && this.rows[box.depth]?.find(placed => placed.box === box)) || null;
	}

	private at(event: MouseEvent): Placed | null {
		const area = this.canvas.getBoundingClientRect();
		const y = event.clientY - area.top + this.host.scrollTop;
		const depth = Math.floor((this.upwards ? this.height - y : y) / rowHeight);

		return findAt(this.rows[depth], event.clientX - area.left);
	}

	private hover(event: MouseEvent): void {
		const placed = this.at(event);

		if (placed !== this.hovered) {
			this.hovered = placed;
			this.drawSoon();
		}
		this.canvas.style.cursor = placed?.box ? "pointer" : "default";
		if (!placed)
			this.tooltip.hide();
		else if (placed.box)
			this.tooltip.show(event.clientX, event.clientY, this.scene.name(placed.box.frame),
				this.where(placed.box), facts(this.scene, this.tree!, placed.box));
		else
			this.tooltip.show(event.clientX, event.clientY, "Several functions",
				"each too narrow to be drawn: zoom into the one they are called from", []);
	}

	private where(box: Box): string {
		return [this.scene.module(box.frame), this.scene.kind(box.frame)].filter(Boolean).join(" · ");
	}

	private unhover(): void {
		this.hovered = null;
		this.tooltip.hide();
		this.drawSoon();
	}

	private click(event: MouseEvent): void {
		const box = this.at(event)?.box;

		if (!box)
			return;
		this.tooltip.hide();
		if (event.shiftKey && box.frame >= 0)
			this.actions.choose(box.frame);
		else
			this.actions.zoom(box);
	}

	private focusOn(box: Box | null, aloud: boolean): void {
		this.focused = box;
		this.actions.focus(box);
		if (box && aloud) {
			this.reveal(box.depth);
			announce(sentence(this.scene, this.tree!, box));
		}
		this.drawSoon();
	}

	/** Scrolls so that the row can be seen. */
	private reveal(depth: number): void {
		const { host } = this;
		const y = this.rowTop(depth);

		if (y < host.scrollTop)
			host.scrollTop = y;
		else if (y + rowHeight > host.scrollTop + host.clientHeight)
			host.scrollTop = y + rowHeight - host.clientHeight;
	}

	/** The box beside the focused one in its row. */
	private beside(step: number): Box | null {
		const row = this.focused ? this.rows[this.focused.depth] : undefined;
		const at = row ? row.findIndex(placed => placed.box === this.focused) : -1;

		for (let i = at + step; row && at >= 0 && row[i]; i += step)
			if (row[i].box)
				return row[i].box;
		return null;
	}

	/** The first box below, or above, the focused one. */
	private inside(): Box | null {
		const row = this.focused ? this.rows[this.focused.depth + 1] : undefined;

		return row?.find(placed => placed.parent?.box === this.focused && placed.box)?.box ?? null;
	}

	private key(event: KeyboardEvent): void {
		const box = this.focused;
		const [away, back] = this.upwards ? ["ArrowUp", "ArrowDown"] : ["ArrowDown", "ArrowUp"];
		const moves: Record<string, () => Box | null> = {
			[away]: () => this.inside(),
			[back]: () => box?.parent ?? null,
			ArrowLeft: () => this.beside(-1),
			ArrowRight: () => this.beside(1),
			Home: () => this.tree?.root ?? null,
		};
		const acts: Record<string, () => void> = {
			Enter: () => box && this.actions.zoom(box),
			Escape: () => this.tree && this.actions.zoom(this.tree.root),
			s: () => box && box.frame >= 0 && this.actions.choose(box.frame),
		};

		if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in moves || event.key in acts))
			return;
		event.preventDefault();
		event.stopPropagation();
		if (event.key in acts) {
			acts[event.key]();
			return;
		}
		const next = moves[event.key]();
		if (next)
			this.focusOn(next, true);
	}
}
