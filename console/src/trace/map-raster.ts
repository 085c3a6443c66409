// Draws marks directly into a pixel buffer. A canvas without a graphics card, as on a server or a remote desktop, is
// too slow for tens of thousands of small hatched cells per frame; here they take a few milliseconds.

import { rgb } from "../charts/palette";
import type { Fill, Pen } from "./map-paint";

/** Hatching: this many coloured CSS pixels in each PERIOD. */
const ON = 2;
const PERIOD = 4;

export class Raster implements Pen {
  /** 0xAABBGGRR, the byte order of canvas data on every platform with browsers. */
  private readonly dots: Uint32Array;
  private colour: [number, number, number] = [0, 0, 0];
  private fill: Fill = "solid";
  /** Opacity, 0 to 256. */
  private alpha = 256;

  constructor(
    readonly image: ImageData,
    /** Device pixels per CSS pixel. */
    private readonly fineness: number,
  ) {
    this.dots = new Uint32Array(image.data.buffer);
  }

  /** Fills the picture with one colour. */
  clear(hex: string): void {
    this.dots.fill(packed(...rgb(hex)));
  }

  begin(colour: string, fill: Fill, alpha: number): void {
    this.colour = rgb(colour);
    this.fill = fill;
    this.alpha = Math.round(alpha * 256);
  }

  rect(x: number, y: number, width: number, height: number): void {
    const f = this.fineness;
    const left = Math.round(x * f);
    const top = Math.round(y * f);
    const right = Math.max(Math.round((x + width) * f), left + 1);
    const bottom = Math.max(Math.round((y + height) * f), top + 1);
    if (this.fill !== "hollow") return this.block(left, top, right, bottom);
    const line = Math.max(Math.round(f * 1.3), 1);
    this.block(left, top, right, top + line);
    this.block(left, bottom - line, right, bottom);
    this.block(left, top + line, left + line, bottom - line);
    this.block(right - line, top + line, right, bottom - line);
  }

  /** Fills from left and top to right and bottom, exclusive. Pixels outside the picture are omitted. */
  private block(left: number, top: number, right: number, bottom: number): void {
    const { dots, alpha } = this;
    const { width } = this.image;
    const [fromX, toX] = [Math.max(left, 0), Math.min(right, width)];
    const [fromY, toY] = [Math.max(top, 0), Math.min(bottom, this.image.height)];
    if (fromX >= toX) return;
    const hatched = this.fill === "hatched";
    const solid = packed(...this.colour);
    if (!hatched && alpha === 256) {
      for (let y = fromY; y < toY; y += 1) dots.fill(solid, y * width + fromX, y * width + toX);
      return;
    }
    const on = ON * this.fineness;
    const period = PERIOD * this.fineness;
    // Neighbouring pixels mostly have the same background, so the mixed colour is reused.
    let below = dots[fromY * width + fromX] ?? 0;
    let mixed = alpha === 256 ? solid : this.over(below);
    for (let y = fromY; y < toY; y += 1) {
      let phase = (fromX + y) % period;
      for (let dot = y * width + fromX; dot < y * width + toX; dot += 1) {
        const isOn = !hatched || phase < on;
        phase = phase + 1 === period ? 0 : phase + 1;
        if (!isOn) continue;
        const here = dots[dot] ?? 0;
        if (here !== below && alpha !== 256) {
          below = here;
          mixed = this.over(here);
        }
        dots[dot] = mixed;
      }
    }
  }

  /** The colour mixed with the background. */
  private over(below: number): number {
    const [red, green, blue] = this.colour;
    const rest = 256 - this.alpha;
    return packed(
      (red * this.alpha + (below & 255) * rest) >> 8,
      (green * this.alpha + ((below >> 8) & 255) * rest) >> 8,
      (blue * this.alpha + ((below >> 16) & 255) * rest) >> 8,
    );
  }
}

function packed(red: number, green: number, blue: number): number {
  return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
}
