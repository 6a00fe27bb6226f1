/* SPDX-License-Identifier: MIT */
/* A function's instructions and source, with the share of its samples at each. */
import { assemblyRows, decodeCode, findCode, heatOf, sourceRows, type CodeFunction, type Heat, type ShownRow } from "./code";
import { block } from "./decode";
import { announce, button, element } from "./dom";
import { counted, percent, quantity } from "./format";
import { Kind } from "./model";
import type { Scene } from "./scene";

/** Rows from this share on are those that keys go to. */
const hotShare = 0.01;

/** Whether the page has code at all; it is decoded when it is looked at. */
export function hasCode(): boolean {
	return document.getElementById("data-code") !== null;
}

export class Listing {
	private readonly choice = element("select", { "aria-label": "Function", class: "functions" });
	private readonly modes = element("span", { class: "choice", role: "group", "aria-label": "Show" });
	private readonly about = element("span", { class: "muted", role: "status" });
	private readonly head = element("thead");
	private readonly body = element("tbody");
	private readonly scroll = element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label":
		"Code. n and p go to the next and the previous row with samples." });
	private functions: CodeFunction[] | null = null;
	private chosen: CodeFunction | null = null;
	private bySource = false;
	private isLoading = false;

	constructor(host: HTMLElement, private readonly scene: Scene) {
		const table = element("table", { class: "code", "aria-label": "Code" }, this.head, this.body);

		this.scroll.append(table);
		host.append(element("div", { class: "filters" }, this.choice, this.modes,
			button("Previous", { title: "Row with samples above (p)" }, () => this.step(-1)),
			button("Next", { title: "Row with samples below (n)" }, () => this.step(1)), this.about), this.scroll);
		this.choice.addEventListener("change", () => this.choose(Number(this.choice.value)));
		document.addEventListener("keydown", event => this.key(event));
	}

	show(): void {
		if (!this.functions) {
			this.load();
			return;
		}
		const { scene } = this;
		const { frame } = scene.state;
		const code = this.chosen ?? (frame >= 0 ? findCode(this.functions, scene.name(frame), scene.module(frame)) : this.hottest());

		this.chosen = null;
		this.showModes();
		this.showChoice(code, frame);
		if (!code) {
			this.about.textContent = `The code of ${scene.name(frame)} is not in this report: it is not among the hottest, or was not there.`;
			this.head.replaceChildren();
			this.body.replaceChildren();
			return;
		}
		const { rows, all } = heatOf(code, scene.events);
		this.describe(all);
		this.fill(this.bySource ? sourceRows(code, rows) : assemblyRows(code, rows), all);
	}

	private load(): void {
		if (this.isLoading)
			return;
		this.isLoading = true;
		block("data-code").then(bytes => {
			this.functions = bytes ? decodeCode(bytes) : [];
			this.show();
		}).catch((error: Error) => {
			this.about.textContent = `The code cannot be shown: ${error.message}.`;
		});
	}

	private weight(code: CodeFunction): number {
		return heatOf(code, this.scene.events).all.weight;
	}

	private hottest(): CodeFunction | null {
		const [first = null, ...others] = this.functions!;

		return others.reduce((best, code) => (best && this.weight(code) > this.weight(best) ? code : best), first);
	}

	private showModes(): void {
		const values: [boolean, string][] = [[false, "Instructions"], [true, "Source"]];
		const focused = this.modes.contains(document.activeElement);

		this.modes.replaceChildren(...values.map(([bySource, label]) => button(label,
			{ "aria-pressed": String(this.bySource === bySource), "data-mode": label.toLowerCase() }, () => {
				this.bySource = bySource;
				this.show();
			})));
		if (focused)
			this.modes.querySelector<HTMLElement>("[aria-pressed=true]")?.focus();
	}

	/** All functions, the hottest of the event first. */
	private showChoice(code: CodeFunction | null, frame: number): void {
		const { scene } = this;
		const total = scene.report.events[scene.state.event].weight.reduce((sum, weight) => sum + weight, 0);
		const weights = this.functions!.map(one => this.weight(one));
		const order = weights.map((_, i) => i).sort((a, b) => weights[b] - weights[a] || a - b);
		const options = order.map(i => {
			const { name, file } = this.functions![i];
			return element("option", { value: i }, `${percent(weights[i], total)}  ${name}  ${file}`);
		});

		if (!code)
			options.unshift(element("option", { value: -1 }, scene.name(frame)));
		this.choice.replaceChildren(...options);
		this.choice.value = String(code ? this.functions!.indexOf(code) : -1);
	}

	private choose(nr: number): void {
		const { scene } = this;
		const { report } = scene;
		const code = this.functions?.[nr];

		if (!code)
			return;
		const frame = report.name.findIndex((name, i) => report.strings[name] === code.name &&
			report.strings[report.module[i]] === code.file && report.kind[i] !== Kind.inlined);
		this.chosen = code;
		if (frame >= 0 && frame !== scene.state.frame)
			scene.store.go({ frame });
		else
			this.show();
	}

	private describe(all: Heat): void {
		const { scene } = this;
		const { threads, from, to } = scene.state;
		const parts = [`${quantity(all.weight, scene.event.unit)}, ${counted(all.samples, "sample")}`];

		if (threads || from !== null || to !== null)
			parts.push("of the whole recording, not of what is selected");
		if (scene.weights.base)
			parts.push("of this recording");
		this.about.textContent = parts.join(" ");
	}

	private fill(rows: ShownRow[], all: Heat): void {
		const labels = ["Share", this.bySource ? "Line" : "Address", "Code"];

		this.head.replaceChildren(element("tr", {}, ...labels.map((label, i) =>
			element("th", { scope: "col", class: i < 2 ? "number" : "" }, label))));
		this.body.replaceChildren(...rows.map(row => this.row(row, all)));
		this.scroll.scrollTop = 0;
		if (!rows.length)
			this.body.append(element("tr", {}, element("td"), element("td"),
				element("td", {}, "No lines of source are known: record programs that have debug information (-g).")));
	}

	private row({ kind, place, text, heat }: ShownRow, all: Heat): HTMLTableRowElement {
		const share = element("td", { class: "number" });
		const row = element("tr", { class: kind }, share, element("td", { class: "number place" }, place), element("td", {}, text));

		if (!heat || !(all.weight > 0))
			return row;
		const part = heat.weight / all.weight;
		const bar = element("span", { class: "share", "aria-hidden": "true" });
		bar.style.setProperty("--part", `${Math.min(100, 100 * part)}%`);
		share.append(percent(heat.weight, all.weight), bar);
		share.title = `${quantity(heat.weight, this.scene.event.unit)}, ${counted(heat.samples, "sample")}`;
		if (part >= hotShare) {
			row.classList.add("hot");
			row.tabIndex = -1;
		}
		return row;
	}

	/** To the next row with samples, from the one that keys act on. */
	private step(by: number): void {
		const hot = [...this.body.querySelectorAll<HTMLElement>("tr.hot")];
		const at = hot.indexOf(document.activeElement as HTMLElement);
		const last = this.body.querySelector<HTMLElement>("tr.current");
		const from = at >= 0 ? at : last ? hot.indexOf(last) : by > 0 ? -1 : hot.length;
		const next = hot[Math.min(hot.length - 1, Math.max(0, from + by))];

		last?.classList.remove("current");
		if (!next)
			return;
		next.classList.add("current");
		next.focus({ preventScroll: true });
		next.scrollIntoView({ block: "center" });
		announce([...next.querySelectorAll("td")].map(cell => cell.textContent).join(", "));
	}

	private key(event: KeyboardEvent): void {
		const writing = event.target instanceof HTMLSelectElement || event.target instanceof HTMLInputElement;

		if (writing || event.ctrlKey || event.metaKey || event.altKey || this.scene.state.view !== "code")
			return;
		if (event.key === "n" || event.key === "p") {
			event.preventDefault();
			this.step(event.key === "n" ? 1 : -1);
		}
	}
}
