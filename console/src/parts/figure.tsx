// A figure of summary.json. The element has its path and its raw number, so that a test can compare every figure of the
// page with the file.

import type { ComponentChildren } from "preact";
import { meaningOf } from "../figures/meaning";

interface Props {
  /** Its path in summary.json: `load_points.0.total.read_bytes_per_s`. */
  path: string;
  value: number | null | undefined;
  /** A formatter of figures/units.ts. */
  text: (value: number) => string;
  /** Shown after the figure. */
  unit?: string;
}

export function Figure({ path, value, text, unit }: Props) {
  if (value === null || value === undefined) {
    return (
      <span class="faint" title={meaningOf(path)} data-figure={path} data-value="null">
        –
      </span>
    );
  }
  return (
    <span>
      <span class="figure" title={meaningOf(path)} data-figure={path} data-value={value}>
        {text(value)}
      </span>
      {unit !== undefined && <span class="unit"> {unit}</span>}
    </span>
  );
}

/** A large figure with its name, for the few most important ones. */
export function Tile({
  name,
  children,
  tone,
}: {
  name: ComponentChildren;
  children: ComponentChildren;
  tone?: "bad" | "good";
}) {
  return (
    <div class={tone === undefined ? "tile" : `tile ${tone}`}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function Tiles({ children }: { children: ComponentChildren }) {
  return <dl class="tiles">{children}</dl>;
}
