/* SPDX-License-Identifier: MIT */
/* Colours of boxes, by module, by kind, or by what has changed; and those of the theme. */
import { Kind, type Report } from "./model";

export type Coloring = "kind" | "module" | "change";

/** Colours of the style sheet, for what is drawn. */
export interface Theme {
	dark: boolean;
	text: string;
	muted: string;
	page: string;
	panel: string;
	line: string;
	accent: string;
	match: string;
	focus: string;
}

export function readTheme(): Theme {
	const style = getComputedStyle(document.documentElement);
	const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();

	return { dark: color("dark") === "1", text: color("text"), muted: color("muted"), page: color("page"),
		panel: color("panel"), line: color("line"), accent: color("accent"), match: color("match"),
		focus: color("focus") };
}

/** Hue and saturation of each kind, in the order of their numbers. */
const kindColors: [number, number][] = [];
kindColors[Kind.user] = [32, 88];
kindColors[Kind.kernel] = [210, 62];
kindColors[Kind.jit] = [140, 42];
kindColors[Kind.inlined] = [48, 88];
kindColors[Kind.offCpu] = [265, 40];
kindColors[Kind.unknown] = [0, 0];
kindColors[Kind.guest] = [180, 45];
kindColors[Kind.group] = [220, 14];
kindColors[Kind.cut] = [0, 30];

/** Boxes of one colour have four shades, so that neighbours can be distinguished. */
function shade(hue: number, saturation: number, variant: number, dark: boolean): string {
	const lightness = dark ? 30 + variant * 2.5 : 72 + variant * 3;

	return `hsl(${hue} ${dark ? saturation * 0.62 : saturation}% ${lightness}%)`;
}

/** A number that depends on the text only. */
function hash(text: string): number {
	let value = 2166136261;

	for (let i = 0; i < text.length; i++)
		value = Math.imul(value ^ text.charCodeAt(i), 16777619);
	return value >>> 0;
}

/** Colour per frame, made once per colouring and theme. */
export function frameColors(report: Report, coloring: Coloring, theme: Theme): string[] {
	const hues = report.strings.map(text => hash(text));

	return Array.from(report.name, (name, frame) => {
		const variant = (hues[name] >>> 8) % 4;
		if (coloring === "module" && report.strings[report.module[frame]])
			return shade((hues[report.module[frame]] % 45) * 8, 55, variant, theme.dark);
		const [hue, saturation] = kindColors[report.kind[frame]] ?? kindColors[Kind.unknown];
		return shade(hue, saturation, variant, theme.dark);
	});
}

/** Colour of a change of share: red more, blue less, the stronger the larger; grey: none. */
export function changeColor(now: number, before: number, theme: Theme): string {
	const larger = Math.max(now, before);
	const change = larger > 0 ? (now - before) / larger : 0;
	/* A tenth of a percentage point is noise, whatever part of the box it is. */
	const strength = Math.abs(now - before) < 0.001 ? 0 : Math.min(1, Math.abs(change) * 1.5);
	const lightness = theme.dark ? 30 + 12 * strength : 88 - 26 * strength;

	return `hsl(${change > 0 ? 8 : 216} ${Math.round(80 * strength)}% ${lightness}%)`;
}

/** What the colours of kinds mean, for the legend: name and colour. */
export function kindLegend(theme: Theme): string[] {
	return kindColors.map(([hue, saturation]) => shade(hue, saturation, 1, theme.dark));
}
