// Identifies the runs: number, name, and the line that represents the run in the charts.

import type { ComparedRun } from "../data/page";
import { DARK, LIGHT, seriesStyle } from "../charts/palette";
import { Name } from "../parts/name";
import { dark } from "../parts/theme";
import { cut } from "../parts/text";
import { startedAt } from "../run/when";

/** The tags that distinguish it from the others, otherwise its label, otherwise its directory. */
export function ownName(run: ComparedRun): string {
  const tags = (run.distinguishing_tags ?? []).join(", ");
  return tags !== "" ? tags : run.label === "" ? run.id : run.label;
}

/** `2: production-edit`: short, and unique. */
export function runName(run: ComparedRun, at: number): string {
  return `${at + 1}: ${cut(ownName(run), 32)}`;
}

/** The list of runs, each with its line. */
export function RunKey({ runs }: { runs: ComparedRun[] }) {
  return (
    <ol class="run-key">
      {runs.map((run, at) => (
        <li>
          <Sample at={at} /> <strong>{at + 1}</strong> <Name text={run.label === "" ? run.verb : run.label} />
          {(run.tags ?? []).length > 0 && <> (<Name text={run.tags.join(", ")} />)</>} on{" "}
          <Name text={run.target} />, {startedAt(run.started_at)}
          {at === 0 && " (baseline)"}
          <br />
          <small class="faint">
            <Name text={run.id} length={90} />
          </small>
        </li>
      ))}
    </ol>
  );
}

/** The run's line as the charts draw it. */
function Sample({ at }: { at: number }) {
  const style = seriesStyle({ ...(dark.value ? DARK : LIGHT), width: 1000 }, at);
  const dash = style.dash === "solid" ? undefined : style.dash.join(" ");
  return (
    <svg class="sample" width="34" height="10" aria-hidden="true">
      <line x1="0" y1="5" x2="34" y2="5" stroke={style.color} stroke-width="2.5" stroke-dasharray={dash} />
    </svg>
  );
}
