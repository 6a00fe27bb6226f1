/* SPDX-License-Identifier: MIT */
/* Where the boxes of a tree are: row by row, of those that are wide enough to be seen. */
import type { Box, Tree } from "./tree";

/** A box in its row; box null: several, each too narrow, of one parent. Pixels. */
export interface Placed {
	x: number;
	width: number;
	box: Box | null;
	parent: Placed | null;
}

export type Rows = Placed[][];

/** Narrower boxes are not drawn, nor what is below them. */
export const narrowest = 0.5;

/** The boxes around the one that is zoomed to are as wide as the picture. */
function around(box: Box, width: number): Rows {
	const rows: Rows = [];

	for (let at: Box | null = box; at; at = at.parent)
		rows.unshift([{ x: 0, width, box: at, parent: null }]);
	for (let i = 1; i < rows.length; i++)
		rows[i][0].parent = rows[i - 1][0];
	return rows;
}

function placeChildren(tree: Tree, placed: Placed, row: Placed[]): void {
	const box = placed.box!;
	const scale = placed.width / tree.width(box);
	let x = placed.x;
	let narrow = 0;

	for (const child of tree.children(box)) {
		const width = tree.width(child) * scale;

		if (width >= narrowest) {
			row.push({ x, width, box: child, parent: placed });
			x += width;
		} else {
			narrow += width;
		}
	}
	if (narrow >= 1)
		row.push({ x, width: narrow, box: null, parent: placed });
}

/** All rows, the root's first, of a picture this many pixels wide. */
export function layOut(tree: Tree, zoom: Box, width: number): Rows {
	const rows = around(zoom, width);

	for (;;) {
		const row: Placed[] = [];

		for (const placed of rows[rows.length - 1])
			if (placed.box && tree.width(placed.box) > 0)
				placeChildren(tree, placed, row);
		if (!row.length)
			return rows;
		rows.push(row);
	}
}

/** The box of a row that is at this place, or NULL. */
export function findAt(row: Placed[] | undefined, x: number): Placed | null {
	let [low, high] = [0, row ? row.length : 0];

	while (low < high) {
		const middle = (low + high) >> 1;
		if (row![middle].x <= x)
			low = middle + 1;
		else
			high = middle;
	}
	const found = low > 0 ? row![low - 1] : null;
	return found && x < found.x + Math.max(found.width, 1) ? found : null;
}
