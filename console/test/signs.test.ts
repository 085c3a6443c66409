// Signs of fragments read as in the terminal. The sentences are those of crates/analysis/src/fragments.

import { expect, it } from "vitest";
import { signsInWords, sizeInWords } from "../src/trace/signs";

const hint = { path: "a.bin", hints: 511, overwritten: 511, spacing_bytes: 131072, ahead_bytes: 15728640, first_at_s: 0.001 };

it("tells the 1-byte-ahead pattern as the terminal does", () => {
  expect(signsInWords({ hints: [hint], far_writes: [], cold_reads: [] })).toEqual([
    "1-byte-ahead pattern in a.bin: 511 single bytes were written up to 15 MiB ahead of the data, one every 128 KiB, " +
      "and 511 of them were overwritten by data later. A server on XFS, or on btrfs with 'strict allocate', makes a " +
      "piece of its own of each; 'reelgauge extents' on the server counts them",
  ]);
});

it("leaves out what is no pattern, and reads that were even", () => {
  const cold = {
    path: "b", reads: 900, median_us: 90, peaks_us: null, slower_percent: null, slow_percent: 0, slow_per_mb: 0,
    period_bytes: null, period_alike: null,
  };
  const few = { ...hint, hints: 7, overwritten: 7 };
  const kept = { ...hint, overwritten: 255 };
  expect(signsInWords({ hints: [few, kept], far_writes: [], cold_reads: [cold] })).toEqual([]);
});

it("tells far writes and uneven reads with their evidence", () => {
  const far = { path: "c", writes: 1, gap_bytes: 1 << 30, max_service_us: 1_250_000 };
  const unknown = { path: "d", writes: 3, gap_bytes: 5, max_service_us: 0 };
  const cold = {
    path: "e", reads: 900, median_us: 90, peaks_us: [90, 8200] as [number, number], slower_percent: 12.5,
    slow_percent: 12, slow_per_mb: 1, period_bytes: 65536, period_alike: 0.9,
  };
  expect(signsInWords({ hints: [], far_writes: [far, unknown], cold_reads: [cold] })).toEqual([
    "Far write in c: data was written 1 GiB behind the end of the file, which took up to 1.2 s. A server that fills " +
      "such gaps with zeros stalls there for seconds",
    "Far write in d: data was written 3 times up to 5 bytes behind the end of the file. A server that fills such " +
      "gaps with zeros stalls there for seconds",
    "Uneven reads of e: in order, one at a time, 12.5 % of 900 reads took about 8.2 ms and the others about 90 µs; " +
      "slow ones repeat every 64 KiB. If the file was not in a cache, it lies in pieces, its disk had other work, or this machine had",
  ]);
  expect(sizeInWords(3 << 20)).toBe("3 MiB");
});
