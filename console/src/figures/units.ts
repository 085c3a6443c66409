// Numbers as text, exactly as the terminal prints them: the port of crates/report/src/units.rs. Both are tested against
// test/units.json. Nothing but the format is decided here.

const BINARY: readonly (readonly [string, number])[] = [
  ["GiB", 2 ** 30],
  ["MiB", 2 ** 20],
  ["KiB", 2 ** 10],
  ["B", 1],
];

const DECIMAL: readonly (readonly [string, number])[] = [
  ["TB", 1e12],
  ["GB", 1e9],
  ["MB", 1e6],
  ["kB", 1e3],
];

/** A whole number with commas: `12,345`. JSON numbers above 2^53 are not exact. */
export function count(value: number): string {
  return grouped(BigInt(Math.trunc(value)).toString());
}

/** A number without a unit: three significant digits from 1 on, two or three decimals below 1, as in units.rs. */
export function number(value: number): string {
  if (value === 0) return "0";
  if (Math.abs(value) < 0.001) return "<0.001";
  return fixed(value, decimalsOf(value));
}

/** A number with this many decimals and commas. */
export function fixed(value: number, decimals: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  return grouped(exactFixed(value, decimals));
}

/**
 * The exact value of the double, rounded half to even, as Rust prints it. toFixed rounds ties away from zero and fails
 * from 1e21 on, so ties and huge numbers are computed with big integers.
 */
function exactFixed(value: number, decimals: number): string {
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const size = Math.abs(value);
  if (size >= 2 ** 53) {
    const whole = BigInt(size).toString();
    return decimals === 0 ? sign + whole : `${sign}${whole}.${"0".repeat(decimals)}`;
  }
  const { numerator, shift } = asFraction(size);
  const scaled = numerator * 10n ** BigInt(decimals);
  const whole = scaled >> shift;
  const rest = scaled - (whole << shift);
  const half = shift === 0n ? 1n : 1n << (shift - 1n);
  const up = rest > half || (shift > 0n && rest === half && (whole & 1n) === 1n);
  const digits = (up ? whole + 1n : whole).toString().padStart(decimals + 1, "0");
  if (decimals === 0) return sign + digits;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** A finite, positive double as numerator / 2^shift. */
function asFraction(size: number): { numerator: bigint; shift: bigint } {
  let shift = 0;
  let value = size;
  while (!Number.isInteger(value)) {
    value *= 2;
    shift += 1;
  }
  return { numerator: BigInt(value), shift: BigInt(shift) };
}

/** Rust's f64::round: ties away from zero. */
function rounded(value: number): number {
  const whole = Math.trunc(value);
  return Math.abs(value - whole) >= 0.5 ? whole + Math.sign(value) : whole;
}

/** The decimals for `number`; one less if rounding adds a digit. */
function decimalsOf(value: number): number {
  const first = decimalsFor(value);
  const scale = 10 ** first;
  return Math.min(decimalsFor(rounded(value * scale) / scale), first);
}

function decimalsFor(value: number): number {
  const size = Math.abs(value);
  if (size >= 100) return 0;
  if (size >= 10) return 1;
  return size >= 0.1 ? 2 : 3;
}

/**
 * Decimals for a whole column, so that its decimal points are aligned: two digits of the smallest value that is not 0,
 * but fewer if the column also has large values.
 */
export function columnDecimals(values: Iterable<number>): number {
  let smallest = Infinity;
  let largest = 0;
  for (const value of values) {
    if (!(value > 0) || !Number.isFinite(value)) continue;
    smallest = Math.min(smallest, value);
    largest = Math.max(largest, value);
  }
  if (largest === 0) return 0;
  const needed = Math.min(Math.max(1 - Math.floor(Math.log10(smallest)), 0), 5);
  const wanted = largest < 1000 ? Math.max(needed, 1) : needed;
  return Math.min(wanted, largest >= 10_000 ? 1 : 5);
}

/** Puts commas between the digits before the decimal point. */
function grouped(digits: string): string {
  const sign = digits.startsWith("-") ? "-" : "";
  const [whole = "", fraction] = digits.slice(sign.length).split(".");
  const commas = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return sign + commas + (fraction === undefined ? "" : `.${fraction}`);
}

/** A block or file size: `4 KiB`, `1 MiB`, `1.5 MiB`, `1,000 B`. Exact; in bytes if no larger unit is exact. */
export function blockSize(bytes: number): string {
  for (const [unit, factor] of BINARY) {
    if (bytes >= factor && bytes % factor === 0) return `${count(bytes / factor)} ${unit}`;
    const halves = factor / 2;
    if (factor > 1 && bytes > factor && bytes < 10 * factor && bytes % halves === 0) {
      return `${Math.floor(bytes / factor)}.5 ${unit}`;
    }
  }
  return "0 B";
}

/** An amount of data: `12.3 GB`, `512 B`. */
export function amount(bytes: number): string {
  for (const [unit, factor] of DECIMAL) {
    if (bytes >= factor) return `${number(bytes / factor)} ${unit}`;
  }
  return `${bytes} B`;
}

/** A throughput in MB/s, without the unit. */
export function mbPerS(bytesPerS: number): string {
  return number(bytesPerS / 1e6);
}

/** A time in ms, without the unit. */
export function ms(us: number): string {
  return number(us / 1e3);
}

/** A time with a suitable unit: `85.0 µs`, `412 ms`, `12.3 s`. */
export function duration(us: number): string {
  if (us < 1e3) return `${number(us)} µs`;
  if (us < 1e6) return `${number(us / 1e3)} ms`;
  if (us < 120e6) return `${number(us / 1e6)} s`;
  return moment(us / 1e6);
}

/** The largest result of Rust's cast to u64. */
const U64_MAX = 2n ** 64n - 1n;

/** A time in a run: `0.4 s`, `37 s`, `3 min 12 s`, `1 h 02 min`. */
export function moment(seconds: number): string {
  if (seconds < 9.95) return `${plainFixed(seconds, 1)} s`;
  const whole = asU64(rounded(seconds));
  const two = (value: bigint) => value.toString().padStart(2, "0");
  if (whole < 120n) return `${whole} s`;
  if (whole < 7200n) return `${whole / 60n} min ${two(whole % 60n)} s`;
  return `${grouped((whole / 3600n).toString())} h ${two((whole % 3600n) / 60n)} min`;
}

/** Rust's cast of a float to u64: NaN becomes 0; values that are too large become the maximum. */
function asU64(value: number): bigint {
  if (Number.isNaN(value) || value <= 0) return 0n;
  return value >= 2 ** 64 ? U64_MAX : BigInt(value);
}

/** A number without commas. */
function plainFixed(value: number, decimals: number): string {
  return Number.isFinite(value) ? exactFixed(value, decimals) : fixed(value, decimals);
}

/** `1 worker`, `12 workers`. */
export function counted(value: number, noun: string): string {
  if (value === 1) return `1 ${noun}`;
  const plural = /[^aeou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}${noun.endsWith("s") ? "es" : "s"}`;
  return `${count(value)} ${plural}`;
}

/** A share in percent: `12 %`. */
export function percent(share: number): string {
  return `${plainFixed(share * 100, 0)} %`;
}
