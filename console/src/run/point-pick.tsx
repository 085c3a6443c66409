// Which load point a table is of, where there are several. One choice for the whole page: it stands in the link.

import type { LoadPoint } from "../data/summary";
import { cut } from "../parts/text";
import { chosenPoint } from "../view";

/** A load point that has something to show, with its place among all. */
export interface Placed {
  point: LoadPoint;
  at: number;
}

/** The place of the one that is looked at: the page's choice, or `own` where that has nothing to show here. */
export function usePoint(there: readonly Placed[], own: number): number {
  const chosen = chosenPoint.value;
  return chosen !== null && there.some(({ at }) => at === chosen) ? chosen : own;
}

interface Props {
  points: readonly Placed[];
  chosen: number;
  /** What is said of each beside its label. */
  more?: (point: LoadPoint) => string;
}

export function PointPick({ points, chosen, more }: Props) {
  if (points.length < 2) return null;
  return (
    <label class="pick">
      Load point{" "}
      <select value={String(chosen)} onChange={(event) => (chosenPoint.value = Number(event.currentTarget.value))}>
        {points.map(({ point, at }) => (
          <option value={String(at)} selected={at === chosen}>
            {`${at + 1}: ${cut(point.label, 60)}${more === undefined ? "" : `, ${more(point)}`}`}
          </option>
        ))}
      </select>
    </label>
  );
}
