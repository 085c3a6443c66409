// What a trace says about itself: how it came about, at which level it was seen, what it can't see, what to doubt.

import type { ComponentChildren } from "preact";
import type { TraceAbout } from "../data/trace";
import { count, counted, duration, number } from "../figures/units";
import { Name } from "../parts/name";
import { Section } from "../parts/section";
import { Table } from "../parts/table";

/** What is seen at each level, and what is not. */
const LEVELS: Record<string, string> = {
  application: "what the application asked for, before any cache",
  cache: "what the page cache asked for: sizes and order are the cache's, not the application's",
  network: "what went over the network: reads that the client's cache answered are not in it",
  block: "what reached the disk: files are not known",
};

export function TraceAboutSection({ about }: { about: TraceAbout }) {
  return (
    <Section id="about" title="About this trace">
      <dl class="trace-facts card">
        <Fact name="Made by">
          <Name text={about.made_by} empty="not known" />
        </Fact>
        {about.source !== "" && (
          <Fact name="From">
            <Name text={about.source} length={240} />
          </Fact>
        )}
        {about.made_at !== "" && <Fact name="Made at">{about.made_at.replace("T", " ").replace("Z", " UTC")}</Fact>}
        <Fact name="Seen at">
          {about.capture} level{LEVELS[about.capture] === undefined ? "" : `: ${LEVELS[about.capture]}`}
        </Fact>
        {about.blind_to.length > 0 && <Fact name="Can't see">{list(about.blind_to)}</Fact>}
        {about.warnings.length > 0 && <Fact name="To know">{list(about.warnings)}</Fact>}
        {about.threads > 0 && <Fact name="Threads">{count(about.threads)}</Fact>}
        {about.cost_ns_per_op !== null && (
          <Fact name="Recorder's cost">
            {duration(about.cost_ns_per_op / 1e3)} per operation
            {about.round_trip_ns != null && `, and ${duration(about.round_trip_ns / 1e3)} for the way to it and back`}
          </Fact>
        )}
        {Object.keys(about.left_out).length > 0 && (
          <Fact name="Left out">{list(Object.entries(about.left_out).map(([why, many]) => `${count(many)} × ${why}`))}</Fact>
        )}
        <Fact name="Files">
          <Name text={about.path} length={240} />
        </Fact>
      </dl>
      {about.synthetic.length > 0 && <Synthetic about={about} />}
      {about.malformed_lines > 0 && <Malformed about={about} />}
    </Section>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function list(texts: readonly string[]): ComponentChildren {
  if (texts.length === 1) return <Name text={texts[0] ?? ""} length={400} />;
  return (
    <ul>
      {texts.map((text) => (
        <li>
          <Name text={text} length={400} />
        </li>
      ))}
    </ul>
  );
}

/** A synthetic trace is held against what was published. */
function Synthetic({ about }: { about: TraceAbout }) {
  return (
    <>
      <h3>Synthetic: matched to published figures</h3>
      <Table
        caption="What was published, and what this trace has"
        quiet
        columns={[
          { title: "figure", head: true, cell: ([name]) => <Name text={name} /> },
          { title: "published", number: true, cell: ([, published]) => number(published) },
          { title: "this trace", number: true, cell: ([, , has]) => number(has) },
          { title: "may be off by", number: true, cell: ([, , , by]) => number(by) },
        ]}
        rows={about.synthetic}
      />
    </>
  );
}

function Malformed({ about }: { about: TraceAbout }) {
  return (
    <>
      <h3 class="bad">{counted(about.malformed_lines, "line")} of the source could not be understood</h3>
      <Table
        caption="The first of them"
        columns={[
          { title: "line", number: true, cell: ([line]) => count(line) },
          { title: "why", cell: ([, , why]) => <Name text={why} length={120} /> },
          { title: "text", cell: ([, text]) => <Name text={text} length={80} /> },
        ]}
        rows={about.first_malformed}
      />
    </>
  );
}
