// What a trace amounts to: what it is of, and the two sentences that the terminal says of it; signs of fragments.

import type { TracePage } from "../data/page";
import type { TraceFigures } from "../data/trace";
import { amount, count, counted, duration } from "../figures/units";
import { Copy } from "../parts/copy";
import { Name, Prose } from "../parts/name";
import { signsInWords } from "./signs";

/** `1 access`, `12 accesses`. */
export function accesses(many: number): string {
  return `${count(many)} access${many === 1 ? "" : "es"}`;
}

/** What was done, as the terminal says it. */
export function doneInWords(figures: TraceFigures, threads: number): string {
  const by = threads === 0 ? "" : ` by ${counted(threads, "thread")}`;
  return (
    `${counted(figures.ops, "operation")} on ${counted(figures.files.touched, "file")} in ` +
    `${duration(figures.span_s * 1e6)}${by}: ${amount(figures.read_bytes)} read, ${amount(figures.written_bytes)} written.`
  );
}

/** How much of it was in order; null without accesses. */
export function orderInWords(figures: TraceFigures): string | null {
  const { sequential_percent: whole, sequential_in_file_percent: inFile } = figures;
  if (whole === null || inFile === null) return null;
  return `${whole} % of ${accesses(figures.accesses)} are sequential in the whole trace, ${inFile} % within their files.`;
}

export function TraceAnswer({ trace }: { trace: TracePage }) {
  const { about, figures, signs } = trace.report;
  const order = orderInWords(figures);
  const signsFound = signsInWords(signs);
  return (
    <section id="answer" class="answer" aria-label="Answer">
      <h1>
        Trace <Name text={about.name} length={60} />
      </h1>
      {about.about !== "" && <Prose text={about.about} />}
      <p>
        <strong>{figures.ops === 0 ? "Nothing was done in this time." : doneInWords(figures, about.threads)}</strong>
      </p>
      {order !== null && <p>{order}</p>}
      {signsFound.length > 0 && (
        <>
          <h2 class="signs-title">Signs of fragmented files</h2>
          <ul class="signs">
            {signsFound.map((sentence) => (
              <li>
                <Name text={`${sentence}.`} length={900} />
              </li>
            ))}
          </ul>
        </>
      )}
      <h2 class="again-title">Replay it</h2>
      <Copy text={trace.again} label="the command that replays it" />
    </section>
  );
}
