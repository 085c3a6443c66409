// A series of samples as a small line without axes, for tables and for changing counters.

import type { CounterSeries } from "../data/page";

/** The size of the picture in CSS pixels. */
const [WIDTH, HEIGHT] = [180, 30];

/** The top of the axis. For percentages 100, or the largest value if higher (a program on several processors). */
export function topOf(unit: string, values: readonly number[]): number {
  const most = values.reduce((one, two) => Math.max(one, two), 1e-9);
  return unit === "percent" ? Math.max(100, most) : most;
}

/** `newest`: at most this many samples, the newest. */
export function Spark({ series, newest = 600 }: { series: CounterSeries; newest?: number }) {
  const values = series.value.slice(-newest);
  const times = series.at_s.slice(-newest);
  const top = topOf(series.unit, values.filter((value) => value !== null));
  const [from, to] = [times[0] ?? 0, times.at(-1) ?? 1];
  const points = values.flatMap((value, at) => {
    if (value === null) return [];
    const x = to > from ? (((times[at] ?? from) - from) / (to - from)) * WIDTH : WIDTH;
    return [`${x.toFixed(1)},${(HEIGHT - 1 - (value / top) * (HEIGHT - 2)).toFixed(1)}`];
  });
  return (
    <svg class="spark" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <polyline points={points.join(" ")} fill="none" stroke="currentColor" stroke-width="1.5" />
    </svg>
  );
}
