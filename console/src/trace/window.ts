// The rows of a long table that are in the page: those in view and some around them. Pure.

export interface RowWindow {
  first: number;
  end: number;
}

/** Rows above and below the view, so that they are already there after a scroll. */
const AROUND = 12;
/** Windows start at multiples of this, so that a scroll by a pixel rarely changes the rows. */
const STEP = 8;

export function rowWindow(rows: number, rowPx: number, scrolledPx: number, viewPx: number): RowWindow {
  const top = Math.max(Math.floor(scrolledPx / rowPx) - AROUND, 0);
  const first = Math.min(Math.floor(top / STEP) * STEP, Math.max(rows - 1, 0));
  const end = Math.min(Math.ceil((scrolledPx + viewPx) / rowPx) + AROUND + STEP, rows);
  return { first, end: Math.max(end, first) };
}
