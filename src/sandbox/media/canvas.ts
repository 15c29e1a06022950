import { glyphSize, glyphs } from './glyphs.js';

export type Point = readonly [x: number, y: number];

/** A sheet of pixels, each an index into some palette. What falls outside is cut off. */
export class Canvas {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.pixels = new Uint8Array(width * height);
  }

  rectangle(x: number, y: number, width: number, height: number, colour: number): void {
    for (let row = y; row < y + height; row += 1) this.#run(row, x, x + width, colour);
  }

  ellipse(x: number, y: number, across: number, down: number, colour: number): void {
    for (let row = y - down; row <= y + down; row += 1) {
      const half = across * Math.sqrt(1 - ((row - y) / down) ** 2);
      this.#run(row, x - half, x + half + 1, colour);
    }
  }

  /** Filled; corners in order, whichever way round. */
  polygon(corners: readonly Point[], colour: number): void {
    const heights = corners.map(([, y]) => y);
    for (let row = Math.min(...heights); row < Math.max(...heights); row += 1) {
      const crossings = corners
        .flatMap((corner, at) => crossing(corner, corners[(at + 1) % corners.length] ?? corner, row + 0.5))
        .sort((a, b) => a - b);
      for (let at = 0; at + 1 < crossings.length; at += 2) {
        this.#run(row, crossings[at] ?? 0, crossings[at + 1] ?? 0, colour);
      }
    }
  }

  /** Capitals and digits, each pixel of a letter `scale` pixels wide and high. Other characters are left blank. */
  text(x: number, y: number, scale: number, text: string, colour: number): void {
    for (const [at, char] of [...text.toUpperCase()].entries()) {
      const left = x + at * (glyphSize.width + 1) * scale;
      for (const [row, bits] of (glyphs.get(char) ?? []).entries()) {
        for (let column = 0; column < glyphSize.width; column += 1) {
          const isInk = (bits >> (glyphSize.width - 1 - column)) & 1;
          if (isInk) this.rectangle(left + column * scale, y + row * scale, scale, scale, colour);
        }
      }
    }
  }

  #run(row: number, from: number, to: number, colour: number): void {
    if (row < 0 || row >= this.height) return;
    const start = Math.max(0, Math.round(from));
    const end = Math.min(this.width, Math.round(to));
    if (end > start) this.pixels.fill(colour, row * this.width + start, row * this.width + end);
  }
}

/** Where an edge crosses a height: once or never. */
function crossing([x1, y1]: Point, [x2, y2]: Point, y: number): number[] {
  return y1 <= y === y2 <= y ? [] : [x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)];
}
