// The vendor sheet: a run on one page of paper, A4 or Letter, for a reader who did not see the run. All its figures are
// in the summary; the report has the others.

import type { ComponentChildren } from "preact";
import type { RunPage } from "../data/page";
import { counted } from "../figures/units";
import { Blocks, blocksOf, tableOf, TableView, Told } from "../parts/blocks";
import { VerdictMark } from "../parts/shell";
import { cut } from "../parts/text";
import { SheetPicture } from "./sheet-picture";
import { startedAt } from "./when";
import { sheetIsShown } from "./sheet-print";

/** The number of load points for which the page has room. */
const MOST_POINTS = 8;
const MOST_INCIDENTS = 3;
const MOST_WARNINGS = 3;
const MOST_SETTINGS = 12;

export function Sheet({ run }: { run: RunPage }) {
  if (!sheetIsShown.value) return null;
  const { summary, hero } = run;
  const points = tableOf(run, "points");
  return (
    <article class="sheet" aria-label="Vendor sheet">
      <header>
        <h2>Storage test with Reelgauge {summary.tool_version}</h2>
        <p>{startedAt(summary.started_at)}</p>
      </header>
      <div class="sheet-top">
        <p class="hero-count">
          {hero.before !== "" && <small>{hero.before} </small>}
          <Told path={hero.number_path} text={hero.number} />
        </p>
        <div>
          <p>{cut(hero.counts, 120)}</p>
          <VerdictMark verdict={hero.verdict} />
        </div>
      </div>
      <p class="sheet-answer" dir="auto">
        {cut(run.answer[0]?.text ?? "", 260)}
      </p>
      <Rows
        rows={[
          ["Cause", cut(hero.cause, 260)],
          ["Confidence", cut(`${hero.doubt} ${hero.confidence}`, 200)],
          ["Storage", cut(hero.facts.find((fact) => fact.id === "storage")?.text ?? "", 200)],
          ["Mount options", cut(summary.target.mount_options ?? "unknown", 160)],
          ["Client", cut(run.client, 200)],
        ]}
      />
      {summary.check != null && <Blocks blocks={blocksOf(run, "formats")} charts={{}} point={null} />}
      {summary.check == null && points !== undefined && <TableView table={points} most={MOST_POINTS} />}
      <Incidents run={run} />
      {run.detail !== null && run.detail.streams.length > 0 && summary.check == null && (
        <SheetPicture run={run} detail={run.detail} />
      )}
      <Warnings notes={run.warnings} />
      <h3>Configuration</h3>
      <dl class="sheet-plan">
        {Object.entries(summary.plan)
          .slice(0, MOST_SETTINGS)
          .map(([name, value]) => (
            <div>
              <dt>{cut(name, 30)}</dt>
              <dd>{cut(value, 60)}</dd>
            </div>
          ))}
      </dl>
      <footer>
        Run {cut(run.id, 80)}. All figures: summary.json. Repeat: {cut(run.again, 200)}
      </footer>
    </article>
  );
}

function Rows({ rows }: { rows: [string, ComponentChildren][] }) {
  return (
    <dl class="sheet-rows">
      {rows.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Incidents({ run }: { run: RunPage }) {
  const shown = run.incidents.slice(0, MOST_INCIDENTS);
  const found = run.summary.load_points.reduce((sum, point) => sum + (point.streams?.incident_count ?? 0), 0);
  return (
    <>
      <h3>Incidents</h3>
      {shown.length === 0 ? <p>{noIncidents(run)}</p> : null}
      <ul>
        {shown.map((incident) => (
          <li>{cut(incident.text, 220)}</li>
        ))}
      </ul>
      {found > shown.length && <p>{counted(found - shown.length, "more incident")}.</p>}
    </>
  );
}

function Warnings({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null;
  const more = notes.length - MOST_WARNINGS;
  return (
    <>
      <h3>Warnings</h3>
      <ul aria-label="Warnings">
        {notes.slice(0, MOST_WARNINGS).map((note) => (
          <li dir="auto">{cut(note, 200)}</li>
        ))}
      </ul>
      {more > 0 && <p>{counted(more, "more warning")}.</p>}
    </>
  );
}

/** Without judged frames it is unknown whether there were incidents. */
function noIncidents(run: RunPage): string {
  const judged = run.summary.load_points.some((point) => (point.streams?.total.frames_judged ?? 0) > 0);
  return judged ? "None." : "Not applicable: this run has no frames with deadlines.";
}
