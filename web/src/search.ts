/* SPDX-License-Identifier: MIT */
/* Which frames a search finds. */
import type { Report } from "./model";

export interface Search {
	text: string;
	regex: boolean;
}

/** What a search looks for; letters are alike unless one of the text is a capital. */
export function matcher(search: Search): ((text: string) => boolean) | Error {
	const exact = /[A-Z]/.test(search.regex ? search.text.replace(/\\./g, "") : search.text);

	if (!search.regex) {
		const wanted = exact ? search.text : search.text.toLowerCase();
		return text => (exact ? text : text.toLowerCase()).includes(wanted);
	}
	try {
		const expression = new RegExp(search.text, exact ? "u" : "iu");
		return text => expression.test(text);
	} catch (error) {
		return error as Error;
	}
}

/** Per frame 1 if its function or its module is what is looked for; each text is tried once. */
export function findFrames(report: Report, matches: (text: string) => boolean): Uint8Array {
	const texts = Uint8Array.from(report.strings, text => (text && matches(text) ? 1 : 0));

	return Uint8Array.from(report.name, (name, frame) => texts[name] | texts[report.module[frame]]);
}
