// Signs of fragmented files in a trace (crates/analysis/src/fragments), as TraceReport.signs holds them.

export interface FragmentSigns {
  hints: Hints[];
  far_writes: FarWrites[];
  cold_reads: ColdReads[];
}

/** Single bytes that were written ahead of the data, and overwritten later. */
export interface Hints {
  path: string;
  hints: number;
  overwritten: number;
  spacing_bytes: number | null;
  ahead_bytes: number;
  first_at_s: number;
}

/** Writes that began far behind the end of the file. */
export interface FarWrites {
  path: string;
  writes: number;
  gap_bytes: number;
  /** 0 where the capture knew no durations. */
  max_service_us: number;
}

/** How evenly a file was read that was read in order. */
export interface ColdReads {
  path: string;
  reads: number;
  median_us: number;
  /** Two peaks of the service times, the faster and the slower; null where there is one. */
  peaks_us: [number, number] | null;
  slower_percent: number | null;
  slow_percent: number;
  slow_per_mb: number;
  period_bytes: number | null;
  period_alike: number | null;
}
