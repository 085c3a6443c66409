// Which rows of a long table are in the page: those in view and some around them. Pure.

export interface RowWindow {
  first: number;
  end: number;
}

/** Rows above and below the view, so that a scroll finds them there. */
const AROUND = 12;
/** Windows begin at multiples of this, so that not every scroll by a pixel makes other rows. */
const STEP = 8;

export function rowWindow(rows: number, rowPx: number, scrolledPx: number, viewPx: number): RowWindow {
  const top = Math.max(Math.floor(scrolledPx / rowPx) - AROUND, 0);
  const first = Math.min(Math.floor(top / STEP) * STEP, Math.max(rows - 1, 0));
  const end = Math.min(Math.ceil((scrolledPx + viewPx) / rowPx) + AROUND + STEP, rows);
  return { first, end: Math.max(end, first) };
}
