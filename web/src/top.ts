/* SPDX-License-Identifier: MIT */
/* The table of functions: sorted by a click on a column, filtered by text, module and kind. */
import { button, element } from "./dom";
import { counted, grouped, percent, points, quantity } from "./format";
import { kinds } from "./model";
import type { Scene } from "./scene";
import { matcher } from "./search";

type Row = { frame: number; self: number; total: number; samples: number; change: number };

interface Column {
	name: string;
	label: string;
	width: string;
	number: boolean;
	/** Smaller than 0: @a comes first when sorted downwards. */
	compare(scene: Scene, a: Row, b: Row): number;
	text(scene: Scene, row: Row): string;
	/** Shown as a bar beside the number. */
	share?(scene: Scene, row: Row): number;
	when?(scene: Scene): boolean;
}

const byText = (text: (scene: Scene, row: Row) => string) => (scene: Scene, a: Row, b: Row): number =>
	text(scene, b) < text(scene, a) ? -1 : text(scene, b) > text(scene, a) ? 1 : 0;
const nameOf = (scene: Scene, row: Row): string => scene.name(row.frame);
const moduleOf = (scene: Scene, row: Row): string => scene.module(row.frame);
const kindOf = (scene: Scene, row: Row): string => scene.kind(row.frame);

const columns: Column[] = [
	{ name: "function", label: "Function", width: "auto", number: false, compare: byText(nameOf), text: nameOf },
	{ name: "module", label: "File", width: "18%", number: false, compare: byText(moduleOf), text: moduleOf },
	{ name: "kind", label: "Kind", width: "84px", number: false, compare: byText(kindOf), text: kindOf },
	{ name: "self", label: "Self", width: "96px", number: true, compare: (_, a, b) => b.self - a.self,
		text: (scene, row) => quantity(row.self, scene.event.unit) },
	{ name: "self-share", label: "Self %", width: "150px", number: true, compare: (_, a, b) => b.self - a.self,
		text: (scene, row) => percent(row.self, scene.total), share: (scene, row) => row.self / scene.total },
	{ name: "total", label: "Total", width: "96px", number: true, compare: (_, a, b) => b.total - a.total,
		text: (scene, row) => quantity(row.total, scene.event.unit) },
	{ name: "total-share", label: "Total %", width: "150px", number: true, compare: (_, a, b) => b.total - a.total,
		text: (scene, row) => percent(row.total, scene.total), share: (scene, row) => row.total / scene.total },
	{ name: "samples", label: "Samples", width: "96px", number: true, compare: (_, a, b) => b.samples - a.samples,
		text: (_, row) => grouped(row.samples) },
	{ name: "change", label: "Change, points", width: "140px", number: true, compare: (_, a, b) => b.change - a.change,
		text: (_, row) => points(row.change, 0), when: scene => scene.weights.base !== null },
];

const rowHeight = 26;

export class TopTable {
	private readonly text = element("input", { type: "search", placeholder: "Filter functions",
		"aria-label": "Filter functions", spellcheck: "false" });
	private readonly modules = element("select", { "aria-label": "File" });
	private readonly kinds = element("select", { "aria-label": "Kind" });
	private readonly nr = element("span", { class: "muted", role: "status" });
	private readonly head = element("thead");
	private readonly body = element("tbody");
	private readonly scroll = element("div", { class: "scroll" });
	private rows: Row[] = [];
	private sorted = "self";
	private downwards = true;
	private frameAsked = 0;

	constructor(host: HTMLElement, private readonly scene: Scene, private readonly choose: (frame: number) => void) {
		const table = element("table", { "aria-label": "Functions" }, this.head, this.body);

		host.append(element("div", { class: "filters" }, this.text, this.modules, this.kinds, this.nr));
		this.scroll.append(table);
		host.append(this.scroll);
		this.fillFilters();
		for (const filter of [this.text, this.modules, this.kinds])
			filter.addEventListener("input", () => this.show());
		this.scroll.addEventListener("scroll", () => this.drawSoon());
		new ResizeObserver(() => this.drawSoon()).observe(this.scroll);
	}

	/** Computes the rows anew. */
	show(): void {
		const { scene } = this;
		const sums = scene.frameSums;
		const { base } = sums;
		const keep = this.filter();

		this.rows = [];
		for (let frame = 0; frame < sums.total.length; frame++)
			if ((sums.total[frame] > 0 || (base && base[frame] > 0)) && keep(frame))
				this.rows.push({ frame, self: sums.self[frame], total: sums.total[frame],
					samples: sums.samples[frame], change: base ? (sums.total[frame] / scene.total || 0) -
						(base[frame] / scene.baseTotal || 0) : 0 });
		this.nr.textContent = counted(this.rows.length, "function");
		this.sort();
	}

