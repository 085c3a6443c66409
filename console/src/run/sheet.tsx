// The vendor sheet: a run on one page of paper, A4 or Letter, for somebody who was not there. Everything on it stands
// in the summary; what does not fit is in the report.

import type { ComponentChildren } from "preact";
import type { RunPage } from "../data/page";
import type { LoadPoint } from "../data/summary";
import { columnText } from "../figures/column";
import { count, counted } from "../figures/units";
import { Told } from "../parts/blocks";
import { Figure } from "../parts/figure";
import { VerdictMark } from "../parts/shell";
import { cut } from "../parts/text";
import { CheckTable } from "./check-table";
import { SheetPicture } from "./sheet-picture";
import { criteriaWord } from "./verdict-word";
import { startedAt } from "./when";
import { sheetIsShown } from "./sheet-print";

/** What fits beside the rest. */
const MOST_POINTS = 8;
const MOST_INCIDENTS = 3;
const MOST_WARNINGS = 3;
const MOST_SETTINGS = 12;

export function Sheet({ run }: { run: RunPage }) {
  if (!sheetIsShown.value) return null;
  const { summary, hero } = run;
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
          ...storageRows(run),
          ["Client", cut(run.client, 200)],
        ]}
      />
      {summary.check != null ? <CheckTable facts={summary.check} /> : <Points run={run} />}
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
        Run {cut(run.id, 80)}. Every figure is in its summary.json. Again: {cut(run.again, 200)}
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

function storageRows(run: RunPage): [string, string][] {
  const { target } = run.summary;
  const about = [run.hero.storage ?? "", target.path, target.description ?? target.fs_type ?? "", target.server ?? ""];
  const options = target.mount_options ?? "";
  return [
    ["Storage", cut(about.filter((text) => text !== "").join(", "), 200)],
    ...(options === "" ? [] : ([["Mount options", cut(options, 160)]] as [string, string][])),
  ];
}

function Points({ run }: { run: RunPage }) {
  const points = run.summary.load_points;
  const shown = points.slice(0, MOST_POINTS).map((point, at) => ({ point, at }));
  const part = points.length > shown.length ? `, the first ${shown.length} of ${count(points.length)}` : "";
  const columns = figuresOf(points);
  return (
    <table>
      <caption>Load points{part}</caption>
      <thead>
        <tr>
          <th scope="col">load point</th>
          {columns.map((column) => (
            <th scope="col">{column.title}</th>
          ))}
          <th scope="col">criteria</th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ point, at }) => (
          <tr>
            <th scope="row">{cut(point.label, 40)}</th>
            {columns.map(({ path, of, text }) => (
              <td>
                <Figure path={`load_points.${at}.${path}`} value={of(point)} text={text} />
              </td>
            ))}
            <td>{criteriaWord(point.verdict, point.culprit)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface FigureColumn {
  title: string;
  path: string;
  of: (point: LoadPoint) => number | null | undefined;
  text: (value: number) => string;
}

function figuresOf(points: LoadPoint[]): FigureColumn[] {
  const scaled = (title: string, path: string, of: FigureColumn["of"], scale: number): FigureColumn => ({
    title,
    path,
    of,
    text: columnText(points.map(of), scale),
  });
  const late: FigureColumn["of"] = (point) => point.streams?.total.late_frames;
  const margin: FigureColumn["of"] = (point) => point.streams?.total.worst_margin?.margin_us;
  return [
    scaled("read, MB/s", "total.read_bytes_per_s", (point) => point.total.read_bytes_per_s, 1e6),
    scaled("write, MB/s", "total.written_bytes_per_s", (point) => point.total.written_bytes_per_s, 1e6),
    { title: "late frames", path: "streams.total.late_frames", of: late, text: count },
    scaled("worst margin, ms", "streams.total.worst_margin.margin_us", margin, 1e3),
    { title: "errors", path: "total.failed_ops", of: (point) => point.total.failed_ops, text: count },
  ];
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

/** Without frames that were judged nobody knows whether there were any. */
function noIncidents(run: RunPage): string {
  const judged = run.summary.load_points.some((point) => (point.streams?.total.frames_judged ?? 0) > 0);
  return judged ? "None." : "Not looked for: this run has no frames with deadlines.";
}
