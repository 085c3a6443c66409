// What stands beside a run: the path to the disks with what each part of it can carry, what happened meanwhile that is
// known to disturb storage, and who else sampled. Marks are something to look at, and nobody's fault.

import type { RunPage } from "../data/page";
import { Section } from "../parts/section";
import { Said } from "../parts/name";
import type { Extent } from "../period";
import { showMoment } from "../period";
import type { Band } from "../charts/bands";

/** More marks than this would be a fence. */
const MOST_MARKS = 40;

/** A mark that took no time is still to be seen. */
const SHORTEST_S = 0.2;

/** When the marks were, for the charts. */
export function markBandsOf(run: RunPage): Band[] {
  return run.marks.slice(0, MOST_MARKS).map((mark) => ({
    from_s: mark.from_s,
    to_s: Math.max(mark.to_s, mark.from_s + SHORTEST_S),
    isMark: true,
  }));
}

/** Whether there is anything beside the run. */
export function hasBeside(run: RunPage): boolean {
  return run.path.length + run.marks.length + run.observers.length > 0;
}

export function BesideSection({ run, extent }: { run: RunPage; extent: Extent | null }) {
  return (
    <Section id="beside" title="Beside the run">
      {run.path.length > 0 && (
        <>
          <h3>The path to the disks</h3>
          <p class="faint">What each part of it can carry, where that is known, and what was measured there.</p>
          <Path run={run} />
        </>
      )}
      {run.marks.length > 0 && <Marks run={run} extent={extent} />}
      {run.observers.map((words) => (
        <p class="faint" dir="auto" data-observer>
          <Said text={`Observer: ${words}.`} />
        </p>
      ))}
    </Section>
  );
}

/** From this machine down to the disks; the part that can carry least is marked, and unknown parts are unknown. */
function Path({ run }: { run: RunPage }) {
  return (
    <ol class="path" aria-label="The path from this machine to the disks">
      {run.path.map((hop) => (
        <li data-hop class={`hop ${hop.is_lowest ? "hop-lowest" : ""} ${hop.is_known ? "" : "hop-unknown"}`}>
          <strong>{hop.name}</strong>
          <span dir="auto">{hop.known}</span>
          {hop.carries !== "" && <span class="hop-carries">{hop.carries}</span>}
          {hop.is_lowest && <span class="hop-mark">the lowest</span>}
        </li>
      ))}
    </ol>
  );
}

function Marks({ run, extent }: { run: RunPage; extent: Extent | null }) {
  return (
    <>
      <h3>Marks</h3>
      <p class="faint">What happened meanwhile and is known to disturb storage. That it was at the same time proves nothing.</p>
      <ul class="marks">
        {run.marks.slice(0, MOST_MARKS).map((mark) => {
          const words = `${mark.text}, ${mark.from_s.toFixed(1)} s to ${mark.to_s.toFixed(1)} s`;
          const show = () =>
            extent !== null && showMoment(extent, mark.from_s, mark.to_s, Math.max(1, (mark.to_s - mark.from_s) / 2));
          return (
            <li dir="auto" data-mark>
              {extent === null ? (
                <Said text={words} />
              ) : (
                <button type="button" class="incident" onClick={show}>
                  <Said text={words} />
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}
