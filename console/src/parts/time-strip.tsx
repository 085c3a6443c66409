// The period of the page as a strip: the whole time, with the part in view as a window. Pointer and keys move and
// resize the window. The strip stays at the top while the user scrolls through charts with time.

import { useRef } from "preact/hooks";
import { tickTime } from "../charts/axes";
import { cursor } from "../charts/cursor";
import type { Extent, Period } from "../period";
import { byKey, inView, period, within } from "../period";

interface Props {
  extent: Extent;
  /** Values for orientation, evenly distributed over the extent, in any unit. */
  shape: number[];
  /** The name of these values: `throughput`. */
  shapeName: string;
}

/** How to use the charts below a strip. */
export const PERIOD_HELP =
  "Drag across a chart to choose a period for all charts. Ctrl+wheel zooms, Shift+drag pans, Escape or a double-click " +
  "shows everything.";

type Grip = "from" | "to" | "window";

export function TimeStrip({ extent, shape, shapeName }: Props) {
  const bar = useRef<HTMLDivElement>(null);
  const now = inView(extent, period.value);
  const share = (seconds: number) => ((seconds - extent.from_s) / (extent.to_s - extent.from_s)) * 100;
  const drag = useDrag(bar, extent);
  const left = share(now.from_s);
  const width = Math.max(share(now.to_s) - left, 0.3);
  return (
    <div class="strip" role="group" aria-label="Period in view, shared by all time charts">
      <div class="strip-bar" ref={bar} onPointerDown={drag("new")}>
        <Shape values={shape} name={shapeName} />
        <div class="strip-off" style={{ left: 0, width: `${left}%` }} />
        <div class="strip-off" style={{ left: `${left + width}%`, right: 0 }} />
        <div
          class="strip-window"
          style={{ left: `${left}%`, width: `${width}%` }}
          onPointerDown={drag("window")}
        />
        <CursorMark extent={extent} />
        <Handle
          name="Start of the period"
          grip="from"
          at={left}
          now={now}
          extent={extent}
          drag={drag("from")}
        />
        <Handle
          name="End of the period"
          grip="to"
          at={left + width}
          now={now}
          extent={extent}
          drag={drag("to")}
        />
      </div>
      <div class="strip-words">
        <output aria-live="polite">{words(extent, period.value)}</output>
        <span class="strip-buttons">
          <KeyButton sign="−" name="Longer period" press="-" extent={extent} />
          <KeyButton sign="+" name="Shorter period" press="+" extent={extent} />
          <KeyButton sign="←" name="Earlier" press="ArrowLeft" extent={extent} />
          <KeyButton sign="→" name="Later" press="ArrowRight" extent={extent} />
          <button
            type="button"
            class="small"
            disabled={period.value === null}
            onClick={() => (period.value = null)}
          >
            All
          </button>
        </span>
      </div>
    </div>
  );
}

/** The time under the pointer in the charts. */
function CursorMark({ extent }: { extent: Extent }) {
  const at_s = cursor.value;
  if (at_s === null) return null;
  const left = ((at_s - extent.from_s) / (extent.to_s - extent.from_s)) * 100;
  return <div class="strip-cursor" style={{ left: `${left}%` }} aria-hidden="true" />;
}

function words(extent: Extent, chosen: Period | null): string {
  if (chosen === null) return `All: ${tickTime(extent.from_s)} to ${tickTime(rounded(extent.to_s))}`;
  const now = inView(extent, chosen);
  const digits = Math.min(4, Math.max(0, 2 - Math.floor(Math.log10(now.to_s - now.from_s))));
  const at = (seconds: number) => tickTime(Number(seconds.toFixed(digits)));
  return `${at(now.from_s)} to ${at(now.to_s)} (${at(now.to_s - now.from_s)} of ${at(extent.to_s - extent.from_s)})`;
}

function rounded(seconds: number): number {
  return Number(seconds.toFixed(seconds < 10 ? 2 : 1));
}

function KeyButton({
  sign,
  name,
  press,
  extent,
}: {
  sign: string;
  name: string;
  press: string;
  extent: Extent;
}) {
  const act = () => {
    const wish = byKey(press, extent, period.peek());
    if (wish !== undefined) period.value = wish;
  };
  return (
    <button type="button" class="small" aria-label={name} title={name} onClick={act}>
      {sign}
    </button>
  );
}

