// The incidents of a run, one line each, with the terminal's text. A click shows the incident in all charts.

import { useState } from "preact/hooks";
import type { IncidentSentence, RunPage } from "../data/page";
import type { LoadPoint } from "../data/summary";
import { count, counted } from "../figures/units";
import type { Extent } from "../period";
import { showMoment } from "../period";
import { Term } from "../parts/glossary";
import { Said } from "../parts/name";
import { Section } from "../parts/section";
import { cut } from "../parts/text";
import type { Band } from "../charts/bands";

/** Further incidents are shown on request. */
const SHOWN = 5;

/** More bands than this would cover the chart. */
const MOST_BANDS = 40;

/** The times of the incidents for the charts: the first ones of all load points. */
export function bandsOf(points: readonly LoadPoint[]): Band[] {
  const all = points.flatMap((point) => point.streams?.incidents ?? []);
  return all.slice(0, MOST_BANDS).map((one) => ({ from_s: one.began_s, to_s: one.ended_s }));
}

export function IncidentsSection({ run, extent }: { run: RunPage; extent: Extent | null }) {
  const [all, setAll] = useState(false);
  if (run.incidents.length === 0) return null;
  const points = run.summary.load_points;
  const found = points.reduce((sum, point) => sum + (point.streams?.incident_count ?? 0), 0);
  const shown = all ? run.incidents : run.incidents.slice(0, SHOWN);
  const hidden = run.incidents.length - shown.length;
  return (
    <Section
      id="incidents"
      title="Incidents"
      about={
        <>
          An <Term word="incident" /> is one disturbance that made frames late. Click one to show it in all charts.
        </>
      }
    >
      <ol class="incidents">
        {shown.map((incident) => (
          <li>
            <Incident incident={incident} points={points} extent={extent} />
          </li>
        ))}
      </ol>
      {hidden > 0 && (
        <button type="button" class="small" onClick={() => setAll(true)}>
          Show {counted(hidden, "more incident")}
        </button>
      )}
      {found > run.incidents.length && <p>{count(found - run.incidents.length)} more are in summary.json.</p>}
    </Section>
  );
}

interface Props {
  incident: IncidentSentence;
  points: LoadPoint[];
  extent: Extent | null;
}

function Incident({ incident, points, extent }: Props) {
  const facts = points[incident.point]?.streams?.incidents[incident.incident];
  const label = points.length > 1 ? `${cut(points[incident.point]?.label ?? "", 100)}: ` : "";
  const words = (
    <span dir="auto" data-incident>
      {label}
      <Said text={incident.text} />
    </span>
  );
  if (facts === undefined || extent === null) return words;
  const show = () => showMoment(extent, facts.began_s, facts.ended_s, Math.max(1, facts.ended_s - facts.began_s) / 2);
  return (
    <button type="button" class="incident" onClick={show}>
      {words}
    </button>
  );
}
