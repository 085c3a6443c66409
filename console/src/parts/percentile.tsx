// A percentile if there are enough operations for it; otherwise a dash with the reason.

import { whyNot } from "../figures/percentile";
import { Figure } from "./figure";

interface Props {
  path: string;
  value: number | null | undefined;
  text: (value: number) => string;
  /** 99 for p99. */
  percentile: number;
  /** The number of operations, or frames. */
  operations: number;
}

export function Percentile({ path, value, text, percentile, operations }: Props) {
  const why = value === null || value === undefined ? null : whyNot(percentile, operations);
  if (why === null) return <Figure path={path} value={value} text={text} />;
  return (
    <span class="faint not-carried" title={why}>
      –<span class="sr-only"> {why}</span>
    </span>
  );
}
