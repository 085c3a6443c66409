// Pointer and wheel on a chart with a time axis: drag to choose a period, Ctrl and wheel to zoom, Shift and drag (or
// wheel sideways) to move, double click for the whole time. A plain wheel scrolls the page.

import { useEffect } from "preact/hooks";
import type { ECharts } from "./echarts";
import type { Extent } from "../period";
import { inView, moved, period, within, zoomed } from "../period";

/** A shorter drag counts as a click. */
const SHORTEST_DRAG_PX = 6;

export function useTimeGestures(
  chart: ECharts | null,
  box: { current: HTMLDivElement | null },
  extent: Extent | null,
): void {
  useEffect(() => {
    const element = box.current;
    if (chart === null || element === null || extent === null) return undefined;
    const gestures = new Gestures(chart, element, extent);
    return () => gestures.end();
  }, [chart, extent?.from_s, extent?.to_s]);
}

class Gestures {
  private begun: { pointer: number; x: number; moves: boolean } | null = null;
  private readonly band: HTMLDivElement;

  constructor(
    private readonly chart: ECharts,
    private readonly element: HTMLDivElement,
    private readonly extent: Extent,
  ) {
    this.band = document.createElement("div");
    this.band.className = "chart-band";
    this.band.hidden = true;
    element.parentElement?.append(this.band);
    element.addEventListener("wheel", this.wheel, { passive: false });
    element.addEventListener("pointerdown", this.down);
    element.addEventListener("pointermove", this.move);
    element.addEventListener("pointerup", this.up);
    element.addEventListener("pointercancel", this.cancel);
    element.addEventListener("dblclick", this.all);
  }

  end(): void {
    this.element.removeEventListener("wheel", this.wheel);
    this.element.removeEventListener("pointerdown", this.down);
    this.element.removeEventListener("pointermove", this.move);
    this.element.removeEventListener("pointerup", this.up);
    this.element.removeEventListener("pointercancel", this.cancel);
    this.element.removeEventListener("dblclick", this.all);
    this.band.remove();
  }

  /** The time at this x, and whether it is on the plot. */
  private moment(x: number): number {
    const at = this.chart.convertFromPixel({ xAxisIndex: 0 }, x);
    return typeof at === "number" ? at : this.extent.from_s;
  }

  private x(event: MouseEvent): number {
    return event.clientX - this.element.getBoundingClientRect().left;
  }

  private onPlot(event: MouseEvent): boolean {
    const y = event.clientY - this.element.getBoundingClientRect().top;
    return this.chart.containPixel("grid", [this.x(event), y]);
  }

  private readonly wheel = (event: WheelEvent) => {
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const factor = Math.exp(Math.min(Math.max(event.deltaY, -100), 100) * 0.004);
      period.value = zoomed(this.extent, period.peek(), factor, this.moment(this.x(event)));
    } else if ((sideways || event.shiftKey) && period.peek() !== null) {
      event.preventDefault();
      const by = sideways ? event.deltaX : event.deltaY;
      period.value = moved(this.extent, period.peek(), by / Math.max(this.element.clientWidth, 1));
    }
  };

  private readonly down = (event: PointerEvent) => {
    if (event.button !== 0 || !this.onPlot(event)) return;
    this.begun = { pointer: event.pointerId, x: this.x(event), moves: event.shiftKey };
  };

  private readonly move = (event: PointerEvent) => {
    if (this.begun?.pointer !== event.pointerId) return;
    const x = this.x(event);
    if (this.begun.moves) {
      const share = (this.begun.x - x) / Math.max(this.element.clientWidth, 1);
      this.begun.x = x;
      period.value = moved(this.extent, period.peek(), share);
      return;
    }
    if (Math.abs(x - this.begun.x) < SHORTEST_DRAG_PX) return;
    if (!this.element.hasPointerCapture(event.pointerId)) this.element.setPointerCapture(event.pointerId);
    this.band.hidden = false;
    this.band.style.left = `${Math.min(x, this.begun.x)}px`;
    this.band.style.width = `${Math.abs(x - this.begun.x)}px`;
  };

  private readonly up = (event: PointerEvent) => {
    const begun = this.begun;
    this.cancel();
    if (begun === null || begun.moves || begun.pointer !== event.pointerId) return;
    const x = this.x(event);
    if (Math.abs(x - begun.x) < SHORTEST_DRAG_PX) return;
    const ends = [this.moment(begun.x), this.moment(x)].sort((one, two) => one - two);
    const now = inView(this.extent, period.peek());
    const from_s = Math.max(ends[0] ?? now.from_s, now.from_s);
    const to_s = Math.min(ends[1] ?? now.to_s, now.to_s);
    if (to_s > from_s) period.value = within(this.extent, { from_s, to_s });
  };

  private readonly cancel = () => {
    this.begun = null;
    this.band.hidden = true;
  };

  private readonly all = () => {
    period.value = null;
  };
}
