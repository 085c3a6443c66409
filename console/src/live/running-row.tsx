// A run in progress in the list: its progress and its late frames.

import { count, percent } from "../figures/units";
import { lateFrames, progressOf, silence } from "./live-state";
import { timeWords } from "./running";
import { useLive } from "./use-live";

export function RunningRow({ id, finish }: { id: string; finish: () => void }) {
  const { state } = useLive(id, finish);
  const share = progressOf(state);
  const late = lateFrames(state);
  const silent_s = silence(state);
  return (
    <span class="running-row">
      <progress aria-label="Progress" {...(share === null ? {} : { value: share, max: 1 })}>
        {share === null ? "" : percent(share)}
      </progress>{" "}
      {timeWords(state)}
      {late !== null && (
        <span class={late > 0 ? "bad" : "good"}>
          {" "}
          {late > 0 ? "✕" : "✓"} {count(late)} late {late === 1 ? "frame" : "frames"}
        </span>
      )}
      {silent_s !== null && <strong class="bad"> no answer</strong>}
    </span>
  );
}
