// The map's view as text, also for screen readers.

import { tickTime } from "../charts/axes";
import { amount, counted, duration } from "../figures/units";
import { levelFor, levelsFor, pointsFor, seenIn } from "./map-cells";
import { type MapFile, offsetText } from "./map-paint";
import type { MapView } from "./map-view";

export function MapWords({ view, files }: { view: MapView; files: readonly MapFile[] }) {
  return (
    <p class="chart-note" role="status">
      {words(view, files)}
    </p>
  );
}

function words(view: MapView, files: readonly MapFile[]): string {
  if (files.length === 0) return "No file is chosen.";
  const seen = files.map((file) => seenIn(view, file.map, levelsFor(view, file.map, file.finer)));
  const sum = (of: (one: (typeof seen)[number]) => number) => seen.reduce((total, one) => total + of(one), 0);
  const exact = seen.every((one) => one.accesses !== null);
  const digits = Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(view.to_s - view.from_s))));
  const at = (seconds: number) => tickTime(Number(seconds.toFixed(digits)));
  const bytes = view.to_bytes - view.from_bytes;
  const range = `${offsetText(view.from_bytes, bytes / 100)} to ${offsetText(view.to_bytes, bytes / 100)}`;
  const accesses = exact ? `${counted(sum((one) => one.accesses ?? 0), "access")}, ` : "";
  return (
    `In view: ${at(view.from_s)} to ${at(view.to_s)}, ${range} of ${counted(files.length, "file")}: ${accesses}` +
    `${amount(sum((one) => one.read_bytes))} read, ${amount(sum((one) => one.written_bytes))} written. ${how(view, files)}`
  );
}

/** The explanation of a mark. */
function how(view: MapView, files: readonly MapFile[]): string {
  const cells = files.filter((file) => pointsFor(view, file.map.points) === null);
  if (cells.length === 0) return "Every access is drawn: reads filled, writes hollow.";
  const levels = cells.map((file) => levelFor(view, levelsFor(view, file.map, file.finer)));
  const finest = levels.find((level) => level !== null);
  if (finest == null) return "";
  const of = cells.length === files.length ? "" : ` for ${counted(cells.length, "file")} with many accesses`;
  return (
    `Drawn in cells of ${duration(finest.time_bin_s * 1e6)} and ${amount(finest.offset_bin_bytes)}${of}: ` +
    "reads filled, writes hatched, stronger where more bytes moved."
  );
}
