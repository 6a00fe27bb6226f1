// SPDX-License-Identifier: MIT
// Looks at pages as a user does, in a headless Chromium: node check-page.mjs CHROMIUM DIR [NAME...].
// Pages and pictures are left in DIR. REFRESH=1 writes the picture that others are compared with.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Browser } from "./browser.mjs";
import { code, difference, evil, hostile, server, template, waits } from "./fixtures.mjs";

const [, , program, work, ...only] = process.argv;
const golden = join(dirname(fileURLToPath(import.meta.url)), "server.picture.txt");
let browser;

/** Opens a recording as a page of this name; when it is done, it must have had nothing to complain of. */
async function withPage(name, recording, look, options = {}) {
	const file = join(work, `${name}.html`);

	writeFileSync(file, recording.page(template, options));
	const page = await browser.open(file, options);
	await look(page);
	writeFileSync(join(work, `${name}.png`), await page.picture());
	assert.deepEqual(page.errors, []);
	assert.deepEqual(page.requests.filter(url => url !== page.url), []);
}

/** Clicks or hovers at a part of the graph's width, in a row from below. */
async function inGraph(page, part, row, act = "click", options = {}) {
	const { x, y, width, height } = await page.area("#graph");
	const at = [x + part * width, y + height - row * 19 - 9];

	await (act === "click" ? page.clickAt(...at, options) : page.mouse("mouseMoved", ...at));
	await page.settle();
}

const focused = page => page.text(".details b");
const search = async (page, text) => {
	await page.value("document.getElementById('search').value = ''; document.getElementById('search').focus()");
	await page.type(text);
	await page.until(`document.getElementById('matched').textContent !== '' || ${!text}`);
	await page.value("new Promise(done => setTimeout(done, 100))");
	await page.settle();
	return page.text("#matched");
};

/** The first line of the header is one line, and nothing in it is outside or on top of another. */
async function headerFits(page) {
	for (const width of [900, 1024, 1280, 1920]) {
		await page.resize(width, 800);
		await page.settle();
		const parts = await page.value(`[...document.querySelectorAll("header > .bar:first-child > :not(.push)")]
			.filter(part => part.getClientRects().length)
			.map(part => { const { left, right, top, bottom } = part.getBoundingClientRect(); return { name: part.id, left, right, top, bottom }; })`);
		parts.forEach((part, i) => {
			const next = parts[i + 1] ?? { left: width };
			assert.ok(part.right <= next.left && part.top < 40 && part.bottom <= 48, `${width}: ${JSON.stringify([part, next])}`);
		});
	}
	await page.resize(1280, 800);
	await page.settle();
}

