// SPDX-License-Identifier: MIT
// Makes the page of reports, data/html/report.html, of the sources in src. With --check, says whether
// the page is what the sources make, and changes nothing.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const page = join(here, "../data/html/report.html");

function bundle(entry) {
	const built = buildSync({ entryPoints: [join(here, "src", entry)], absWorkingDir: here, bundle: true,
		minify: true, charset: "utf8", target: "es2022", format: "iife", legalComments: "none", write: false });

	return built.outputFiles[0].text.trim();
}

const hash = text => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The page with script and style in it; nothing else may run, and nothing may be fetched. */
function make() {
	const [script, style] = [bundle("main.ts"), bundle("style.css")];
	const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`;
	const parts = { POLICY: policy, STYLE: style, SCRIPT: script };

	return readFileSync(join(here, "src/page.html"), "utf8")
		.replace(/@(POLICY|STYLE|SCRIPT)@/g, (_, name) => parts[name]);
}

const made = make();
if (process.argv.includes("--check")) {
	if (readFileSync(page, "utf8") !== made) {
		console.error("data/html/report.html is not what web/src makes: run `npm ci && npm run build` in web/");
		process.exit(1);
	}
} else {
	mkdirSync(dirname(page), { recursive: true });
	writeFileSync(page, made);
	console.log(`data/html/report.html: ${Buffer.byteLength(made)} bytes`);
}