interface HandleProps {
  name: string;
  grip: "from" | "to";
  at: number;
  now: Period;
  extent: Extent;
  drag: (event: PointerEvent) => void;
}

function Handle({ name, grip, at, now, extent, drag }: HandleProps) {
  const value = grip === "from" ? now.from_s : now.to_s;
  const key = (event: KeyboardEvent) => {
    const step = (extent.to_s - extent.from_s) / 100;
    const by = { ArrowLeft: -step, ArrowDown: -step, ArrowRight: step, ArrowUp: step }[event.key];
    if (event.key === "Escape") period.value = null;
    if (by === undefined) return;
    event.preventDefault();
    const next = grip === "from" ? { ...now, from_s: now.from_s + by } : { ...now, to_s: now.to_s + by };
    if (next.to_s > next.from_s) period.value = within(extent, clamped(extent, next));
  };
  return (
    <div
      class={`strip-handle ${grip}`}
      style={{ left: `${at}%` }}
      role="slider"
      tabIndex={0}
      aria-label={name}
      aria-valuemin={extent.from_s}
      aria-valuemax={extent.to_s}
      aria-valuenow={value}
      aria-valuetext={tickTime(Number(value.toFixed(3)))}
      onKeyDown={key}
      onPointerDown={drag}
    />
  );
}

function clamped(extent: Extent, wish: Period): Period {
  return { from_s: Math.max(wish.from_s, extent.from_s), to_s: Math.min(wish.to_s, extent.to_s) };
}

/** Starts a drag of an end, of the window, or of a new period. */
function useDrag(bar: { current: HTMLDivElement | null }, extent: Extent) {
  return (grip: Grip | "new") => (event: PointerEvent) => {
    const element = bar.current;
    if (element === null || event.button !== 0) return;
    event.stopPropagation();
    event.preventDefault();
    const box = element.getBoundingClientRect();
    const whole = extent.to_s - extent.from_s;
    const moment = (x: number) =>
      extent.from_s + (whole * Math.min(Math.max(x - box.left, 0), box.width)) / box.width;
    const begun = { at_s: moment(event.clientX), period: inView(extent, period.peek()) };
    const move = (next: PointerEvent) => {
      period.value = dragged(extent, grip, begun, moment(next.clientX));
    };
    const end = () => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", end);
      window.removeEventListener("pointercancel", end);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", end);
    window.addEventListener("pointercancel", end);
  };
}

/** The period after a drag from one time to another. */
export function dragged(
  extent: Extent,
  grip: Grip | "new",
  begun: { at_s: number; period: Period },
  at_s: number,
): Period | null {
  const { from_s, to_s } = begun.period;
  const shift = at_s - begun.at_s;
  const room = Math.min(Math.max(shift, extent.from_s - from_s), extent.to_s - to_s);
  switch (grip) {
    case "window":
      return within(extent, { from_s: from_s + room, to_s: to_s + room });
    case "from":
      return within(extent, { from_s: Math.min(at_s, to_s), to_s });
    case "to":
      return within(extent, { from_s, to_s: Math.max(at_s, from_s) });
    case "new":
      if (Math.abs(shift) < (extent.to_s - extent.from_s) / 400) return begun.period;
      return within(extent, { from_s: Math.min(begun.at_s, at_s), to_s: Math.max(begun.at_s, at_s) });
  }
}

/** A silhouette of at most 300 steps, because a strip is small. */
function Shape({ values, name }: { values: number[]; name: string }) {
  const columns = Math.min(values.length, 300);
  const per = values.length / Math.max(columns, 1);
  const heights: number[] = [];
  for (let column = 0; column < columns; column += 1) {
    const part = values.slice(
      Math.floor(column * per),
      Math.max(Math.floor((column + 1) * per), Math.floor(column * per) + 1),
    );
    heights.push(part.reduce((most, value) => Math.max(most, value), 0));
  }
  const most = heights.reduce((most, value) => Math.max(most, value), 0) || 1;
  const points = heights.map(
    (height, x) =>
      `${x},${(100 - (height / most) * 92).toFixed(1)} ${x + 1},${(100 - (height / most) * 92).toFixed(1)}`,
  );
  return (
    <svg
      class="strip-shape"
      viewBox={`0 0 ${Math.max(columns, 1)} 100`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${name}, small`}
    >
      <polygon points={`0,100 ${points.join(" ")} ${columns},100`} />
    </svg>
  );
}
