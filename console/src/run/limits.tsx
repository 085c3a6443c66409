// What failed first and what the tool itself did to a run, where no sentence above says it; and what verification
// found.

import type { RunPage } from "../data/page";
import type { LoadPoint } from "../data/summary";
import { count, counted } from "../figures/units";
import { Figure } from "../parts/figure";
import { Said } from "../parts/name";
import { cut } from "../parts/text";

/** Which failure came first, and where this machine, not the storage, was the limit. */
export function Limits({ run }: { run: RunPage }) {
  const { summary } = run;
  const said = [...run.answer.map((sentence) => sentence.text), run.hero.cause];
  // The load point that the answer is about, so that no other one contradicts it.
  const { cause } = run.hero.statement;
  const isOwn = cause !== null && ["this_machine", "tool", "max_rate"].includes(cause.culprit);
  const limited = isOwn ? summary.load_points[cause.point] : undefined;
  const failure = summary.verdict?.failed_first ?? null;
  const failureSaid =
    failure === null || said.some((text) => text.includes(failure.sentence.slice(0, 40)));
  const one = summary.load_points.length === 1;
  return (
    <>
      {failure !== null && !failureSaid && (
        <p dir="auto">
          Failed first: <Said text={failure.sentence} />
          {/[.!?]$/.test(failure.sentence) ? "" : "."}
        </p>
      )}
      {limited !== undefined && summary.check == null && (
        <p class="bad" dir="auto">
          {limited.culprit === "this_machine"
            ? `This machine, not the storage, was the limit${one ? "" : ` with ${cut(limited.label, 60)}`}: its processors or memory kept the tool from running.`
            : limited.culprit === "max_rate"
              ? `The limit on bytes a second that was set, not the storage, was the limit${one ? "" : ` with ${cut(limited.label, 60)}`}.`
              : `The tool itself was late${one ? "" : ` with ${cut(limited.label, 60)}`}, not the storage.`}{" "}
          {withoutIt(limited)}
        </p>
      )}
      <Verified run={run} />
    </>
  );
}

/** What would have been late anyway, as far as frames tell. */
function withoutIt(point: LoadPoint): string {
  const total = point.streams?.total;
  if (total === undefined || total.late_frames === 0) return "";
  const rest = total.late_frames - total.late_frames_with_own_delay;
  if (rest <= 0) return "Without that delay no frame would have been late.";
  return `Without that delay ${count(rest)} of ${counted(total.late_frames, "late frame")} would have been late.`;
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
