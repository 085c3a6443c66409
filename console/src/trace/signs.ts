// Signs of fragmented files in words, as the terminal has them (crates/analysis/src/fragments).

import type { ColdReads, FarWrites, FragmentSigns, Hints } from "../data/signs";
import { fixed } from "../figures/units";

/** So many single bytes make a pattern. */
const PATTERN = 8;

/** One sentence a sign, each with its evidence; none where there are none. */
export function signsInWords(signs: FragmentSigns): string[] {
  const patterns = signs.hints.filter((sign) => sign.hints >= PATTERN && sign.overwritten * 2 >= sign.hints);
  const cold = signs.cold_reads.map(coldReads).filter((sentence) => sentence !== null);
  return [...patterns.map(hints), ...signs.far_writes.map(farWrites), ...cold];
}

function hints(sign: Hints): string {
  const spacing = sign.spacing_bytes === null ? "" : `, one every ${sizeInWords(sign.spacing_bytes)}`;
  return (
    `1-byte-ahead pattern in ${sign.path}: ${sign.hints} single bytes were written up to ` +
    `${sizeInWords(sign.ahead_bytes)} ahead of the data${spacing}, and ${sign.overwritten} of them were overwritten ` +
    "by data later. A server on XFS, or on btrfs with 'strict allocate', makes a piece of its own of each; " +
    "'reelgauge extents' on the server counts them"
  );
}

function farWrites(sign: FarWrites): string {
  const gap = sizeInWords(sign.gap_bytes);
  const how =
    sign.writes === 1
      ? `data was written ${gap} behind the end of the file`
      : `data was written ${sign.writes} times up to ${gap} behind the end of the file`;
  const took = sign.max_service_us === 0 ? "" : `, which took up to ${timeInWords(sign.max_service_us)}`;
  return `Far write in ${sign.path}: ${how}${took}. A server that fills such gaps with zeros stalls there for seconds`;
}

function coldReads(sign: ColdReads): string | null {
  if (sign.peaks_us === null || sign.slower_percent === null) return null;
  const [fast_us, slow_us] = sign.peaks_us;
  const rhythm = sign.period_bytes === null ? "" : `; slow ones repeat every ${sizeInWords(sign.period_bytes)}`;
  return (
    `Uneven reads of ${sign.path}: in order, one at a time, ${sign.slower_percent} % of ${sign.reads} reads took ` +
    `about ${timeInWords(slow_us)} and the others about ${timeInWords(fast_us)}${rhythm}. ` +
    "If the file was not in a cache, it lies in pieces, its disk had other work, or this machine had"
  );
}

/** `128 KiB`, `15 MiB`; in bytes where it is no round number of these. */
export function sizeInWords(bytes: number): string {
  for (const [unit, factor] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]] as const) {
    if (bytes >= factor && bytes % factor === 0) return `${bytes / factor} ${unit}`;
  }
  return `${bytes} bytes`;
}

/** As Rust prints it: exact ties go to the even digit, and no commas. */
function timeInWords(us: number): string {
  const text = (value: number, decimals: number) => fixed(value, decimals).replaceAll(",", "");
  if (us < 1e3) return `${text(us, 0)} µs`;
  return us < 1e6 ? `${text(us / 1e3, 1)} ms` : `${text(us / 1e6, 1)} s`;
}
