// Marks of a run, on its charts and in a list: events that are worth checking, without blame.

import type { RunPage } from "../data/page";
import { Said } from "../parts/name";
import type { Extent } from "../period";
import { showMoment } from "../period";
import type { Band } from "../charts/bands";

/** More marks than this would cover the chart. */
const MOST_MARKS = 40;

/** A mark without duration must still be visible: draw it this long. */
const SHORTEST_S = 0.2;

/** The times of the marks, for the charts. */
export function markBandsOf(run: RunPage): Band[] {
  return run.marks.slice(0, MOST_MARKS).map((mark) => ({
    from_s: mark.from_s,
    to_s: Math.max(mark.to_s, mark.from_s + SHORTEST_S),
    isMark: true,
  }));
}

/** Marks of a run. A click shows one in all charts. */
export function Marks({ run, extent }: { run: RunPage; extent: Extent | null }) {
  return (
    <ul class="marks">
      {run.marks.slice(0, MOST_MARKS).map((mark) => {
        const show = () =>
          extent !== null && showMoment(extent, mark.from_s, mark.to_s, Math.max(1, (mark.to_s - mark.from_s) / 2));
        return (
          <li dir="auto" data-mark>
            {extent === null ? (
              <Said text={mark.text} />
            ) : (
              <button type="button" class="incident" onClick={show}>
                <Said text={mark.text} />
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
