// What failed first and what the tool itself did to a run, where no sentence above says it; and what verification
// found.

import type { RunPage } from "../data/page";
import { count } from "../figures/units";
import { Figure } from "../parts/figure";
import { Said } from "../parts/name";

/** Which failure came first, and where this machine, not the storage, was the limit. */
export function Limits({ run }: { run: RunPage }) {
  const { failed_first, own_limit } = run.hero;
  return (
    <>
      {failed_first !== null && (
        <p dir="auto">
          Failed first: <Said text={failed_first} />
        </p>
      )}
      {own_limit !== null && (
        <p class="bad" dir="auto">
          <Said text={own_limit} />
        </p>
      )}
      <Verified run={run} />
    </>
  );
}

function Verified({ run }: { run: RunPage }) {
  const verify = run.summary.verify;
  if (verify === null) return null;
  return (
    <p class="facts">
      Read back and compared:{" "}
      <Figure path="verify.checked_bytes" value={verify.checked_bytes} text={count} unit="bytes" />, of which
      differed:{" "}
      <Figure path="verify.different_bytes" value={verify.different_bytes} text={count} unit="bytes" />.
    </p>
  );
}
