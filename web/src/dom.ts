/* SPDX-License-Identifier: MIT */
/*
 * Elements of the page. What comes from a recording gets into it as text only: nothing here, or
 * elsewhere in the page, makes markup of a string.
 */
type Child = Node | string;
type Attributes = Record<string, string | number | boolean>;

/** An element with attributes and children; strings become text. */
export function element<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, attributes: Attributes = {},
	...children: Child[]): HTMLElementTagNameMap[Tag] {
	const made = document.createElement(tag);

	for (const [name, value] of Object.entries(attributes))
		if (value !== false)
			made.setAttribute(name, value === true ? "" : String(value));
	made.append(...children);
	return made;
}

/** The element of the page's own markup that has this id. */
export function byId<Type extends HTMLElement = HTMLElement>(id: string): Type {
	const found = document.getElementById(id);

	if (!found)
		throw new Error(`the page has no element "${id}"`);
	return found as Type;
}

/** A button that does something. */
export function button(label: string, attributes: Attributes, act: () => void): HTMLButtonElement {
	const made = element("button", { type: "button", ...attributes }, label);

	made.addEventListener("click", act);
	return made;
}

/** Says something to those who hear the page. */
export function announce(text: string): void {
	byId("live").textContent = text;
}

/** A canvas as large as its box, in pixels of the screen; returns what draws on it. */
export function fitCanvas(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
	const ratio = window.devicePixelRatio || 1;
	const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];

	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
	}
	canvas.style.width = `${width}px`;
	canvas.style.height = `${height}px`;
	const context = canvas.getContext("2d")!;
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	return context;
}
