// The answer: the sentences that the terminal begins with, what limited the run, and what to doubt.

import type { RunPage, Sentence } from "../data/page";
import { count } from "../figures/units";
import { Figure } from "../parts/figure";
import { Name, Said } from "../parts/name";
import { cut } from "../parts/text";
import { verdictOf } from "./verdict-word";
import { startedAt } from "./when";

export function Answer({ run }: { run: RunPage }) {
  const { summary } = run;
  const [first, ...others] = run.answer;
  const tone = verdictOf(summary).tone;
  return (
    <section id="answer" class={`section answer ${tone}`} aria-label="Answer">
      <h2 class="sr-only">Answer</h2>
      {first === undefined ? (
        <p class="bad">This run says nothing about itself.</p>
      ) : (
        <p class={`headline ${first.tone === "bad" ? "bad" : ""}`} dir="auto" data-sentence>
          <Said text={first.text} />
        </p>
      )}
      {others.map((sentence) => (
        <p class={sentence.tone === "bad" ? "bad" : ""} dir="auto" data-sentence>
          <Said text={sentence.text} />
        </p>
      ))}
      <Limits run={run} said={run.answer} />
      <p class="facts">
        {startedAt(summary.started_at)} · <Name text={summary.verb} />
        {summary.label !== "" && summary.label !== summary.verb && (
          <>
            {" "}
            · <Name text={summary.label} />
          </>
        )}{" "}
        · <Name text={summary.target.path} />
      </p>
      {summary.notes.length > 0 && (
        <ul class="warnings" aria-label="Warnings">
          {summary.notes.map((note) => (
            <li dir="auto">
              <Said text={note} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Which failure came first, and where this machine, not the storage, was the limit. */
function Limits({ run, said }: { run: RunPage; said: Sentence[] }) {
  const { summary } = run;
  const limited = summary.load_points.find(
    (point) => point.culprit === "this_machine" || point.culprit === "tool",
  );
  const failure = summary.verdict?.failed_first ?? null;
  const failureSaid =
    failure === null || said.some((sentence) => sentence.text.includes(failure.sentence.slice(0, 40)));
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
            : `The tool itself was late${one ? "" : ` with ${cut(limited.label, 60)}`}, not the storage.`}{" "}
          Without that nothing would have been late.
        </p>
      )}
      {summary.check != null && summary.check.limit !== "" && (
        <p dir="auto">
          Limit: <Said text={summary.check.limit} />
        </p>
      )}
      {run.next_step !== null && (
        <p dir="auto" data-next-step>
          Next: <Said text={run.next_step} />
        </p>
      )}
      {summary.search?.failed_first != null && (
        <p dir="auto">
          Failed first: <Said text={summary.search.failed_first} />
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