const checks = {
	async "hover shows what a box is"(page) {
		await inGraph(page, 0.1, 3, "hover");
		const text = await page.text(".tooltip");
		for (const part of ["serve", "server · user", "Total", "Self", "Samples", "Of its parent"])
			assert.ok(text.includes(part), text);
		const children = await page.value("document.querySelectorAll('.tooltip dd').length");
		assert.equal(children, 4);
	},

	async "a click zooms, back and forward go through the zooms"(page) {
		await inGraph(page, 0.1, 3);
		assert.equal(await focused(page), "serve");
		await inGraph(page, 0.9, 4);
		const inner = await focused(page);
		assert.notEqual(inner, "serve");
		await page.click("#back");
		await page.until("document.querySelector('.details b')?.textContent === 'serve'");
		await page.click("#forward");
		await page.until(`document.querySelector('.details b')?.textContent === ${JSON.stringify(inner)}`);
		await page.value("document.getElementById('graph').focus()");
		await page.key("Escape");
		await page.until("!document.querySelector('.details b')");
	},

	async "keys go from box to box, zoom, and are heard"(page) {
		await page.value("document.getElementById('graph').focus()");
		for (const name of ["__libc_start_main", "main", "serve"]) {
			await page.key("ArrowUp");
			assert.equal(await focused(page), name);
			assert.ok((await page.value("document.getElementById('live').textContent")).startsWith(`${name}, `));
		}
		await page.key("ArrowRight");
		assert.equal(await focused(page), "run_script");
		await page.key("ArrowLeft");
		await page.key("Enter");
		assert.equal(await focused(page), "serve");
		await page.key("s");
		assert.equal(await page.text(".middle b"), "serve");
		await page.key("2");
		await page.key("Escape");
	},

	async "upside down and from the innermost functions"(page) {
		await page.click("[data-choice=layout-icicle]");
		const { x, y } = await page.area("#graph");
		await page.clickAt(x + 50, y + 2 * 19 + 9);
		assert.equal(await focused(page), "main");
		await page.click("[data-choice=layout-flame]");
		await page.click("[data-choice=direction-callers]");
		await inGraph(page, 0.01, 1);
		assert.equal(await focused(page), "memcpy");
		await inGraph(page, 0.01, 2);
		assert.equal(await focused(page), "render");
		await page.click("[data-choice=direction-callees]");
	},

	async "search by text and by expression, with the share"(page) {
		const shares = await page.value("document.getElementById('total').innerText");
		assert.equal(shares, "12.0 s, 12,000 samples");
		assert.match(await search(page, "memcpy"), /^1[67]\.\d %$/);
		assert.equal(await search(page, "MEMCPY"), "0.00 %");
		assert.equal(await search(page, "libc_start"), "100.0 %");
		await page.click("#regex");
		assert.match(await search(page, "^(malloc|_int_malloc)$"), /^(8|9)\.\d\d %$/);
		await search(page, "(");
		assert.equal(await page.text("#matched"), "no expression");
		assert.equal(await page.value("document.getElementById('search').getAttribute('aria-invalid')"), "true");
		await page.click("#regex");
		await page.value("document.getElementById('search').focus()");
		await page.key("Escape");
		assert.equal(await page.text("#matched"), "");
	},

	async "callers and callees"(page) {
		await page.value("document.activeElement.blur()");
		await inGraph(page, 0.1, 4, "click", { modifiers: 8 });
		assert.equal(await page.text(".middle b"), "render");
		const middle = await page.text(".middle");
		assert.match(middle, /total 3\.\d\d s \(3\d\.\d %\)/);
		assert.match(middle, /self 0 ns \(0\.00 %\)/);
		const { x, y } = await page.area("[aria-label=Callees]");
		await page.clickAt(x + 20, y + 19 + 9);
		assert.equal(await page.text(".middle b"), "memcpy");
		await page.click("#back");
		await page.until("document.querySelector('.middle b').textContent === 'render'");
	},

	async "the table is sorted and filtered"(page) {
		const first = () => page.value("document.querySelector('#view-top tbody tr:not(.pad) .link').textContent");
		const label = () => page.text("#view-top [role=status]");
		await page.click("#tab-top");
		assert.equal(await first(), "memcpy");
		await page.click("[data-column=total] button");
		assert.equal(await first(), "__libc_start_main");
		assert.equal(await page.value("document.querySelector('[data-column=total]').getAttribute('aria-sort')"), "descending");
		await page.click("[data-column=function] button");
		assert.equal(await first(), "0x7f001234");
		const all = parseInt(await label(), 10);
		await page.value("document.querySelector('[aria-label=Kind]').value = 'kernel'");
		await page.value("document.querySelector('[aria-label=Kind]').dispatchEvent(new Event('input'))");
		assert.ok(parseInt(await label(), 10) < all);
		assert.equal(await first(), "asm_exc_page_fault");
		await page.click("[aria-label='Filter functions']");
		await page.type("vfs");
		assert.equal(await label(), "1 function");
		await page.value("document.querySelector('[aria-label=Kind]').value = ''");
		await page.click("#view-top tbody .link");
		assert.equal(await page.text(".middle b"), "vfs_read");
	},

	async "another event has other numbers"(page) {
		const choose = value => page.value(`{ const e = document.getElementById('event'); e.value = '${value}';
			e.dispatchEvent(new Event('change')); }`);
		await page.click("#tab-flame");
		await choose(1);
		assert.equal(await page.text("#total"), "1.20 k page-faults, 1,200 samples");
		assert.equal(await search(page, "run_script"), "0.00 %");
		await search(page, "");
		await choose(0);
		assert.equal(await page.text("#total"), "12.0 s, 12,000 samples");
	},

	async "what is selected in the timeline is what all views show"(page) {
		await page.click("#tab-timeline");
		const { x, y, width } = await page.area("#view-timeline .strip canvas");
		await page.drag([x + width * 0.25, y + 30], [x + width * 0.5, y + 30]);
		const chosen = await page.text("#selection");
		assert.match(chosen, /Selected: 3\.\d* s to 6\.\d* s/);
		assert.match(await page.text("#total"), /^3\.\d\d s, 3,0\d\d samples$|^2\.99 s, 2,99\d samples$/);
		await page.click("[data-thread='1']");
		assert.match(await page.text("#selection"), /worker\/1 101; 3\./);
		assert.equal(await page.value("document.querySelector('[data-thread=\"1\"]').getAttribute('aria-pressed')"), "true");
		const ofThread = await page.text("#total");
		await page.click("#tab-flame");
		await inGraph(page, 0.5, 0, "hover");
		assert.ok((await page.text(".tooltip")).includes("100.0 %"));
		assert.equal(await page.text("#total"), ofThread);
		await page.click("#clear");
		assert.equal(await page.text("#total"), "12.0 s, 12,000 samples");
		await page.click("#tab-timeline");
		const heat = await page.area("#view-timeline .strip:nth-of-type(2) canvas, #view-timeline [aria-label^=Heat]");
		await page.drag([heat.x + 20, heat.y + 100], [heat.x + 40, heat.y + 100]);
		assert.match(await page.text("#selection"), /Selected: 0\.\d+ s to 0\.\d+ s/);
		await page.key("x");
		assert.equal(await page.text("#total"), "12.0 s, 12,000 samples");
		await page.value("document.querySelector('#view-timeline .strip canvas').focus()");
		await page.key("ArrowRight");
		assert.match(await page.text("#selection"), /Selected: 0\./);
		await page.key("x");
	},

	async "the summary has numbers and what to do"(page) {
		await page.click("#tab-summary");
		const rules = await page.value("[...document.querySelectorAll('[data-rule]')].map(e => e.dataset.rule)");
		assert.deepEqual(rules, ["memory copies", "lock waits", "allocator", "page faults", "clearing pages", "unknown functions"]);
		assert.match(await page.text("[data-rule='clearing pages']"), /^\d\.\d\d % \(\d+ ms\) goes into clearing new pages\. Most of it: clear_page_erms\./);
		assert.ok((await page.text("#view-summary")).includes("example, Linux 6.12"));
		await page.click("[data-rule=allocator] .next .link");
		assert.equal(await page.value("document.getElementById('view-flame').hidden"), false);
		assert.match(await page.text("#matched"), /^[89]\.\d\d %$/);
		await page.key("Escape");
	},

	async "the header has room for what is in it"(page) {
		assert.equal(await search(page, "serve"), "100.0 %");
		await headerFits(page);
		await page.key("Escape");
		await search(page, "");
	},

	async "a narrow window, as of a telephone"(page) {
		await page.resize(390, 800);
		for (const view of ["summary", "flame", "sandwich", "top", "timeline"]) {
			await page.value(`document.getElementById("tab-${view}").click()`);
			await page.settle();
			const [wide, ...outside] = await page.value(`[document.documentElement.scrollWidth,
				...[...document.querySelectorAll("#view-${view} canvas, #view-${view} .track")]
					.filter(part => part.getClientRects().length && part.getBoundingClientRect().right > 390)
					.map(part => part.className || part.tagName)]`);
			assert.deepEqual([wide, outside], [390, []], view);
		}
		const lines = await page.value(`[...document.querySelectorAll(".track > span")].map(span => span.getClientRects().length + span.clientHeight)`);
		assert.ok(lines.every(height => height < 36), `shares of threads are in two lines: ${lines}`);
		assert.match(await page.text("#view-timeline"), /A column is 200 ms/);
		await page.resize(1280, 800);
		await page.click("#tab-flame");
		assert.match(await page.text(".legend"), /from an earlier sample$/);
	},

	async "light and dark, keys, print"(page) {
		const theme = () => page.value("document.documentElement.dataset.theme");
		assert.equal(await theme(), "light");
		await page.theme(true);
		await page.until("document.documentElement.dataset.theme === 'dark'");
		await page.click("#theme");
		assert.equal(await theme(), "light");
		await page.key("?", 8);
		assert.equal(await page.value("document.getElementById('keys').open"), true);
		await page.click("#keys button");
		assert.equal(await page.value("document.getElementById('keys').open"), false);
		assert.equal((await page.print()).subarray(0, 5).toString(), "%PDF-");
		const unnamed = await page.value(`[...document.querySelectorAll("button, input, select, canvas[tabindex='0'], [role=application]")]
			.filter(e => !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length)).length`);
		assert.equal(unnamed, 0);
	},
};

