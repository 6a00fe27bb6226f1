// SPDX-License-Identifier: MIT
// Pictures of the HTML reports report.html and timeline.html: node pictures.mjs CHROMIUM FROM TO.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Browser } from "../tests/web/browser.mjs";

const [, , program, from, to] = process.argv;
const views = [["flame", "report", false], ["timeline", "timeline", true]];
const browser = await Browser.start(program);

for (const [view, name, dark] of views) {
	const page = await browser.open(join(from, `${name}.html`), { width: 1100, height: 640, dark });

	await page.click(`#tab-${view}`);
	await page.settle();
	writeFileSync(join(to, `${name}.png`), await page.picture());
}
await browser.stop();