	private get columns(): Column[] {
		return columns.filter(column => !column.when || column.when(this.scene));
	}

	private fillFilters(): void {
		const { report } = this.scene;
		const modules = [...new Set(Array.from(report.module, module => report.strings[module]))].filter(Boolean);

		this.modules.append(element("option", { value: "" }, "All files"));
		for (const module of modules.sort())
			this.modules.append(element("option", { value: module }, module));
		this.kinds.append(element("option", { value: "" }, "All kinds"));
		for (const kind of new Set(report.kind))
			this.kinds.append(element("option", { value: kinds[kind] }, kinds[kind]));
	}

	private filter(): (frame: number) => boolean {
		const { scene } = this;
		const matches = matcher({ text: this.text.value, regex: false }) as (text: string) => boolean;
		const [module, kind] = [this.modules.value, this.kinds.value];

		return frame => matches(scene.name(frame)) && (!module || scene.module(frame) === module) &&
			(!kind || scene.kind(frame) === kind);
	}

	private sort(): void {
		const column = columns.find(one => one.name === this.sorted)!;
		const sign = this.downwards ? 1 : -1;

		this.rows.sort((a, b) => sign * column.compare(this.scene, a, b) || a.frame - b.frame);
		this.drawHead();
		this.draw();
	}

	private sortBy(column: Column): void {
		this.downwards = this.sorted === column.name ? !this.downwards : column.number;
		this.sorted = column.name;
		this.sort();
		this.head.querySelector<HTMLElement>("[aria-sort] button")?.focus();
	}

	private drawHead(): void {
		const cells = this.columns.map(column => {
			const sorted = column.name === this.sorted;
			const arrow = sorted ? (this.downwards ? " ▼" : " ▲") : "";
			const cell = element("th", { scope: "col", class: column.number ? "number" : "", "data-column": column.name },
				button(column.label + arrow, {}, () => this.sortBy(column)));
			cell.style.width = column.width;
			if (sorted)
				cell.setAttribute("aria-sort", this.downwards ? "descending" : "ascending");
			return cell;
		});

		this.head.replaceChildren(element("tr", {}, ...cells));
	}

	private drawSoon(): void {
		this.frameAsked ||= requestAnimationFrame(() => {
			this.frameAsked = 0;
			this.draw();
		});
	}

	/** Of the rows, those that can be seen; above and below them is space. */
	private draw(): void {
		const first = Math.max(0, Math.floor(this.scroll.scrollTop / rowHeight) - 10);
		const last = Math.min(this.rows.length,
			first + Math.ceil((this.scroll.clientHeight || 600) / rowHeight) + 20);
		const shown = this.rows.slice(first, last).map(row => this.row(row));

		const nr = this.columns.length;

		this.body.replaceChildren(space(first, nr), ...shown, space(this.rows.length - last, nr));
	}

	private row(row: Row): HTMLTableRowElement {
		const { scene } = this;
		const found = scene.matches?.[row.frame] === 1;
		const cells = this.columns.map(column => this.cell(column, row));

		return element("tr", { class: found ? "found" : "" }, ...cells);
	}

	private cell(column: Column, row: Row): HTMLTableCellElement {
		const text = column.text(this.scene, row);
		const cell = element("td", { class: column.number ? "number" : "" });

		if (column.name === "function") {
			const swatch = element("span", { class: "swatch", "aria-hidden": "true" });
			swatch.style.background = this.scene.colors[row.frame];
			cell.title = text;
			cell.append(swatch, button(text, { class: "link", title: `Callers and callees of ${text}` },
				() => this.choose(row.frame)));
			return cell;
		}
		cell.append(text);
		if (column.share) {
			const bar = element("span", { class: "share", "aria-hidden": "true" });
			bar.style.setProperty("--part", `${Math.min(100, 100 * column.share(this.scene, row) || 0)}%`);
			cell.append(bar);
		}
		return cell;
	}
}

function space(nr: number, nrColumns: number): HTMLTableRowElement {
	const cell = element("td");
	const row = element("tr", { class: "pad", "aria-hidden": "true" }, cell);

	cell.colSpan = nrColumns;
	cell.style.height = `${nr * rowHeight}px`;
	row.hidden = nr === 0;
	return row;
}
