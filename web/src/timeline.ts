/* SPDX-License-Identifier: MIT */
/* When samples were taken: a strip of the whole recording, a heat map, and a track per thread. */
import { announce, button, element, fitCanvas } from "./dom";
import { instant, percent, quantity } from "./format";
import { Kind, type Cells } from "./model";
import type { Scene } from "./scene";
import type { Tooltip } from "./details";

/** Threads with the most samples have tracks. */
const nrTracks = 300;
const trackHeight = 26;

/** Nanoseconds from one column of the heat map to the next: a second, or less of a recording below 50 s. */
export function spanOf(duration: number): number {
	for (let unit = 1e9; unit > 1e4; unit /= 10)
		for (const span of [unit, unit / 2, unit / 5])
			if (duration / span >= 50)
				return span;
	return 1e4;
}

/** A range of buckets that is dragged over a canvas, or chosen by keys; place: of a bucket. */
function selectable(canvas: HTMLCanvasElement, scene: Scene, bucketAt: (x: number, y: number) => number,
	last: () => number, chosen: (from: number, to: number) => void): void {
	let begin = -1;
	const at = (event: PointerEvent): number => {
		const area = canvas.getBoundingClientRect();
		return Math.max(0, Math.min(last() - 1, bucketAt(event.clientX - area.left, event.clientY - area.top)));
	};
	const range = (a: number, b: number): [number, number] => [Math.min(a, b), Math.max(a, b) + 1];

	canvas.tabIndex = 0;
	canvas.addEventListener("pointerdown", event => {
		begin = at(event);
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener("pointerup", event => {
		if (begin >= 0)
			chosen(...range(begin, at(event)));
		begin = -1;
	});
	canvas.addEventListener("pointercancel", () => { begin = -1; });
	canvas.addEventListener("keydown", event => {
		const { from, to } = scene.state;
		const step = Math.max(1, Math.round(last() / 50)) * (event.key === "ArrowLeft" ? -1 : 1);

		if (event.key !== "ArrowLeft" && event.key !== "ArrowRight")
			return;
		event.preventDefault();
		const [a, b] = [from ?? 0, to ?? (from === null ? Math.abs(step) : last())];
		const moved = Math.max(-a, Math.min(last() - b, from === null ? 0 : step));
		chosen(event.shiftKey ? a : a + moved, Math.max(a + 1, Math.min(last(), b + (event.shiftKey ? step : moved))));
	});
}

export class Timeline {
	private readonly strip = element("canvas", { role: "application", "aria-label":
		"All samples by time. Arrow keys move the selected range, with Shift they change its end." });
	private readonly heat = element("canvas", { role: "application", "aria-label":
		"Heat map of samples. Arrow keys move the selected range, with Shift they change its end." });
	private readonly tracks = element("div", { class: "tracks", role: "group", "aria-label": "Threads" });
	private readonly note = element("p", { class: "remark" });
	private readonly heatNote = element("p", { class: "remark" });
	private readonly drawn = new Map<number, HTMLCanvasElement>();
	private readonly perThread: Float64Array;
	private order: number[] = [];
	private event = -1;
	/** Weights of the heat map's boxes, as drawn. */
	private heatSums: Float64Array = new Float64Array(0);

	constructor(private readonly host: HTMLElement, private readonly scene: Scene, private readonly tooltip: Tooltip) {
		const inner = element("div", { class: "timeline" });

		this.perThread = new Float64Array(scene.report.head.threads.length);
		inner.append(this.note, element("div", { class: "strip" }, this.strip), this.axis(),
			element("h2", {}, "Heat map"), this.heatNote, element("div", { class: "strip" }, this.heat), this.axis(),
			element("h2", {}, "Threads"), this.tracks);
		host.append(inner);
		if (!scene.report.head.time) {
			inner.replaceChildren(element("p", {}, "The recording has no times. They are recorded with " +
				"xperf record --timestamp, and by default."));
			return;
		}
		selectable(this.strip, scene, x => Math.floor((x * this.buckets) / this.strip.clientWidth),
			() => this.buckets, this.select);
		selectable(this.heat, scene, (x, y) => this.heatBucket(x, y), () => this.buckets, this.select);
		this.heat.addEventListener("mousemove", event => this.hoverHeat(event));
		this.heat.addEventListener("mouseleave", () => this.tooltip.hide());
		new ResizeObserver(() => this.draw()).observe(inner);
	}

	show(): void {
		if (!this.scene.report.head.time || this.host.hidden)
			return;
		if (!this.scene.report.cells) {
			this.note.textContent = "Reading samples …";
			return;
		}
		if (this.event !== this.scene.state.event)
			this.listThreads();
		const span = quantity(Math.max(this.bucket, spanOf(this.buckets * this.bucket)), "ns");
		const more = this.scene.theme.dark ? "brighter" : "darker";
		this.heatNote.textContent = `A column is ${span}, from below upwards; the ${more}, the more was going on.`;
		this.mark();
		this.draw();
	}

	private get cells(): Cells {
		return this.scene.report.cells![this.scene.state.event];
	}

	private get bucket(): number {
		return this.scene.report.head.time!.bucket;
	}

	private get buckets(): number {
		return Math.max(1, this.scene.report.head.time!.buckets);
	}

	private select = (from: number, to: number): void => {
		this.scene.store.go({ from, to });
		announce(`Selected ${instant(from * this.bucket, this.bucket)} to ${instant(to * this.bucket, this.bucket)}`);
	};

	/** Weights of cells, and a list of threads, heaviest first. */
	private listThreads(): void {
		const { cells } = this;

		this.event = this.scene.state.event;
		this.perThread.fill(0);
		for (let cell = 0; cell < cells.thread.length; cell++)
			for (let i = cells.start[cell]; i < cells.start[cell + 1]; i++)
				this.perThread[cells.thread[cell]] += cells.weight[i];
		this.order = Array.from(this.perThread.keys()).filter(thread => this.perThread[thread] > 0)
			.sort((a, b) => this.perThread[b] - this.perThread[a] || a - b);
		this.drawn.clear();
		this.tracks.replaceChildren(...this.order.slice(0, nrTracks).map(thread => this.track(thread)), this.axis());
		const more = this.order.length - nrTracks;
		this.note.textContent = "Drag over a picture to select a range of time, click on threads to select " +
			"them; all views show what is selected. Orange: user space, blue: kernel, violet: waiting." +
			(more > 0 ? ` The ${nrTracks} threads with most weight have tracks, ${more} others have not.` : "");
	}

	/** Times below a picture, from its beginning to its end. */
	private axis(): HTMLElement {
		const time = this.scene.report.head.time;
		const marks = time ? [0, 1, 2, 3, 4].map(part =>
			element("span", {}, instant((part * time.buckets * time.bucket) / 4, (time.buckets * time.bucket) / 100))) : [];

		return element("div", { class: "axis", "aria-hidden": "true" }, ...marks);
	}

	private track(thread: number): HTMLElement {
		const [pid, tid, comm, process] = this.scene.report.head.threads[thread];
		const canvas = element("canvas", { "aria-hidden": "true" });
		const label = `${comm} ${tid}${pid === tid ? "" : ` (${process && process !== comm ? `${process} ` : ""}${pid})`}`;
		const share = percent(this.perThread[thread], this.perThread.reduce((a, b) => a + b, 0));

		selectable(canvas, this.scene, x => Math.floor((x * this.buckets) / canvas.clientWidth), () => this.buckets, this.select);
		canvas.tabIndex = -1;
		this.drawn.set(thread, canvas);
		return element("div", { class: "track" },
			button(label, { title: label, "aria-pressed": "false", "data-thread": thread }, () => this.toggle(thread)),
			element("div", {}, canvas), element("span", {}, share));
	}

	private toggle(thread: number): void {
		const threads = new Set(this.scene.state.threads ?? []);

		if (!threads.delete(thread))
			threads.add(thread);
		this.scene.store.go({ threads: threads.size ? [...threads].sort((a, b) => a - b) : null });
	}

	private mark(): void {
		const chosen = new Set(this.scene.state.threads ?? []);

		for (const label of this.tracks.querySelectorAll<HTMLElement>("[data-thread]"))
			label.setAttribute("aria-pressed", String(chosen.has(Number(label.dataset.thread))));
	}

	private draw(): void {
		if (!this.scene.report.cells || this.host.hidden || this.event < 0)
			return;
		this.drawStrip();
		this.drawHeat();
		this.drawTracks();
	}

	/** Weights per column of a picture @width wide: in user space, in the kernel, waiting. */
	private columns(width: number, row: (thread: number) => number, rows: number): Float64Array {
		const { cells, buckets } = this;
		const { report } = this.scene;
		const sums = new Float64Array(rows * width * 3);

		for (let cell = 0; cell < cells.thread.length; cell++) {
			const at = row(cells.thread[cell]);
			if (at < 0)
				continue;
			const column = (at * width + Math.floor((cells.bucket[cell] * width) / buckets)) * 3;
			for (let i = cells.start[cell]; i < cells.start[cell + 1]; i++) {
				const kind = report.kind[report.frame[report.leaf[cells.chain[i]]]];
				sums[column + (kind === Kind.kernel ? 1 : kind === Kind.offCpu ? 2 : 0)] += cells.weight[i];
			}
		}
		return sums;
	}

	private drawColumns(canvas: HTMLCanvasElement, sums: Float64Array, width: number, height: number, largest: number): void {
		const context = fitCanvas(canvas, width, height);
		const { theme } = this.scene;
		const colors = ["hsl(32 85% 55%)", "hsl(210 65% 52%)", "hsl(265 40% 62%)"];

		context.fillStyle = theme.panel;
		context.fillRect(0, 0, width, height);
		for (let x = 0; x < width; x++) {
			let y = height;
			for (let part = 0; part < 3; part++) {
				const size = (sums[x * 3 + part] / largest) * (height - 2);
				if (size <= 0)
					continue;
				context.fillStyle = colors[part];
				context.fillRect(x, y - Math.max(size, 0.5), 1, Math.max(size, 0.5));
				y -= size;
			}
		}
		this.shadeOutside(context, width, height);
	}

	/** What is not selected is pale. */
	private shadeOutside(context: CanvasRenderingContext2D, width: number, height: number): void {
		const { from, to } = this.scene.state;

		if (from === null && to === null)
			return;
		const [a, b] = [(from ?? 0) * width / this.buckets, (to ?? this.buckets) * width / this.buckets];
		context.globalAlpha = 0.7;
		context.fillStyle = this.scene.theme.page;
		context.fillRect(0, 0, a, height);
		context.fillRect(b, 0, width - b, height);
		context.globalAlpha = 1;
		context.strokeStyle = this.scene.theme.accent;
		context.strokeRect(a + 0.5, 0.5, Math.max(1, b - a - 1), height - 1);
	}

	private drawStrip(): void {
		const width = Math.floor(this.strip.parentElement!.clientWidth);
		const { threads } = this.scene.state;
		const chosen = threads && new Set(threads);
		const sums = this.columns(width, thread => (!chosen || chosen.has(thread) ? 0 : -1), 1);

		this.drawColumns(this.strip, sums, width, 60, largestColumn(sums));
	}

	private drawTracks(): void {
		const rows = new Int32Array(this.perThread.length).fill(-1);
		const first = this.drawn.values().next().value;
		const width = Math.floor(first?.parentElement?.clientWidth ?? 0);

		if (!width)
			return;
		this.order.slice(0, nrTracks).forEach((thread, row) => { rows[thread] = row; });
		const sums = this.columns(width, thread => rows[thread], this.drawn.size);
		const largest = largestColumn(sums);
		for (const [thread, canvas] of this.drawn) {
			const begin = rows[thread] * width * 3;
			this.drawColumns(canvas, sums.subarray(begin, begin + width * 3), width, trackHeight, largest);
		}
	}

	/** Of the heat map: columns, rows, and buckets per row. */
	private grid(): { columns: number; rows: number; perRow: number } {
		const span = spanOf(this.buckets * this.bucket);
		const perColumn = Math.max(1, Math.round(span / this.bucket));
		const perRow = Math.max(1, Math.ceil(perColumn / 50));

		return { columns: Math.ceil(this.buckets / perColumn), rows: Math.ceil(perColumn / perRow), perRow };
	}

	private heatBucket(x: number, y: number): number {
		const { columns, rows, perRow } = this.grid();
		const column = Math.floor((x / this.heat.clientWidth) * columns);
		const row = rows - 1 - Math.floor((y / this.heat.clientHeight) * rows);

		return (column * rows + Math.max(0, row)) * perRow;
	}

	private sumHeat(): Float64Array {
		const { columns, rows, perRow } = this.grid();
		const { cells } = this;
		const chosen = this.scene.state.threads && new Set(this.scene.state.threads);
		const sums = new Float64Array(columns * rows);

		for (let cell = 0; cell < cells.thread.length; cell++) {
			if (chosen && !chosen.has(cells.thread[cell]))
				continue;
			const at = Math.floor(cells.bucket[cell] / perRow);
			for (let i = cells.start[cell]; i < cells.start[cell + 1]; i++)
				sums[at] += cells.weight[i];
		}
		return sums;
	}

	private drawHeat(): void {
		const { columns, rows, perRow } = this.grid();
		const width = Math.floor(this.heat.parentElement!.clientWidth);
		const height = Math.max(60, rows * 4);
		const context = fitCanvas(this.heat, width, height);
		const sums = this.heatSums = this.sumHeat();
		const largest = sums.reduce((a, b) => Math.max(a, b), 0) || 1;
		const { theme, state } = this.scene;

		context.fillStyle = theme.panel;
		context.fillRect(0, 0, width, height);
		for (let at = 0; at < sums.length; at++) {
			if (!sums[at])
				continue;
			const selected = at * perRow >= (state.from ?? 0) && at * perRow < (state.to ?? Infinity);
			const strength = Math.sqrt(sums[at] / largest);
			context.globalAlpha = selected ? 1 : 0.25;
			context.fillStyle = theme.dark ? `hsl(${30 + 20 * strength} 90% ${14 + 52 * strength}%)` :
				`hsl(${40 - 35 * strength} 92% ${93 - 50 * strength}%)`;
			context.fillRect((Math.floor(at / rows) * width) / columns, height - (((at % rows) + 1) * height) / rows,
				width / columns - (width / columns > 4 ? 0.5 : 0), height / rows);
		}
		context.globalAlpha = 1;
	}

	private hoverHeat(event: MouseEvent): void {
		const area = this.heat.getBoundingClientRect();
		const from = this.heatBucket(event.clientX - area.left, event.clientY - area.top);
		const { perRow } = this.grid();
		const sum = this.heatSums[from / perRow] ?? 0;

		this.tooltip.show(event.clientX, event.clientY, `${instant(from * this.bucket, this.bucket)}`,
			`for ${quantity(perRow * this.bucket, "ns")}, of all or the selected threads`,
			[["Weight", quantity(sum, this.scene.event.unit)]]);
	}
}

function largestColumn(sums: Float64Array): number {
	let largest = 0;

	for (let i = 0; i < sums.length; i += 3)
		largest = Math.max(largest, sums[i] + sums[i + 1] + sums[i + 2]);
	return largest || 1;
}
