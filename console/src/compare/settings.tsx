// What the runs were asked to do, and on what: the settings that differ, and all of them on demand.

import { useState } from "preact/hooks";
import type { ComparedSystem, Comparison, RunPage } from "../data/page";
import { Name } from "../parts/name";
import { Section } from "../parts/section";
import { Table } from "../parts/table";

interface Setting {
  name: string;
  values: string[];
  differs: boolean;
}

/** What is known of a storage and its client, as it is called; the mount is told with the target. */
const SYSTEM: [string, (system: ComparedSystem) => string | null][] = [
  ["make", (system) => system.make],
  ["model", (system) => system.model],
  ["firmware", (system) => system.firmware],
  ["protocol", (system) => system.protocol],
  ["client", (system) => system.client],
  ["client system", (system) => system.client_system],
  ["client hardware", (system) => system.client_hardware],
  ["client links", (system) => system.client_links],
];

/** Stands before the names of what the client was set to. */
const CLIENT = "client: ";

/** Every setting of every run, by name; what nobody knows or wrote down is left out. */
export function settingsOf(runs: RunPage[], comparison: Comparison): Setting[] {
  const each = runs.map((run, at) => {
    const system = comparison.runs[at]?.system;
    const known = SYSTEM.map(([name, of]): [string, string] => [name, (system && of(system)) ?? ""]);
    const { target, data_set, tool_version, effective_mode } = run.summary;
    return new Map<string, string>([
      ...known.filter(([, value]) => value !== ""),
      ["target", target.path],
      ["file system", target.fs_type ?? ""],
      ["mounted from", target.source ?? ""],
      ["mount options", target.mount_options ?? ""],
      ["cache", effective_mode.found],
      ["files", `${data_set.files} of ${data_set.file_size_bytes} bytes`],
      ["reelgauge", tool_version],
      ...Object.entries(system?.client_settings ?? {}).map(([name, value]): [string, string] => [`${CLIENT}${name}`, value]),
      ...Object.entries(run.summary.plan).map(([name, value]): [string, string] => [`plan: ${name}`, value]),
    ]);
  });
  // What a client does not tell of itself is no difference.
  const isTold = (name: string) => !name.startsWith(CLIENT) || each.every((settings) => settings.has(name));
  const names = [...new Set(each.flatMap((settings) => [...settings.keys()]))].filter(isTold);
  return names.map((name) => {
    const values = each.map((settings) => settings.get(name) ?? "");
    return { name, values, differs: new Set(values).size > 1 };
  });
}

export function Settings({ runs, comparison }: { runs: RunPage[]; comparison: Comparison }) {
  const [all, setAll] = useState(false);
  const settings = settingsOf(runs, comparison);
  const columns = [
    { title: "setting", head: true, cell: (row: Setting) => row.name },
    ...runs.map((_, at) => ({ title: `run ${at + 1}`, cell: (row: Setting) => <Name text={row.values[at] ?? ""} length={60} /> })),
  ];
  return (
    <Section id="settings" title="Settings">
      <p class="pick">
        <label>
          <input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} /> Show also what is
          the same
        </label>
      </p>
      <Table
        caption={all ? "Every setting" : "Settings that differ"}
        columns={columns}
        rows={all ? settings : settings.filter((setting) => setting.differs)}
        empty="All settings are the same."
      />
    </Section>
  );
}
