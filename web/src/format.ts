/* SPDX-License-Identifier: MIT */
/* Numbers as people read them, the same in every language. */

/** 1234567 -> "1,234,567" */
export function grouped(value: number): string {
	return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Three digits that say something: 1.23, 12.3, 123. */
function threeDigits(value: number): string {
	return value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
}

const units: Record<string, [number, string][]> = {
	ns: [[3600e9, "h"], [60e9, "min"], [1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]],
	bytes: [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [1024, "KiB"], [1, "bytes"]],
	events: [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]],
};

/** A weight in its unit: "1.23 s", "45.6 M". */
export function quantity(value: number, unit: string): string {
	const scales = units[unit] ?? units.events;
	const [scale, name] = scales.find(([size]) => value >= size) ?? scales[scales.length - 1];
	const number = scale === 1 ? grouped(value) : threeDigits(value / scale);

	return name ? `${number} ${name}` : number;
}

/** A share of something: "12.3 %"; of nothing: "-". */
export function percent(part: number, whole: number): string {
	if (!(whole > 0))
		return "-";
	const share = (100 * part) / whole;

	return `${share > 0 && share < 0.01 ? "< 0.01" : share.toFixed(share < 9.995 ? 2 : 1)} %`;
}

/** A change of shares, in percentage points: "+1.23". */
export function points(now: number, before: number): string {
	const change = 100 * (now - before);

	return (change < 0 ? "−" : "+") + Math.abs(change).toFixed(2);
}

/** A time from the beginning, as fine as what is shown: "12.345 s". */
export function instant(ns: number, fineness: number): string {
	const digits = Math.min(6, Math.max(0, Math.ceil(-Math.log10(fineness / 1e9))));

	return `${(ns / 1e9).toFixed(digits)} s`;
}

/** One, or many: "1 sample", "12 samples". */
export function counted(nr: number, noun: string): string {
	return `${grouped(nr)} ${noun}${nr === 1 ? "" : "s"}`;
}
