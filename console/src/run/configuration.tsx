// The full configuration: what was asked for, on what, by which machine; and the command that does it again.

import type { RunNotes, RunPage } from "../data/page";
import { blockSize, count } from "../figures/units";
import { Copy } from "../parts/copy";
import { Facts } from "../parts/facts";
import { Name, Prose, Said } from "../parts/name";
import { Section } from "../parts/section";
import { HostCard } from "./hosts";
import { startedAt } from "./when";

export function ConfigurationSection({ run }: { run: RunPage }) {
  const { summary } = run;
  return (
    <Section id="configuration" title="Configuration">
      <h3>Run it again</h3>
      <Copy text={run.again} label="the command" />
      {run.notes !== null && <Notes notes={run.notes} />}
      <div class="grid">
        <div class="card">
          <h3>Run</h3>
          <Facts
            name="Run"
            rows={[
              ["Started", startedAt(summary.started_at)],
              ["Kind", <Name text={summary.verb} />],
              ["Label", <Name text={summary.label} />],
              ["Ended", <Said text={outcome(summary.outcome, summary.outcome_reason)} />],
              ["Seed", <code>{seedOf(run)}</code>],
              ["Run directory", <Name text={summary.run_dir ?? ""} length={160} />],
              ["Version", `reelgauge ${summary.tool_version}, summary schema ${summary.schema_version}`],
            ]}
          />
        </div>
        <div class="card">
          <h3>Target</h3>
          <Facts
            name="Target"
            rows={[
              ["Path", <Name text={summary.target.path} length={160} />],
              ["What it is", <Name text={summary.target.description ?? ""} length={160} />],
              ["File system", <Name text={summary.target.fs_type ?? ""} />],
              ["Mounted from", <Name text={summary.target.source ?? ""} length={160} />],
              ["Server", <Name text={summary.target.server ?? ""} length={160} />],
              ["Mount options", <Name text={summary.target.mount_options ?? ""} length={400} />],
              [
                "Files",
                `${count(summary.data_set.files)} of ${blockSize(summary.data_set.file_size_bytes)}${summary.data_set.reused ? ", there already" : ""}`,
              ],
            ]}
          />
        </div>
        {run.hosts.map((host, at) => (
          <HostCard host={host} at={at} />
        ))}
        <div class="card">
          <h3>Plan</h3>
          <Facts
            name="Plan"
            rows={Object.entries(summary.plan).map(([name, value]) => [
              name.replaceAll("_", " "),
              <Name text={value} length={200} />,
            ])}
          />
        </div>
      </div>
      {run.plan_toml !== null && (
        <details>
          <summary>run.toml, as it is</summary>
          <pre class="plan" tabIndex={0} dir="ltr">
            {run.plan_toml}
          </pre>
        </details>
      )}
    </Section>
  );
}

/** From the plan's text, because JSON numbers above 2^53 are not exact. */
function seedOf(run: RunPage): string {
  const found = /^(?:#\s*)?seed\s*=\s*"?(\d+)"?/m.exec(run.plan_toml ?? "");
  if (found?.[1] !== undefined) return found[1];
  const { seed } = run.summary;
  return Number.isSafeInteger(seed) ? String(seed) : `about ${seed}: run.toml has it exactly`;
}

function outcome(how: string, why: string | null): string {
  const words = { complete: "as planned", interrupted: "interrupted", broke_off: "broke off" }[how] ?? how;
  return why === null ? words : `${words}: ${why}`;
}

function Notes({ notes }: { notes: RunNotes }) {
  const storage = [notes.storage_make, notes.storage_model, notes.storage_firmware].some(
    (text) => text !== "",
  );
  return (
    <div class="card">
      <h3>Notes</h3>
      {storage && (
        <Facts
          name="Storage"
          rows={[
            ["Make", <Name text={notes.storage_make} />],
            ["Model", <Name text={notes.storage_model} />],
            ["Firmware", <Name text={notes.storage_firmware} />],
          ]}
        />
      )}
      {notes.tags.length > 0 && (
        <p>
          {notes.tags.map((tag) => (
            <span class="tag">
              <Name text={tag} length={40} />
            </span>
          ))}
        </p>
      )}
      {notes.note !== "" && <Prose text={notes.note} />}
    </div>
  );
}
