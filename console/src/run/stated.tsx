// The one number of a run, as it stands in summary.json.

import type { RunPage } from "../data/page";
import type { ReplayFacts } from "../data/summary";
import { count, duration, mbPerS } from "../figures/units";
import { Figure } from "../parts/figure";

/** The number of the statement, as it stands in summary.json; a dash where nothing was measured. */
export function Stated({ run }: { run: RunPage }) {
  const { summary } = run;
  const stated = run.hero.statement.number;
  const path = (field: string) => `statement.number.${field}`;
  // A summary that was made anew from a log holds no statement: its number is that of the figures.
  const shown = (field: string, value: number | null, text: (value: number) => string) =>
    summary.statement == null ? (
      <span>{value === null ? "–" : text(value)}</span>
    ) : (
      <Figure path={path(field)} value={value} text={text} />
    );
  switch (stated.of) {
    case "late_frames":
      return shown("late_frames", stated.late_frames, count);
    case "streams":
    case "capacity":
    case "valid_point":
      return shown("streams", stated.streams, count);
    case "throughput":
      return shown("bytes_per_s", stated.bytes_per_s, mbPerS);
    case "first_look":
      return stated.play === null ? shown("record", stated.record, count) : shown("play", stated.play, count);
    case "failed":
      return <PointStreams run={run} at={stated.point} />;
    case "replay":
      return <ReplayRate run={run} pass={stated.pass} />;
    case "not_measured":
      return <span class="faint">–</span>;
  }
}

function PointStreams({ run, at }: { run: RunPage; at: number }) {
  const point = run.summary.load_points[at];
  const field = point?.stream_count == null ? "workers" : "stream_count";
  return <Figure path={`load_points.${at}.${field}`} value={point?.[field]} text={count} />;
}

function ReplayRate({ run, pass }: { run: RunPage; pass: number }) {
  const replay = run.summary.replay ?? null;
  // At the recorded pace the rate is the recording's; the delay against it is what was measured.
  const slowest = slowestPass(replay);
  if (slowest !== null) {
    const delay = replay?.passes[slowest]?.delay_s ?? null;
    return (
      <Figure
        path={`replay.passes.${slowest}.delay_s`}
        value={delay === null ? null : Math.max(0, delay)}
        text={(value) => duration(value * 1e6)}
      />
    );
  }
  const many = (replay?.passes.length ?? 0) > 1;
  return many ? (
    <Figure path="replay.median_bytes_per_s" value={replay?.median_bytes_per_s} text={mbPerS} />
  ) : (
    <Figure
      path={`replay.passes.${pass}.bytes_per_s`}
      value={replay?.passes[pass]?.bytes_per_s}
      text={mbPerS}
    />
  );
}

/** The complete pass with the longest delay against the recording; `null` where the pace is not the recorded one. */
export function slowestPass(replay: ReplayFacts | null): number | null {
  let slowest: number | null = null;
  replay?.passes.forEach((pass, at) => {
    const known = slowest === null ? -Infinity : (replay.passes[slowest]?.delay_s ?? -Infinity);
    if (pass.complete && pass.delay_s != null && pass.delay_s > known) slowest = at;
  });
  return slowest;
}
