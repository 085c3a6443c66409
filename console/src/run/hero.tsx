// The top of a run's page: number, verdict, cause, confidence, storage and next step, for users who read no further.

import type { Page, RunPage } from "../data/page";
import { counted } from "../figures/units";
import { Blocks, blocksOf, Told } from "../parts/blocks";
import { Name, Said } from "../parts/name";
import { VerdictMark } from "../parts/shell";
import { Actions } from "./actions";
import { startedAt } from "./when";

export function Hero({ run, page }: { run: RunPage; page: Page }) {
  const { hero } = run;
  const [first, ...others] = run.answer;
  return (
    <section id="answer" class={`section answer ${hero.verdict.tone}`} aria-label="Answer">
      <h2 class="sr-only">Answer</h2>
      <div class="hero">
        <div class="hero-number">
          <p class="hero-count">
            {hero.before !== "" && <small>{hero.before} </small>}
            <Told path={hero.number_path} text={hero.number} />
          </p>
          <p class="hero-of" dir="auto">
            <Said text={hero.counts} />
          </p>
          <VerdictMark verdict={hero.verdict} />
        </div>
        <div class="hero-words">
          {first === undefined ? (
            <p class="bad">This run recorded no result.</p>
          ) : (
            <p class={`headline ${first.tone === "bad" ? "bad" : ""}`} dir="auto" data-sentence>
              <Said text={first.text} />
            </p>
          )}
          {/* The last sentence is the doubt, which is shown with the confidence. */}
          {(hero.doubt === "" ? others : others.slice(0, -1)).map((sentence) => (
            <p class={sentence.tone === "bad" ? "bad" : ""} dir="auto" data-sentence>
              <Said text={sentence.text} />
            </p>
          ))}
          <dl class="hero-facts">
            {hero.facts.map((fact) => (
              <div>
                <dt>{fact.name}</dt>
                <dd id={`hero-${fact.id}`} dir="auto">
                  {fact.id === "confidence" && hero.doubt !== "" && (
                    <>
                      <span data-sentence>{hero.doubt}</span>{" "}
                    </>
                  )}
                  <Said text={fact.text} />
                </dd>
              </div>
            ))}
          </dl>
          {hero.own_limit !== null && (
            <p class="bad" dir="auto">
              <Said text={hero.own_limit} />
            </p>
          )}
        </div>
      </div>
      {run.summary.check != null && (
        <div class="check">
          <Blocks blocks={blocksOf(run, "formats")} charts={{}} point={null} />
        </div>
      )}
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

/** Further warnings are folded. */
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

/** Time and kind of the run, in one line. */
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
