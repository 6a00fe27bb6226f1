// SPDX-License-Identifier: MIT
// What speedscope shows of a file: node read-speedscope.mjs CHROMIUM APP FILE DIR. APP is the directory of
// its release, which runs without a network. Prints "self total name" of each profile in it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Browser } from "./browser.mjs";

const [, , program, app, file, work] = process.argv;
const loading = join(work, "loading.js");

/** Rows of the table of functions; above them can be a table of profiles. */
const functions = page => page.value(`[...document.querySelectorAll("tr")]
	.map(row => [...row.cells].map(cell => cell.textContent))
	.filter(([total]) => / \\(.*%\\)$/.test(total))`);
/** "maker 100/100 cycles (1/2)"; of one profile there is no number. */
const place = page => page.value("document.body.innerText.match(/\\((\\d+)\\/(\\d+)\\)/)?.slice(1).map(Number) ?? [1, 1]");
const number = text => Number(text.replace(/ .*/, "").replaceAll(",", ""));

writeFileSync(loading, `speedscope.loadFileFromBase64("profile.json", "${readFileSync(file).toString("base64")}")`);
const browser = await Browser.start(program);
try {
	const page = await browser.open(join(app, "index.html"), { hash: `#view=sandwich&localProfilePath=${loading}`,
		ready: "[...document.querySelectorAll('tr')].some(row => row.textContent.includes('%'))" });
	const [, last] = await place(page);

	for (let nr = 1; nr <= last; nr++) {
		for (const [total, self, name] of await functions(page))
			console.log(`${number(self)} ${number(total)} ${name}`);
		await page.key("n");
		if (nr < last)
			await page.until(`document.body.innerText.includes("(${nr + 1}/${last})")`);
		await page.settle();
	}
	if (page.errors.length)
		throw new Error(page.errors.join("\n"));
} finally {
	await browser.stop();
}
