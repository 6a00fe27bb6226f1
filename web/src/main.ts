/* SPDX-License-Identifier: MIT */
/* The page: reads its data, makes the views, and keeps them as the state says. */
import { block } from "./decode";
import { byId } from "./dom";
import { decodeHead, decodeReport, decodeSamples, type Head, type Report } from "./model";
import { Page } from "./page";
import { Scene } from "./scene";
import { Store } from "./state";

async function bytesOf(id: string): Promise<Uint8Array> {
	const bytes = await block(id);

	if (!bytes)
		throw new Error(`the page has no block of data "${id}"`);
	return bytes;
}

async function readReport(head: Head): Promise<Report> {
	const [frames, tree] = await Promise.all([bytesOf("data-frames"), bytesOf("data-tree")]);

	return decodeReport(head, frames, tree);
}

/** Samples by time are large, and not needed for the first picture. */
async function readSamples(page: Page, report: Report): Promise<void> {
	await new Promise(resolve => setTimeout(resolve));
	const bytes = await block("data-samples");

	if (bytes && report.head.time)
		report.cells = decodeSamples(report, bytes);
	page.samplesRead();
}

async function start(): Promise<void> {
	const head = decodeHead(await bytesOf("data-head"));
	document.title = head.title;
	const report = await readReport(head);
	const scene = new Scene(report, new Store({ ...(head.base && { coloring: "change" }),
		...(report.wall && { event: head.events.length }) }));
	const page = new Page(scene);

	document.body.dataset.ready = "graph";
	performance.mark("graph");
	await readSamples(page, report);
	document.body.dataset.ready = "all";
}

start().catch((error: Error) => {
	const message = byId("message");

	message.hidden = false;
	message.className = "bad";
	message.textContent = `This report cannot be shown: ${error.message}.`;
	document.body.dataset.ready = "failed";
});
