// Histograms of several runs over the same bins. Pure.

export interface HistogramLine {
  /** Index of the run, from 0. */
  run: number;
  name: string;
  /** Number of operations. */
  count: number;
  /** The bins, the same for all runs: from the first to the last bin in which any run has operations. */
  bins: number[];
  /** The percentage of the run's operations in each bin. */
  percent: number[];
  /** The bin with the most operations. */
  mode: number;
}

/** Runs without an operation have no line. `counts` has the counts by bin for each run. */
export function histogramsOf(counts: readonly (readonly number[])[], names: readonly string[]): HistogramLine[] {
  const used = counts.flatMap((each) => each.flatMap((count, bin) => (count > 0 ? [bin] : [])));
  if (used.length === 0) return [];
  const first = used.reduce((one, two) => Math.min(one, two));
  const last = used.reduce((one, two) => Math.max(one, two));
  const bins = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  return counts.flatMap((each, run): HistogramLine[] => {
    const count = each.reduce((one, two) => one + two, 0);
    if (count === 0) return [];
    const percent = bins.map((bin) => (100 * (each[bin] ?? 0)) / count);
    return [{ run, name: names[run] ?? "", count, bins, percent, mode: first + percent.indexOf(Math.max(...percent)) }];
  });
}
