// The period that is looked at. One for the whole page: every chart with a time axis shows it and may
// change it. Choosing a period and zooming into it are the same thing here.

import { signal } from "@preact/signals";

export interface Period {
  from_s: number;
  to_s: number;
}

/** null: all of it. */
export const period = signal<Period | null>(null);

/** The times that are there at all. A period of the page never leaves them. */
export type Extent = Period;

/** Less than this can't be looked at: operations are told to the microsecond. */
const SHORTEST_S = 0.0001;

/** What is looked at now. */
export function inView(extent: Extent, chosen: Period | null): Period {
  return chosen === null ? extent : (within(extent, chosen) ?? extent);
}

/** A period inside the extent; null where it is (nearly) all of it, or none of it. */
export function within(extent: Extent, wish: Period): Period | null {
  const whole = extent.to_s - extent.from_s;
  const length = Math.max(wish.to_s - wish.from_s, Math.min(SHORTEST_S, whole));
  if (!(length < whole * 0.9995)) return null;
  if (wish.to_s <= extent.from_s || wish.from_s >= extent.to_s) return null;
  const from_s = Math.min(Math.max(wish.from_s, extent.from_s), extent.to_s - length);
  return { from_s, to_s: from_s + length };
}

/** Closer (factor below 1) or farther, so that the moment at_s stays where it is on the screen. */
export function zoomed(extent: Extent, chosen: Period | null, factor: number, at_s?: number): Period | null {
  const now = inView(extent, chosen);
  const fixed_s = at_s ?? (now.from_s + now.to_s) / 2;
  const from_s = fixed_s - (fixed_s - now.from_s) * factor;
  return within(extent, { from_s, to_s: from_s + (now.to_s - now.from_s) * factor });
}

/** Moved by a share of what is in view; stops at the ends. */
export function moved(extent: Extent, chosen: Period | null, share: number): Period | null {
  if (chosen === null) return null;
  const now = inView(extent, chosen);
  const by_s = (now.to_s - now.from_s) * share;
  const room = { left: extent.from_s - now.from_s, right: extent.to_s - now.to_s };
  const step_s = Math.min(Math.max(by_s, room.left), room.right);
  return within(extent, { from_s: now.from_s + step_s, to_s: now.to_s + step_s });
}

/** What a key does to the period; undefined where it does nothing. */
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

/** Shows a moment with some time around it: `around_s` at both sides, or a fortieth of all there is. */
export function showMoment(extent: Extent, from_s: number, to_s: number, around_s?: number): void {
  const margin_s = around_s ?? Math.max((extent.to_s - extent.from_s) / 40, (to_s - from_s) / 2);
  period.value = within(extent, { from_s: from_s - margin_s, to_s: to_s + margin_s });
}
