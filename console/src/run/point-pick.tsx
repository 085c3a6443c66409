// Which load point a table is of, where there are several.

import type { LoadPoint } from "../data/summary";
import { cut } from "../parts/text";

interface Props {
  /** Those that have something to show, each with its place among all. */
  points: { point: LoadPoint; at: number }[];
  chosen: number;
  choose: (at: number) => void;
}

export function PointPick({ points, chosen, choose }: Props) {
  if (points.length < 2) return null;
  return (
    <label class="pick">
      Load point{" "}
      <select value={String(chosen)} onChange={(event) => choose(Number(event.currentTarget.value))}>
        {points.map(({ point, at }) => (
          <option value={String(at)} selected={at === chosen}>
            {`${at + 1}: ${cut(point.label, 60)}`}
          </option>
        ))}
      </select>
    </label>
  );
}
