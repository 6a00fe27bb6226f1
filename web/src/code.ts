/* SPDX-License-Identifier: MIT */
/* The code of the hottest functions: what is stored of it, and how much each row of it weighs. */

/** Kinds of rows, as numbers in the data. */
export const RowKind = { instruction: 0, source: 1, name: 2, skipped: 3 };

/** line, file: of source, 0 and "" where they are not known; nr: of instructions that are left out */
export interface CodeRow {
	kind: number;
	text: string;
	line: number;
	file: string;
	offset: number;
	nr: number;
}

export interface CodeSum {
	row: number;
	event: number;
	samples: number;
	weight: number;
}

export interface CodeFunction {
	name: string;
	file: string;
	address: bigint;
	rows: CodeRow[];
	sums: CodeSum[];
}

type RawRow = [number, string | number, number?, number?, number?];

interface Raw {
	functions: { name: string; file: string; address: string; rows: RawRow[];
		sums: [number, number, number, number][] }[];
	files: string[];
}

function decodeRow([kind, what, line = 0, file = -1, offset = 0]: RawRow, files: string[]): CodeRow {
	const skipped = kind === RowKind.skipped;

	return { kind, text: skipped ? "" : String(what), line, file: files[file] ?? "", offset,
		nr: skipped ? Number(what) : 0 };
}

export function decodeCode(bytes: Uint8Array): CodeFunction[] {
	const raw = JSON.parse(new TextDecoder().decode(bytes)) as Raw;

	return raw.functions.map(({ name, file, address, rows, sums }) => ({ name, file,
		address: BigInt(`0x${address}`), rows: rows.map(row => decodeRow(row, raw.files)),
		sums: sums.map(([row, event, samples, weight]) => ({ row, event, samples, weight })) }));
}

/** What was counted at something. */
export interface Heat {
	samples: number;
	weight: number;
}

function add(heat: Heat | undefined, sum: CodeSum): Heat {
	return { samples: (heat?.samples ?? 0) + sum.samples, weight: (heat?.weight ?? 0) + sum.weight };
}

/** Adds up events, per row and for the whole function. */
export function heatOf(code: CodeFunction, events: readonly number[]): { rows: Map<number, Heat>; all: Heat } {
	const rows = new Map<number, Heat>();
	let all: Heat = { samples: 0, weight: 0 };

	for (const sum of code.sums)
		if (events.includes(sum.event)) {
			rows.set(sum.row, add(rows.get(sum.row), sum));
			all = add(all, sum);
		}
	return { rows, all };
}

/** A row that is shown. heat: null: nothing was counted there */
export interface ShownRow {
	kind: "instruction" | "source" | "name" | "skipped";
	/** an address, or the number of a line */
	place: string;
	text: string;
	heat: Heat | null;
}

const shownKinds = ["instruction", "source", "name", "skipped"] as const;

function skippedText(nr: number): string {
	return `… ${nr} instruction${nr === 1 ? "" : "s"} …`;
}

/** Instructions, each after the source that it was made of. */
export function assemblyRows(code: CodeFunction, heat: Map<number, Heat>): ShownRow[] {
	return code.rows.map((row, i): ShownRow => {
		const kind = shownKinds[row.kind] ?? "name";
		const place = kind === "instruction" ? (code.address + BigInt(row.offset)).toString(16) :
			kind === "source" ? String(row.line) : "";

		return { kind, place, text: kind === "skipped" ? skippedText(row.nr) : row.text, heat: heat.get(i) ?? null };
	});
}

interface SourceLine {
	file: string;
	line: number;
	text: string;
	heat: Heat | null;
}

/** Lines of source that instructions were made of, and those that are shown around them. */
function sourceLines(code: CodeFunction, heat: Map<number, Heat>): SourceLine[] {
	const lines = new Map<string, SourceLine>();

	code.rows.forEach((row, i) => {
		const isSource = row.kind === RowKind.source;
		if (!row.line || !row.file || (!isSource && !heat.has(i)))
			return;
		const key = `${row.line} ${row.file}`;
		const line = lines.get(key) ?? { file: row.file, line: row.line, text: "", heat: null };
		const here = heat.get(i);
		if (isSource)
			line.text = row.text;
		if (here)
			line.heat = { samples: here.samples + (line.heat?.samples ?? 0), weight: here.weight + (line.heat?.weight ?? 0) };
		lines.set(key, line);
	});
	return [...lines.values()].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line));
}

/** Lines of source, file by file, with what all of their instructions weigh. */
export function sourceRows(code: CodeFunction, heat: Map<number, Heat>): ShownRow[] {
	const rows: ShownRow[] = [];
	let last: SourceLine | null = null;

	for (const line of sourceLines(code, heat)) {
		if (line.file !== last?.file)
			rows.push({ kind: "name", place: "", text: line.file, heat: null });
		else if (line.line > last.line + 1)
			rows.push({ kind: "skipped", place: "", text: "…", heat: null });
		rows.push({ kind: "source", place: String(line.line), text: line.text, heat: line.heat });
		last = line;
	}
	return rows;
}

/** The function whose code has that of a frame: its own, or one that it is inlined in. */
export function findCode(functions: readonly CodeFunction[], name: string, file: string): CodeFunction | null {
	const inFile = functions.filter(code => code.file === file);
	const heading = `${name}():`;

	return inFile.find(code => code.name === name) ??
		inFile.find(code => code.rows.some(row => row.kind === RowKind.name && row.text === heading)) ?? null;
}
