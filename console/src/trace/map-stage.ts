// The canvas of the offset map. It draws at most once per frame, and converts pointer, wheel and touch to a choice of
// time and offset. Drag a box to zoom, Shift and drag (or hand mode) to move, Ctrl and wheel to zoom, two fingers to
// zoom and move, double click for everything. A plain wheel scrolls the page.

import { FONT } from "../charts/look";
import type { Look } from "../charts/palette";
import { type Anchor, type MapChoice, type MapExtent, bytesWithin, movedMap, viewOf, zoomedMap } from "./map-view";
import { within } from "../period";
import { type Area, type Scene, areaOf, paintAxes, paintGrid, paintMarks } from "./map-paint";
import { Raster } from "./map-raster";

export interface StageInput {
  extent: MapExtent;
  choice: MapChoice;
  scene: Omit<Scene, "view">;
  look: Look;
  /** Whether a drag moves the map instead of selecting a box. */
  hand: boolean;
}

export interface StageOutput {
  changed: (choice: MapChoice) => void;
  /** Called with the position of the pointer as shares of the plot; null outside. */
  pointed: (at: Anchor | null) => void;
}

interface Drag {
  x: number;
  y: number;
  moves: boolean;
}

/** A shorter drag counts as a click. */
const SHORTEST_DRAG_PX = 6;

