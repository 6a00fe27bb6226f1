/* SPDX-License-Identifier: MIT */
/*
 * The blocks of data in the page: base64 of bytes, which may be compressed. Bytes are columns of
 * numbers, see docs/html-report.md.
 */

/** Reads numbers of 7 bits a byte, lowest first, the top bit set on all bytes but the last. */
export class Reader {
	private pos = 0;

	constructor(private readonly bytes: Uint8Array) {}

	get atEnd(): boolean {
		return this.pos >= this.bytes.length;
	}

	number(): number {
		let value = 0;
		let scale = 1;

		for (;;) {
			if (this.pos >= this.bytes.length)
				throw new Error("the data of this page are cut off");
			const byte = this.bytes[this.pos++];
			value += (byte & 127) * scale;
			if (byte < 128)
				return value;
			scale *= 128;
		}
	}

	/** A column: how many, then the numbers; each fits 31 bits. */
	column(): Int32Array {
		const values = new Int32Array(this.length());
		const bytes = this.bytes;
		let pos = this.pos;

		for (let i = 0; i < values.length; i++) {
			let byte = bytes[pos++];
			let value = byte & 127;
			for (let shift = 7; byte > 127; shift += 7) {
				byte = bytes[pos++];
				value |= (byte & 127) << shift;
			}
			values[i] = value;
		}
		this.pos = pos;
		this.checkEnd();
		return values;
	}

	/** A column of differences to the number before. */
	gaps(): Int32Array {
		const values = this.column();

		for (let i = 1; i < values.length; i++)
			values[i] += values[i - 1];
		return values;
	}

	/** A column of numbers that may be large or negative: the sign is the lowest bit. */
	signed(): Float64Array {
		const values = new Float64Array(this.length());

		for (let i = 0; i < values.length; i++) {
			const byte = this.bytes[this.pos];
			if (byte < 128) {
				values[i] = byte & 1 ? -((byte + 1) >> 1) : byte >> 1;
				this.pos++;
				continue;
			}
			const value = this.number();
			values[i] = value % 2 ? -(value + 1) / 2 : value / 2;
		}
		return values;
	}

	/** Texts: how many bytes of UTF-8, then these, each text ended by a zero byte. */
	texts(): string[] {
		const end = this.length() + this.pos;
		const texts = new TextDecoder().decode(this.bytes.subarray(this.pos, end)).split("\0");

		this.pos = end;
		texts.pop();
		return texts;
	}

	/** A number of things follows, of at least a byte each. */
	length(): number {
		const length = this.number();

		if (length > this.bytes.length - this.pos)
			throw new Error("the data of this page are damaged");
		return length;
	}

	private checkEnd(): void {
		if (this.pos > this.bytes.length)
			throw new Error("the data of this page are cut off");
	}
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
	const raw = atob(text);
	const bytes = new Uint8Array(raw.length);

	for (let i = 0; i < raw.length; i++)
		bytes[i] = raw.charCodeAt(i);
	return bytes;
}

async function unpack(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));

	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The bytes of the block with this id; NULL where the page has none. */
export async function block(id: string): Promise<Uint8Array | null> {
	const element = document.getElementById(id);

	if (!element)
		return null;
	const bytes = fromBase64((element.textContent ?? "").trim());
	return element.dataset.packed === "gzip" ? unpack(bytes) : bytes;
}
