// How far to trust the figures: the mode that was found, what the tool itself cost, whether the log is
// whole, errors.

import type { RunPage } from "../data/page";
import type { ErrorFigures } from "../data/summary";
import { amount, blockSize, count, duration, fixed, moment, number, percent } from "../figures/units";
import { Figure, Tile, Tiles } from "../parts/figure";
import { Term } from "../parts/glossary";
import { Name, Said } from "../parts/name";
import { Percentile } from "../parts/percentile";
import { Section } from "../parts/section";
import { Table } from "../parts/table";
import { cut } from "../parts/text";

function timing(good: boolean | null): string {
  if (good === null) return "not known";
  return good ? "good enough" : "not good enough";
}

export function TrustSection({ run }: { run: RunPage }) {
  const { self_cost, log, effective_mode } = run.summary;
  return (
    <Section
      id="trust"
      title="Trust"
      about={self_cost.sentence === "" ? undefined : <Said text={self_cost.sentence} />}
    >
      <Tiles>
        <Tile name="Own timing" tone={self_cost.timing_good_enough === true ? "good" : "bad"}>
          {timing(self_cost.timing_good_enough)}
        </Tile>
        <Tile name={<><Term word="own delay">Own delay</Term>, 99 of 100 within</>}>
          <Percentile
            path="self_cost.lateness_p99_us"
            value={self_cost.lateness_p99_us}
            text={duration}
            percentile={99}
            operations={run.summary.load_points.reduce((sum, point) => sum + point.total.ops, 0)}
          />
          <small>
            longest{" "}
            <Figure path="self_cost.lateness_max_us" value={self_cost.lateness_max_us} text={duration} />
          </small>
        </Tile>
        <Tile name="CPU per operation">
          <Figure path="self_cost.cpu_us_per_op" value={self_cost.cpu_us_per_op} text={number} unit="µs" />
          <small>
            <Figure path="self_cost.cpu_user_s" value={self_cost.cpu_user_s} text={seconds} unit="s" /> user,{" "}
            <Figure path="self_cost.cpu_system_s" value={self_cost.cpu_system_s} text={seconds} unit="s" />{" "}
            system
          </small>
        </Tile>
        <Tile name="Mode" tone={effective_mode.asked === effective_mode.found ? "good" : "bad"}>
          {effective_mode.found}
          <small>asked: {effective_mode.asked}</small>
        </Tile>
        <Tile name="In this machine's cache">
          <Figure
            path="effective_mode.cached_share_before"
            value={effective_mode.cached_share_before}
            text={percent}
          />{" "}
          →{" "}
          <Figure
            path="effective_mode.cached_share_after"
            value={effective_mode.cached_share_after}
            text={percent}
          />
          <small>of the files, before and after</small>
        </Tile>
        <Tile name="Log" tone={log.complete ? "good" : "bad"}>
          {log.complete ? "every operation" : "NOT every operation"}
          <small>
            <Figure path="log.rows" value={log.rows} text={count} /> in{" "}
            <Figure path="log.bytes" value={log.bytes} text={amount} />
          </small>
        </Tile>
      </Tiles>
      {effective_mode.sentence !== "" && (
        <p dir="auto">
          Mode: <Said text={effective_mode.sentence} />
        </p>
      )}
      {log.note !== null && (
        <p dir="auto">
          Log: <Said text={log.note} />
        </p>
      )}
      {log.dropped_to_histograms_ops > 0 && (
        <p class="bad">
          <Figure path="log.dropped_to_histograms_ops" value={log.dropped_to_histograms_ops} text={count} />{" "}
          operations are only in the figures, not in the log.
        </p>
      )}
      <Errors run={run} />
    </Section>
  );
}

function seconds(value: number): string {
  return fixed(value, 2);
}

interface Row {
  label: string;
  error: ErrorFigures;
  path: string;
}

function Errors({ run }: { run: RunPage }) {
  const rows: Row[] = run.summary.load_points.flatMap((point, at) =>
    point.total.errors.map((error, n) => ({
      label: point.label,
      error,
      path: `load_points.${at}.total.errors.${n}`,
    })),
  );
  if (rows.length === 0) return null;
  return (
    <Table
      caption="Errors"
      rows={rows}
      columns={[
        {
          title: "error",
          head: true,
          cell: ({ error }) => <Name text={error.message === "" ? `error ${error.errno}` : error.message} />,
        },
        { title: "load point", cell: ({ label }) => <Name text={cut(label, 40)} /> },
        {
          title: "count",
          number: true,
          sort: ({ error }) => error.count,
          cell: ({ error, path }) => <Figure path={`${path}.count`} value={error.count} text={count} />,
        },
        {
          title: "longest until it came",
          number: true,
          cell: ({ error, path }) => (
            <Figure path={`${path}.max_response_us`} value={error.max_response_us} text={duration} />
          ),
        },
        {
          title: "first",
          cell: ({ error }) =>
            `${error.first.kind} of file ${error.first.file} at ${blockSize(error.first.offset_bytes)}, worker ${error.first.worker}, ${moment(error.first.failed_at_s)}`,
        },
      ]}
    />
  );
}