/** A picture as 24 × 16 colours, which fonts change little. */
async function colours(page, png) {
	return page.value(`(async () => {
		const bytes = Uint8Array.from(atob("${png.toString("base64")}"), c => c.charCodeAt(0));
		const image = await createImageBitmap(new Blob([bytes]));
		const canvas = new OffscreenCanvas(24, 16), context = canvas.getContext("2d");
		context.imageSmoothingQuality = "high";
		context.drawImage(image, 0, 0, 24, 16);
		return [...context.getImageData(0, 0, 24, 16).data].filter((_, i) => i % 4 < 3);
	})()`);
}

const pages = {
	async server() {
		await withPage("server", server(), async page => {
			for (const [name, check] of Object.entries(checks)) {
				await check(page);
				console.log(`server: ${name}`);
			}
		});
	},

	async picture() {
		await withPage("picture", server(), async page => {
			const found = await colours(page, await page.picture());
			if (process.env.REFRESH || !existsSync(golden))
				writeFileSync(golden, found.join(" ").replace(/((?:\d+ ){71}\d+) /g, "$1\n") + "\n");
			const wanted = readFileSync(golden, "utf8").trim().split(/\s+/).map(Number);
			const far = found.filter((value, i) => Math.abs(value - wanted[i]) > 24).length;
			assert.ok(found.length === wanted.length && far <= wanted.length / 50, `${far} of ${wanted.length} colours differ`);
		});
	},

	async hostile() {
		const recording = hostile();
		await withPage("hostile", recording, async page => {
			for (const view of ["summary", "flame", "sandwich", "top", "timeline"]) {
				await page.click(`#tab-${view}`);
				await page.settle();
			}
			await page.click("#tab-flame");
			await inGraph(page, 0.02, 2, "hover");
			assert.equal(await page.text("#title"), recording.head.title);
			assert.equal(await page.value("typeof window.broken"), "undefined");
			assert.equal(await page.value("document.querySelectorAll('img, iframe, a, object').length"), 0);
			assert.equal(await page.value("document.scripts.length"), 5);
			assert.match(await page.text(".tooltip"), /Total/);
			assert.equal(await search(page, "__proto__"), "8.33 %");
			await headerFits(page);
		});
	},

	async difference() {
		await withPage("difference", difference(), async page => {
			const share = async name => {
				assert.notEqual(await search(page, name), "");
				return page.text("#matched");
			};
			assert.equal(await share("slower"), "33.3 %");
			assert.equal(await page.value("document.querySelector('[data-choice=coloring-change]').ariaPressed"), "true");
			await search(page, "");
			await page.click("[data-choice='byBase-true']");
			await inGraph(page, 0.95, 2, "hover");
			const text = await page.text(".tooltip");
			assert.ok(text.includes("Before") && text.includes("percentage points"), text);
			await page.click("#tab-top");
			assert.equal(await page.value("document.querySelectorAll('#view-top tbody tr:not(.pad)').length"), 6);
			await page.click("#tab-summary");
			assert.match(await page.text("#view-summary"), /Compared with\s+old/);
		});
	},

	async code() {
		const texts = (page, selector) => page.value(`[...document.querySelectorAll(".code tbody ${selector}")].map(e => e.textContent)`);
		const recording = code();
		const [work, copy] = recording.code.functions;

		await withPage("code", recording, async page => {
			await page.key("6");
			await page.until("document.querySelector('.code tbody tr')");
			assert.deepEqual(await texts(page, "tr td:nth-child(3)"),
				work.rows.map(([kind, text]) => (kind === 3 ? "… 17 instructions …" : text)));
			assert.deepEqual(await texts(page, ".place"), ["10", "ffffffff81000010", "", "4", "ffffffff81000015", "ffffffff81000018", "", "ffffffff8100006a"]);
			assert.deepEqual(await texts(page, "td:first-child"), ["", "33.3 %", "", "", "26.7 %", "38.7 %", "1.33 %", ""]);
			assert.equal(await page.text("#view-code [role=status]"), "75.0 ms, 75 samples");
			assert.match(await page.value("document.querySelector('.functions').selectedOptions[0].textContent"), /^75\.0 %\s+work\s+a$/);

			/* Keys go from row to row, and are heard. */
			for (const [key, share] of [["n", "33.3 %"], ["n", "26.7 %"], ["p", "33.3 %"], ["p", "33.3 %"]]) {
				await page.key(key);
				assert.ok((await page.value("document.getElementById('live').textContent")).startsWith(`${share}, `), key);
				assert.equal(await page.value("document.activeElement.firstChild.textContent"), share);
			}

			/* By lines of source: what was inlined, too. */
			await page.click("[data-mode=source]");
			assert.deepEqual(await texts(page, "tr"), ["/src/a.c", "65.3 %4\tx ^= x << 13;", "…", `33.3 %10\tint x = 1; ${evil}`]);
			await page.click("[data-mode=instructions]");

			/* Another function, back, and another event. */
			const choose = (id, value) => page.value(`{ const e = document.querySelector('${id}'); e.value = '${value}'; e.dispatchEvent(new Event('change')); }`);
			await choose(".functions", 1);
			assert.deepEqual(await texts(page, "td:first-child"), ["100.0 %"]);
			await page.click("#back");
			await page.until("document.querySelectorAll('.code tbody tr').length > 1");
			await choose("#event", 1);
			assert.deepEqual(await texts(page, "td:nth-child(3)"), [copy.rows[0][1]]);
			await choose("#event", 0);

			/* From a function to its code; an inlined one's is where it is inlined. */
			const listed = async name => {
				await page.click("#tab-flame");
				await page.value(`document.getElementById("graph").focus()`);
				await page.key("Escape");
				for (let i = 0; i < 9 && (await page.value("document.querySelector('.details b')?.textContent")) !== name; i++)
					await page.key("ArrowUp");
				await page.key("s");
				await page.click(".middle button:last-child");
				return texts(page, "td:nth-child(3)");
			};
			assert.equal((await listed("mix")).length, work.rows.length);
			assert.equal((await listed("main")).length, 0);
			assert.match(await page.text("#view-code [role=status]"), /^The code of main is not in this report/);

			/* A selection is not of the code. */
			await choose(".functions", 1);
			await page.click("#tab-timeline");
			await page.click("[data-thread='1']");
			await page.click("#tab-code");
			assert.match(await page.text("#view-code [role=status]"), /of the whole recording, not of what is selected$/);
			await page.key("x");

			assert.equal(await page.value("typeof window.broken"), "undefined");
			assert.equal(await page.value("document.querySelectorAll('img, iframe, a, object').length"), 0);
			assert.equal(await page.value("document.scripts.length"), 6);
			const unnamed = await page.value(`[...document.querySelectorAll("#view-code :is(button, select, table, [role=region])")]
				.filter(e => !(e.getAttribute("aria-label") || e.textContent.trim())).length`);
			assert.equal(unnamed, 0);
			await headerFits(page);
		});

		/* Without code there is no view of it; damage is reported in it, and the rest is shown. */
		for (const [name, change] of [["no-code", one => delete one.code], ["damaged-code", one => { one.code = { functions: [{}] }; }]]) {
			const other = code();
			change(other);
			await withPage(name, other, async page => {
				assert.equal(await page.value("document.getElementById('tab-code').hidden"), name === "no-code");
				await page.key("6");
				if (name === "damaged-code")
					await page.until("/^The code cannot be shown: /.test(document.querySelector('#view-code [role=status]').textContent)");
				else
					assert.equal(await page.value("document.getElementById('view-flame').hidden"), false);
			});
		}
	},

	/* A program that waits: all of its time first, each part of it by choice. */
	async waits() {
		const choose = (page, value) => page.value(`{ const e = document.getElementById('event'); e.value = '${value}';
			e.dispatchEvent(new Event('change')); }`);
		await withPage("waits", waits(), async page => {
			assert.equal(await page.text("#total"), "10.0 s, 500 samples");
			assert.equal(await page.value("document.getElementById('event').selectedOptions[0].textContent"), "wall time (on + off CPU)");
			assert.equal(await search(page, "schedule"), "90.0 %");
			await search(page, "");
			await page.click("#tab-timeline");
			await page.click("[data-thread='0']");
			assert.equal(await page.text("#total"), "10.0 s, 500 samples");
			await page.key("x");
			await page.click("#tab-code");
			await page.until("document.querySelector('.code tbody tr')");
			assert.equal(await page.text("#view-code [role=status]"), "1.18 s, 59 samples");
			await page.click("#tab-flame");
			for (const [event, total] of [[0, "1.00 s, 50 samples"], [1, "9.00 s, 450 samples"], [2, "10.0 s, 500 samples"]]) {
				await choose(page, event);
				assert.equal(await page.text("#total"), total);
			}
		});
	},

	async unpacked() {
		await withPage("unpacked", server(), async page => {
			assert.equal(await page.text("#total"), "12.0 s, 12,000 samples");
		}, { packed: false, dark: true });
	},

	/* Data that are not whole are said to be so, in a sentence. */
	async damaged() {
		const whole = server().page(template, { packed: false });
		const cuts = [/(id="data-tree">)([^<]{40})[^<]*/, /(id="data-frames">)([^<]{8})[^<]*/, /(id="data-head">)([^<]{8})[^<]*/,
			/(id=")(data-tree")/];
		for (const [i, cut] of cuts.entries()) {
			const file = join(work, `damaged-${i}.html`);
			writeFileSync(file, whole.replace(cut, i === 3 ? "$1no-$2" : "$1$2"));
			const page = await browser.open(file);
			assert.match(await page.text("#message"), /^This report cannot be shown: /);
			assert.deepEqual(page.errors, []);
		}
	},
};

browser = await Browser.start(program);
try {
	for (const [name, look] of Object.entries(pages))
		if (!only.length || only.includes(name)) {
			await look();
			console.log(`${name}: as it should be`);
		}
} finally {
	await browser.stop();
}
