/* SPDX-License-Identifier: MIT */
/* The first things to know: what is remarkable, what was recorded, how good it is. */
import { button, element } from "./dom";
import { percent, quantity } from "./format";
import { findings, type Finding } from "./rules";
import type { Scene } from "./scene";

const nrFunctions = 12;

export class Summary {
	private readonly page = element("div", { class: "page" });

	constructor(host: HTMLElement, private readonly scene: Scene) {
		host.append(this.page);
	}

	show(): void {
		this.page.replaceChildren(
			element("div", {}, this.remarkable(), this.functions()), element("div", {}, this.recorded(), this.quality()));
	}

	private remarkable(): HTMLElement {
		const found = findings(this.scene);
		const card = element("div", { class: "card" }, element("h2", {}, "What is remarkable"));

		card.append(...found.map(finding => this.finding(finding)));
		if (!found.length)
			card.append(element("p", {}, "Nothing that the rules of this page look for is above its threshold: " +
				"look at the widest boxes of the flame graph."));
		return card;
	}

	private finding(finding: Finding): HTMLElement {
		const { scene } = this;
		const amount = `${percent(finding.part, scene.total)} (${quantity(finding.part, scene.event.unit)})`;
		const most = finding.most >= 0 ? [" Most of it: ", this.functionLink(finding.most), "."] : [];
		const next = element("p", { class: "next" }, finding.next, " ");

		if (finding.find)
			next.append(button("Show in the graph", { class: "link" }, () =>
				scene.store.go({ view: "flame", search: { text: finding.find, regex: true } })));
		return element("div", { class: "finding", "data-rule": finding.rule },
			element("p", {}, element("span", { class: `level ${finding.level}` }, amount), ` ${finding.says}.`,
				...most), next);
	}

	private functionLink(frame: number): HTMLElement {
		return button(this.scene.name(frame), { class: "link" }, () => this.scene.store.go({ view: "sandwich", frame }));
	}

	private recorded(): HTMLElement {
		const { facts, base } = this.scene.report.head;
		const all = base ? [...facts, ["Compared with", base.title]] : facts;
		const list = all.flatMap(([what, value]) =>
			[element("dt", {}, what), element("dd", {}, value)]);

		return element("div", { class: "card" }, element("h2", {}, "What was recorded"), element("dl", {}, ...list));
	}

	private functions(): HTMLElement {
		const { scene } = this;
		const { self } = scene.frameSums;
		const frames = Array.from(self.keys()).filter(frame => self[frame] > 0)
			.sort((a, b) => self[b] - self[a] || a - b).slice(0, nrFunctions);
		const rows = frames.map(frame => {
			const name = element("td", {}, this.functionLink(frame));
			const share = element("span", { class: "share", "aria-hidden": "true" });
			share.style.setProperty("--part", `${(100 * self[frame]) / scene.total}%`);
			const part = element("td", { class: "number" }, percent(self[frame], scene.total), share);
			part.style.width = "160px";
			return element("tr", {}, name, element("td", { class: "muted" }, scene.module(frame)), part);
		});

		return element("div", { class: "card" }, element("h2", {}, "Functions with most of their own"),
			element("table", {}, element("tbody", {}, ...rows)));
	}

	private quality(): HTMLElement {
		const { line, items } = this.scene.report.head.quality;
		const list = items.map(item => element("div", { class: "finding" },
			element("p", {}, element("span", { class: `level ${item.level}` }, item.text)),
			...(item.remedy ? [element("p", { class: "next" }, item.remedy)] : [])));

		return element("div", { class: "card" }, element("h2", {}, "How good it is"),
			element("p", {}, line || "Nothing is known of its quality."), ...list);
	}
}
