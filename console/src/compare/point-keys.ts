// The key by which a chart matches load points of several runs: the streams if all of them count streams. Otherwise
// the swept value and the number of workers if both vary, or else the one that varies. Pure.

import type { RunPage } from "../data/page";

type Point = Pick<RunPage["summary"]["load_points"][number], "workers" | "sweep_value" | "stream_count">;

export interface PointAxis {
  /** The name of the quantity that varies. */
  title: string;
  /** Its values: swept values in the order of the runs; streams and workers ascending. */
  keys: string[];
  keyOf: (point: Point) => string;
}

/** Whether a run has load points that differ in their workers or in a swept value. */
export function isLadder(run: Pick<RunPage, "summary">): boolean {
  const points = run.summary.load_points;
  return new Set(points.map((point) => `${point.workers} ${point.sweep_value ?? ""}`)).size > 1;
}

/** The axis for the load points of all runs. */
export function pointAxis(points: Point[]): PointAxis {
  if (points.every((point) => point.stream_count != null)) return streamsAxis(points);
  const workers = new Set(points.map((point) => point.workers));
  const isSwept = points.some((point) => (point.sweep_value ?? null) !== null);
  const isRamp = workers.size > 1;
  const swept = (point: Point) => point.sweep_value ?? "not swept";
  const count = (point: Point) => String(point.workers);
  const both = (point: Point) => `${count(point)}, ${swept(point)}`;
  const keyOf = isSwept && isRamp ? both : isSwept ? swept : count;
  const title = isSwept && isRamp ? "workers, swept value" : isSwept ? "swept value" : "workers (clients)";
  const sorted = isSwept ? points : [...points].sort((one, two) => one.workers - two.workers);
  return { title, keys: [...new Set(sorted.map(keyOf))], keyOf };
}

function streamsAxis(points: Point[]): PointAxis {
  const streams = (point: Point) => point.stream_count ?? 0;
  const keyOf = (point: Point) => String(streams(point));
  const sorted = [...points].sort((one, two) => streams(one) - streams(two));
  return { title: "streams", keys: [...new Set(sorted.map(keyOf))], keyOf };
}
