// The period in view. There is one for the whole page: every chart with a time axis shows it and may change it. To
// choose a period and to zoom into it is the same.

import { signal } from "@preact/signals";

export interface Period {
  from_s: number;
  to_s: number;
}

/** Null for the whole extent. */
export const period = signal<Period | null>(null);

/** The whole time range of the page. A period is always inside it. */
export type Extent = Period;

/** The shortest period: the times of operations have microseconds. */
const SHORTEST_S = 0.0001;

/** The period in view. */
export function inView(extent: Extent, chosen: Period | null): Period {
  return chosen === null ? extent : (within(extent, chosen) ?? extent);
}

/** A period inside the extent; null if it covers (nearly) all of it, or none of it. */
export function within(extent: Extent, wish: Period): Period | null {
  const whole = extent.to_s - extent.from_s;
  const length = Math.max(wish.to_s - wish.from_s, Math.min(SHORTEST_S, whole));
  if (!(length < whole * 0.9995)) return null;
  if (wish.to_s <= extent.from_s || wish.from_s >= extent.to_s) return null;
  const from_s = Math.min(Math.max(wish.from_s, extent.from_s), extent.to_s - length);
  return { from_s, to_s: from_s + length };
}

/** Zooms in (factor below 1) or out; `at_s` keeps its position on the screen. */
export function zoomed(extent: Extent, chosen: Period | null, factor: number, at_s?: number): Period | null {
  const now = inView(extent, chosen);
  const fixed_s = at_s ?? (now.from_s + now.to_s) / 2;
  const from_s = fixed_s - (fixed_s - now.from_s) * factor;
  return within(extent, { from_s, to_s: from_s + (now.to_s - now.from_s) * factor });
}

/** Moves by a share of the period in view, and stops at the ends of the extent. */
export function moved(extent: Extent, chosen: Period | null, share: number): Period | null {
  if (chosen === null) return null;
  const now = inView(extent, chosen);
  const by_s = (now.to_s - now.from_s) * share;
  const room = { left: extent.from_s - now.from_s, right: extent.to_s - now.to_s };
  const step_s = Math.min(Math.max(by_s, room.left), room.right);
  return within(extent, { from_s: now.from_s + step_s, to_s: now.to_s + step_s });
}

/** The period after a key; undefined if the key has no meaning. */
export function byKey(key: string, extent: Extent, chosen: Period | null): Period | null | undefined {
  switch (key) {
    case "ArrowLeft":
      return moved(extent, chosen, -0.2);
    case "ArrowRight":
      return moved(extent, chosen, 0.2);
    case "+":
    case "=":
      return zoomed(extent, chosen, 0.5);
    case "-":
      return zoomed(extent, chosen, 2);
    case "Escape":
      return null;
    default:
      return undefined;
  }
}

/** Shows a time range with `around_s` on both sides; by default a fortieth of the extent. */
export function showMoment(extent: Extent, from_s: number, to_s: number, around_s?: number): void {
  const margin_s = around_s ?? Math.max((extent.to_s - extent.from_s) / 40, (to_s - from_s) / 2);
  period.value = within(extent, { from_s: from_s - margin_s, to_s: to_s + margin_s });
}
