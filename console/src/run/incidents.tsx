// The incidents of a run: one line each, in the terminal's words.

import type { RunPage } from "../data/page";
import { count } from "../figures/units";
import { Said } from "../parts/name";
import { Section } from "../parts/section";
import { cut } from "../parts/text";

export function IncidentsSection({ run }: { run: RunPage }) {
  if (run.incidents.length === 0) return null;
  const points = run.summary.load_points;
  const all = points.reduce((sum, point) => sum + (point.streams?.incident_count ?? 0), 0);
  return (
    <Section
      id="incidents"
      title="Incidents"
      about="A disturbance that made frames late: when it was, whom it hit, what happened, and whose it was. Late frames of several streams with one cause are one incident."
    >
      <ol class="incidents">
        {run.incidents.map(({ point, text }) => (
          <li dir="auto" data-incident>
            {points.length > 1 && <>{cut(points[point]?.label ?? "", 40)}: </>}
            <Said text={text} />
          </li>
        ))}
      </ol>
      {all > run.incidents.length && <p>{count(all - run.incidents.length)} more are in summary.json.</p>}
    </Section>
  );
}
