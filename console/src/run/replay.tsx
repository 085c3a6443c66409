// A replay: how long every pass took, how well its timing was kept, and what came out otherwise than
// recorded.

import type { LoadPoint, ReplayFacts, ReplayPass } from "../data/summary";
import { columnText } from "../figures/column";
import { amount, count, counted, duration, mbPerS } from "../figures/units";
import { Figure, Tile, Tiles } from "../parts/figure";
import { Name, Prose, Said } from "../parts/name";
import { Percentile } from "../parts/percentile";
import { Section } from "../parts/section";
import { Table } from "../parts/table";
import type { Column } from "../parts/table";

interface Row {
  pass: ReplayPass;
  at: number;
}

export function ReplaySection({ facts, points }: { facts: ReplayFacts; points: LoadPoint[] }) {
  const rows = facts.passes.map((pass, at) => ({ pass, at }));
  const seconds = (value: number) => duration(value * 1e6);
  const madeBy = facts.made_by === "" ? "" : ` (by ${facts.made_by})`;
  return (
    <Section
      id="replay"
      title="Replay"
      about={
        <>
          <Name text={facts.trace_path + madeBy} />: {counted(facts.ops, "operation")} of{" "}
          {counted(facts.threads, "thread")}, pace <Name text={facts.pace} />, order{" "}
          <Name text={facts.order} />; {counted(facts.prepared_files, "file")} of{" "}
          {amount(facts.prepared_bytes)} prepared.
          {facts.synthetic && " The trace is synthetic: made from published statistics, nobody was recorded."}
        </>
      }
    >
      <Tiles>
        <Tile name="Recorded time of a pass">
          <Figure path="replay.expected_span_s" value={facts.expected_span_s} text={seconds} />
        </Tile>
        <Tile name="Median of all passes">
          <Figure
            path="replay.median_bytes_per_s"
            value={facts.median_bytes_per_s}
            text={mbPerS}
            unit="MB/s"
          />
        </Tile>
        <Tile name="Users at once">
          <Figure path="replay.copies" value={facts.copies} text={count} />
        </Tile>
      </Tiles>
      {facts.bad_timing !== null && (
        <p class="bad">
          <Said text={facts.bad_timing} />
        </p>
      )}
      {facts.passes.flatMap((pass) => pass.silences ?? []).map((silence) => (
        <p class="bad" key={silence.began_s}>
          The storage did not respond for {seconds(silence.length_s)}, starting at {seconds(silence.began_s)}
          {silence.delayed_ops != null && `; ${counted(silence.delayed_ops, "operation")} waited for it`}.
        </p>
      ))}
      <Table
        caption="Passes"
        rows={rows}
        columns={columnsOf(facts, points)}
        rowClass={({ pass }) => (pass.complete ? "" : "bad")}
      />
      <Differences rows={rows} />
      <LeftOut facts={facts} />
    </Section>
  );
}

/** Which fields are percentiles, of the operations of a pass. */
const PERCENTILES: { [field: string]: number } = { lateness_p50_us: 50, lateness_p99_us: 99 };

function columnsOf(facts: ReplayFacts, points: LoadPoint[]): Column<Row>[] {
  const of = (
    title: string,
    field: keyof ReplayPass &
      (
        | "span_s"
        | "delay_s"
        | "bytes_per_s"
        | "lateness_p50_us"
        | "lateness_p99_us"
        | "lateness_max_us"
        | "held_up_max_us"
      ),
    scale = 1,
  ): Column<Row> => {
    const text = columnText(
      facts.passes.map((pass) => pass[field]),
      scale,
    );
    return {
      title,
      number: true,
      sort: ({ pass }) => pass[field] ?? null,
      cell: ({ pass, at }) => (
        <Percentile
          path={`replay.passes.${at}.${field}`}
          value={pass[field] ?? null}
          text={text}
          percentile={PERCENTILES[field] ?? 0}
          operations={pass.done_ops}
        />
      ),
    };
  };
  const counts = (title: string, field: "done_ops" | "held_up_ops" | "begun_late_ops" | "different_ops"): Column<Row> => ({
    title,
    number: true,
    cell: ({ pass, at }) => <Figure path={`replay.passes.${at}.${field}`} value={pass[field]} text={count} />,
  });
  const place = (pass: ReplayPass) => points.findIndex((point) => point.index === pass.point);
  const rate = (title: string, field: "read_bytes_per_s" | "written_bytes_per_s"): Column<Row> => {
    const text = columnText(
      facts.passes.map((pass) => points[place(pass)]?.total[field]),
      1e6,
    );
    return {
      title,
      number: true,
      cell: ({ pass }) => (
        <Figure
          path={`load_points.${place(pass)}.total.${field}`}
          value={points[place(pass)]?.total[field]}
          text={text}
        />
      ),
    };
  };
  return [
    { title: "pass", number: true, head: true, cell: ({ at }) => at + 1 },
    of("took, s", "span_s"),
    ...(facts.passes.some((pass) => pass.delay_s != null) ? [of("behind the recording, s", "delay_s")] : []),
    of("moved, MB/s", "bytes_per_s", 1e6),
    rate("read, MB/s", "read_bytes_per_s"),
    rate("written, MB/s", "written_bytes_per_s"),
    of("late p50, ms", "lateness_p50_us", 1e3),
    of("late p99, ms", "lateness_p99_us", 1e3),
    of("late max, ms", "lateness_max_us", 1e3),
    counts("done", "done_ops"),
    counts("held up", "held_up_ops"),
    of("longest wait, ms", "held_up_max_us", 1e3),
    counts("begun late", "begun_late_ops"),
    counts("different", "different_ops"),
    { title: "complete", cell: ({ pass }) => (pass.complete ? "yes" : "NO") },
  ];
}

function Differences({ rows }: { rows: Row[] }) {
  const all = rows.flatMap(({ pass, at }) => pass.differences.map((text) => ({ text, pass: at + 1 })));
  if (all.length === 0) return <p>Every operation came to what was recorded.</p>;
  return (
    <Table
      caption="Operations that came to something else than was recorded: the first ones"
      rows={all}
      most={20}
      columns={[
        { title: "pass", number: true, cell: (row) => row.pass },
        { title: "what", head: true, cell: (row) => <Name text={row.text} length={160} /> },
      ]}
    />
  );
}

function LeftOut({ facts }: { facts: ReplayFacts }) {
  const left = Object.entries(facts.left_out);
  return (
    <>
      {left.length > 0 && (
        <Table
          caption="Left out: recorded, but not replayed"
          rows={left}
          columns={[
            {
              title: "operations",
              number: true,
              cell: ([why, n]) => <Figure path={`replay.left_out.${why}`} value={n} text={count} />,
            },
            { title: "why", head: true, cell: ([why]) => <Name text={why} length={120} /> },
          ]}
        />
      )}
      {facts.remarks.map((remark) => (
        <Prose text={remark} />
      ))}
    </>
  );
}
