// What a run's page opens with: the number, the verdict, the cause, how sure it is and of which storage, and one
// next step. Everything that somebody needs who reads no further.

import type { ComponentChildren } from "preact";
import type { Page, RunPage } from "../data/page";
import { counted } from "../figures/units";
import { Name, Said } from "../parts/name";
import { VerdictMark } from "../parts/shell";
import { Actions } from "./actions";
import { Limits } from "./limits";
import { Stated } from "./stated";
import { Storage } from "./storage";
import { verdictOf } from "./verdict-word";
import { startedAt } from "./when";

interface Props {
  run: RunPage;
  page: Page;
  /** What this kind of run answers with beside a number. */
  children?: ComponentChildren;
}

export function Hero({ run, page, children }: Props) {
  const { hero } = run;
  const [first, ...others] = run.answer;
  const verdict = verdictOf(run.summary);
  return (
    <section id="answer" class={`section answer ${verdict.tone}`} aria-label="Answer">
      <h2 class="sr-only">Answer</h2>
      <div class="hero">
        <div class="hero-number">
          <p class="hero-count">
            {hero.before !== "" && <small>{hero.before} </small>}
            <Stated run={run} />
          </p>
          <p class="hero-of" dir="auto">
            <Said text={hero.counts} />
          </p>
          <VerdictMark verdict={verdict} />
        </div>
        <div class="hero-words">
          {first === undefined ? (
            <p class="bad">This run says nothing about itself.</p>
          ) : (
            <p class={`headline ${first.tone === "bad" ? "bad" : ""}`} dir="auto" data-sentence>
              <Said text={first.text} />
            </p>
          )}
          {/* The doubt that it ends with stands at the confidence. */}
          {(hero.doubt === "" ? others : others.slice(0, -1)).map((sentence) => (
            <p class={sentence.tone === "bad" ? "bad" : ""} dir="auto" data-sentence>
              <Said text={sentence.text} />
            </p>
          ))}
          <dl class="hero-facts">
            <Fact name="Cause" id="hero-cause">
              <Said text={hero.cause} />
            </Fact>
            {hero.limited_by !== "" && (
              <Fact name="Limited by" id="hero-limited-by">
                <Said text={hero.limited_by} />
              </Fact>
            )}
            {hero.beside !== null && (
              <Fact name="Beside it" id="hero-beside">
                <Said text={hero.beside} />
              </Fact>
            )}
            {hero.line !== null && (
              <Fact name="Line" id="hero-line">
                <Said text={hero.line} />
              </Fact>
            )}
            <Fact name="Confidence" id="hero-confidence">
              {hero.doubt !== "" && <span data-sentence>{hero.doubt}</span>} <Said text={hero.confidence} />
            </Fact>
            <Fact name="Storage" id="hero-storage">
              <Storage run={run} />
            </Fact>
          </dl>
          <Limits run={run} />
        </div>
      </div>
      {children}
      {run.next_step !== null && (
        <p class="hero-next" dir="auto" data-next-step>
          <strong>Next:</strong> <Said text={run.next_step} />
        </p>
      )}
      <div class="hero-foot">
        <When run={run} />
        <Actions run={run} page={page} />
      </div>
      <Warnings notes={run.warnings} />
    </section>
  );
}

function Fact({ name, id, children }: { name: string; id: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd id={id} dir="auto">
        {children}
      </dd>
    </div>
  );
}

/** More warnings than this are folded. */
const MOST_WARNINGS = 3;

function Warnings({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null;
  const list = (some: readonly string[]) => (
    <ul class="warnings" aria-label="Warnings">
      {some.map((note) => (
        <li dir="auto">
          <Said text={note} />
        </li>
      ))}
    </ul>
  );
  const more = notes.slice(MOST_WARNINGS);
  return (
    <>
      {list(notes.slice(0, MOST_WARNINGS))}
      {more.length > 0 && (
        <details>
          <summary>{counted(more.length, "more warning")}</summary>
          {list(more)}
        </details>
      )}
    </>
  );
}

/** When it was and what it was, in one line. */
function When({ run }: { run: RunPage }) {
  const { summary } = run;
  return (
    <p class="facts">
      {startedAt(summary.started_at)} · <Name text={summary.verb} />
      {summary.label !== "" && summary.label !== summary.verb && (
        <>
          {" "}
          · <Name text={summary.label} />
        </>
      )}
    </p>
  );
}
