// SPDX-License-Identifier: MIT
// A headless Chromium that a test drives: pages, clicks, keys, pictures. It is spoken to through two
// pipes, with the messages of its DevTools protocol, each ended by a zero byte.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const flags = ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
	"--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
	"--force-color-profile=srgb", "--font-render-hinting=none", "--lang=en-US", "--mute-audio"];

export class Browser {
	static async start(program) {
		const browser = new Browser();

		browser.home = mkdtempSync(join(tmpdir(), "xperf-web-"));
		browser.process = spawn(program, [...flags, `--user-data-dir=${browser.home}`, "about:blank"],
			{ stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
		[browser.to, browser.from] = [browser.process.stdio[3], browser.process.stdio[4]];
		browser.waiting = new Map();
		browser.listeners = new Set();
		browser.last = 0;
		browser.listen();
		await browser.send("Browser.getVersion");
		return browser;
	}

	listen() {
		let rest = Buffer.alloc(0);

		this.process.on("exit", () => {
			for (const { reject } of this.waiting.values())
				reject(new Error("the browser has ended"));
		});
		this.to.on("error", () => {});
		this.from.on("data", chunk => {
			rest = Buffer.concat([rest, chunk]);
			for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1))
				this.receive(JSON.parse(rest.subarray(0, end).toString()));
		});
	}

	receive(message) {
		const waiting = this.waiting.get(message.id);

		this.waiting.delete(message.id);
		if (!waiting)
			this.listeners.forEach(listener => listener(message));
		else if (message.error)
			waiting.reject(new Error(message.error.message));
		else
			waiting.resolve(message.result);
	}

	send(method, params = {}, sessionId = undefined) {
		const id = ++this.last;

		this.to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
		return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
	}

	async open(file, options) {
		const page = new Page(this);

		await page.open(file, options);
		return page;
	}

	async stop() {
		const ended = new Promise(resolve => this.process.on("exit", resolve));

		this.send("Browser.close").catch(() => {});
		await ended;
		rmSync(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
	}
}

/** One page; what it complains of and asks for is kept. */
class Page {
	constructor(browser) {
		this.browser = browser;
		this.errors = [];
		this.requests = [];
	}

	/** @hash: of its address; @ready: an expression that is true when the page is complete */
	async open(file, { width = 1280, height = 800, dark = false, hash = "",
		ready = "document.body && document.body.dataset.ready && document.body.dataset.ready !== 'graph'" } = {}) {
		const { targetId } = await this.browser.send("Target.createTarget", { url: "about:blank" });

		this.target = targetId;
		this.session = (await this.browser.send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
		this.browser.listeners.add(message => message.sessionId === this.session && this.note(message));
		for (const domain of ["Page", "Runtime", "Log", "Network"])
			await this.send(`${domain}.enable`);
		await this.resize(width, height);
		await this.theme(dark);
		this.url = pathToFileURL(file).href + hash;
		await this.send("Page.navigate", { url: this.url });
		await this.until(ready);
	}

	resize(width, height) {
		return this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
	}

	theme(dark) {
		return this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
	}

	send(method, params) {
		return this.browser.send(method, params, this.session);
	}

	note({ method, params }) {
		if (method === "Runtime.exceptionThrown")
			this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
		else if (method === "Runtime.consoleAPICalled" && ["error", "warning"].includes(params.type))
			this.errors.push(params.args.map(arg => arg.value ?? arg.description).join(" "));
		else if (method === "Log.entryAdded" && params.entry.level === "error")
			this.errors.push(params.entry.text);
		else if (method === "Network.requestWillBeSent")
			this.requests.push(params.request.url);
		else if (method === "Page.javascriptDialogOpening")
			this.errors.push(`dialog: ${params.message}`);
	}

	/** The value of an expression in the page. */
	async value(expression) {
		const { result, exceptionDetails } = await this.send("Runtime.evaluate",
			{ expression, returnByValue: true, awaitPromise: true });

		if (exceptionDetails)
			throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
		return result.value;
	}

	/** Waits until the expression is true, looking each time the page could have drawn. */
	async until(expression) {
		for (const end = Date.now() + 300000; Date.now() < end;) {
			if (await this.value(`!!(${expression})`).catch(() => false))
				return;
			await new Promise(resolve => setTimeout(resolve, 10));
		}
		throw new Error(`this did not become true: ${expression}`);
	}

	/** Waits until the page has drawn what it has been asked for. */
	settle() {
		return this.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");
	}

	text(selector) {
		return this.value(`document.querySelector(${JSON.stringify(selector)}).innerText`);
	}

	async mouse(type, x, y, { buttons = 0, modifiers = 0 } = {}) {
		await this.send("Input.dispatchMouseEvent", { type, x, y, modifiers, buttons,
			button: type === "mouseMoved" && !buttons ? "none" : "left", clickCount: 1 });
	}

	async clickAt(x, y, options) {
		await this.mouse("mouseMoved", x, y);
		await this.mouse("mousePressed", x, y, { ...options, buttons: 1 });
		await this.mouse("mouseReleased", x, y, options);
		await this.settle();
	}

	/** Where an element is: { x, y, width, height }. */
	area(selector) {
		return this.value(`(() => { const found = document.querySelector(${JSON.stringify(selector)});
			found.scrollIntoView({ block: "nearest" });
			const { x, y, width, height } = found.getBoundingClientRect(); return { x, y, width, height }; })()`);
	}

	async click(selector) {
		const { x, y, width, height } = await this.area(selector);

		await this.clickAt(x + width / 2, y + height / 2);
	}

	async drag(from, to) {
		await this.mouse("mouseMoved", ...from);
		await this.mouse("mousePressed", ...from, { buttons: 1 });
		await this.mouse("mouseMoved", ...to, { buttons: 1 });
		await this.mouse("mouseReleased", ...to);
		await this.settle();
	}

	/** Presses a key: "Enter", "ArrowUp", "s"; modifiers: 1 Alt, 8 Shift. */
	async key(key, modifiers = 0) {
		const codes = { Enter: 13, Escape: 27, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Tab: 9 };
		const code = codes[key] ?? key.toUpperCase().charCodeAt(0);
		const text = key.length === 1 && !(modifiers & 1) ? key : undefined;

		await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, text, modifiers, windowsVirtualKeyCode: code });
		await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, modifiers, windowsVirtualKeyCode: code });
		await this.settle();
	}

	async type(text) {
		await this.send("Input.insertText", { text });
		await this.settle();
	}

	async picture() {
		const { data } = await this.send("Page.captureScreenshot", { format: "png" });

		return Buffer.from(data, "base64");
	}

	/** What is printed, as PDF. */
	async print() {
		const { data } = await this.send("Page.printToPDF", { printBackground: true });

		return Buffer.from(data, "base64");
	}
}