export class MapStage {
  private input: StageInput | null = null;
  private drag: Drag | null = null;
  private box: { x: number; y: number } | null = null;
  private readonly fingers = new Map<number, { x: number; y: number }>();
  private frame = 0;
  private raster: Raster | null = null;
  private readonly stops = new AbortController();
  private readonly sized: ResizeObserver;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly output: StageOutput,
  ) {
    const { signal } = this.stops;
    canvas.addEventListener("wheel", this.wheel, { passive: false, signal });
    canvas.addEventListener("pointerdown", this.down, { signal });
    canvas.addEventListener("pointermove", this.move, { signal });
    canvas.addEventListener("pointerup", this.up, { signal });
    canvas.addEventListener("pointercancel", this.cancel, { signal });
    canvas.addEventListener("pointerleave", () => output.pointed(null), { signal });
    canvas.addEventListener("dblclick", () => this.change({ period: null, bytes: null }), { signal });
    this.sized = new ResizeObserver(() => this.request());
    this.sized.observe(canvas);
  }

  end(): void {
    this.stops.abort();
    this.sized.disconnect();
    cancelAnimationFrame(this.frame);
  }

  set(input: StageInput): void {
    this.input = input;
    this.request();
  }

  area(): Area {
    return areaOf(this.canvas.clientWidth, this.canvas.clientHeight);
  }

  private request(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame(this.draw);
  }

  private readonly draw = () => {
    this.frame = 0;
    const context = this.canvas.getContext("2d");
    if (context === null || this.input === null || this.canvas.clientWidth === 0) return;
    const fineness = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const dots = { width: Math.round(width * fineness), height: Math.round(height * fineness) };
    if (this.canvas.width !== dots.width) this.canvas.width = dots.width;
    if (this.canvas.height !== dots.height) this.canvas.height = dots.height;
    const { extent, choice, scene, look } = this.input;
    const area = areaOf(width, height);
    const view = viewOf(extent, choice, area.width, area.height);
    context.setTransform(fineness, 0, 0, fineness, 0, 0);
    context.globalAlpha = 1;
    context.fillStyle = look.ground;
    context.fillRect(0, 0, width, height);
    paintAxes(context, view, area, look, FONT);
    const raster = this.rasterFor(context, area, fineness);
    raster.clear(look.ground);
    paintGrid(view, raster, look);
    paintMarks({ ...scene, view }, raster);
    context.putImageData(raster.image, Math.round(area.left * fineness), Math.round(area.top * fineness));
    context.strokeRect(area.left + 0.5, area.top + 0.5, area.width, area.height);
    this.drawBox(context, look);
  };

  /** The same picture for all frames of one size. */
  private rasterFor(context: CanvasRenderingContext2D, area: Area, fineness: number): Raster {
    const [width, height] = [Math.round(area.width * fineness), Math.round(area.height * fineness)];
    const { image } = this.raster ?? {};
    if (this.raster === null || image?.width !== width || image.height !== height) {
      this.raster = new Raster(context.createImageData(width, height), fineness);
    }
    return this.raster;
  }

  private drawBox(context: CanvasRenderingContext2D, look: Look): void {
    if (this.drag === null || this.box === null || this.drag.moves) return;
    context.strokeStyle = look.ink;
    context.setLineDash([5, 3]);
    context.strokeRect(this.drag.x, this.drag.y, this.box.x - this.drag.x, this.box.y - this.drag.y);
    context.setLineDash([]);
  }

  /** Drawn immediately. Listeners may respond later. */
  private change(choice: MapChoice): void {
    if (this.input !== null) this.input = { ...this.input, choice };
    this.request();
    this.output.changed(choice);
  }

  private place(event: MouseEvent): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private anchor(at: { x: number; y: number }): Anchor {
    const area = this.area();
    return { across: (at.x - area.left) / area.width, up: 1 - (at.y - area.top) / area.height };
  }

  private readonly wheel = (event: WheelEvent) => {
    if (this.input === null) return;
    const { extent, choice } = this.input;
    const { width, height } = this.area();
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const factor = Math.exp(Math.min(Math.max(event.deltaY, -100), 100) * 0.004);
      const axes = event.shiftKey ? "time" : event.altKey ? "offset" : "both";
      this.change(zoomedMap(extent, choice, factor, axes, this.anchor(this.place(event))));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      if (choice.period === null) return;
      event.preventDefault();
      const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.deltaY;
      this.change(movedMap(extent, choice, sideways / width, -(event.shiftKey ? 0 : event.deltaY) / height));
    }
  };

  private readonly down = (event: PointerEvent) => {
    if (event.button !== 0 || this.input === null) return;
    const at = this.place(event);
    this.fingers.set(event.pointerId, at);
    this.canvas.setPointerCapture(event.pointerId);
    this.box = null;
    this.drag = this.fingers.size === 1 ? { ...at, moves: event.shiftKey || this.input.hand } : null;
  };

  private readonly move = (event: PointerEvent) => {
    const at = this.place(event);
    if (this.fingers.size === 2 && this.fingers.has(event.pointerId)) return this.pinch(event.pointerId, at);
    if (this.drag === null || this.input === null || !this.fingers.has(event.pointerId)) {
      const anchor = this.anchor(at);
      const inside = anchor.across >= 0 && anchor.across <= 1 && anchor.up >= 0 && anchor.up <= 1;
      return this.output.pointed(inside ? anchor : null);
    }
    if (!this.drag.moves) {
      this.box = at;
      return this.request();
    }
    const { width, height } = this.area();
    const [across, up] = [(this.drag.x - at.x) / width, (at.y - this.drag.y) / height];
    this.drag = { ...at, moves: true };
    this.change(movedMap(this.input.extent, this.input.choice, across, up));
  };

  /** Two fingers: the part of the map between them stays between them. */
  private pinch(pointer: number, at: { x: number; y: number }): void {
    const before = this.fingers.get(pointer);
    const other = [...this.fingers].find(([id]) => id !== pointer)?.[1];
    if (before === undefined || other === undefined || this.input === null) return;
    const distance = (one: { x: number; y: number }) => Math.max(Math.hypot(one.x - other.x, one.y - other.y), 10);
    const middle = this.anchor({ x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 });
    const was = this.anchor({ x: (before.x + other.x) / 2, y: (before.y + other.y) / 2 });
    this.fingers.set(pointer, at);
    const closer = zoomedMap(this.input.extent, this.input.choice, distance(before) / distance(at), "both", was);
    this.change(movedMap(this.input.extent, closer, was.across - middle.across, was.up - middle.up));
  }

  private readonly up = (event: PointerEvent) => {
    const { drag, box, input } = this;
    this.cancel(event);
    if (drag === null || drag.moves || box === null || input === null) return;
    if (Math.abs(box.x - drag.x) < SHORTEST_DRAG_PX && Math.abs(box.y - drag.y) < SHORTEST_DRAG_PX) return;
    this.change(boxed(input, this.anchor(drag), this.anchor(box)));
  };

  private readonly cancel = (event: PointerEvent) => {
    this.fingers.delete(event.pointerId);
    this.drag = null;
    this.box = null;
    this.request();
  };
}

/** The choice inside a box. If the box is flat in one axis, that axis does not change. */
export function boxed(input: Pick<StageInput, "extent" | "choice">, one: Anchor, two: Anchor): MapChoice {
  const { extent, choice } = input;
  const view = viewOf(extent, choice, 1, 1);
  const share = (value: number) => Math.min(Math.max(value, 0), 1);
  const [left, right] = [share(Math.min(one.across, two.across)), share(Math.max(one.across, two.across))];
  const [low, high] = [share(Math.min(one.up, two.up)), share(Math.max(one.up, two.up))];
  const seconds = view.to_s - view.from_s;
  const bytes = view.to_bytes - view.from_bytes;
  const time = { from_s: view.from_s + left * seconds, to_s: view.from_s + right * seconds };
  const offsets = { from_bytes: view.from_bytes + low * bytes, to_bytes: view.from_bytes + high * bytes };
  return {
    period: right - left < 0.01 ? choice.period : within(extent.time, time),
    bytes: high - low < 0.02 ? choice.bytes : bytesWithin(extent.end_bytes, offsets),
  };
}
