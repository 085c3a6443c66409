// A host as hosts.json tells it: what is known by name first, everything else as it is.

import type { ComponentChildren } from "preact";
import type { HostFacts } from "../data/page";
import { amount, count, counted } from "../figures/units";
import { Facts } from "../parts/facts";
import { Name } from "../parts/name";

const NAMES: Record<string, string> = {
  name: "Name",
  os: "System",
  kernel: "Kernel",
  cpu_model: "Processor",
  cpu_count: "Processors",
  memory_bytes: "Memory",
  mount: "Mount",
  nics: "Network",
  agent: "Called",
  clock_offset_us: "Clock ahead, µs",
  clock_uncertainty_us: "That may be off by, µs",
  changed_from_default: "Changed from the default",
  settings: "Settings",
};

/** Long lists, folded. */
const FOLDED = ["changed_from_default", "settings"];

export function HostCard({ host, at }: { host: HostFacts; at: number }) {
  const name = typeof host["name"] === "string" ? host["name"] : `host ${at + 1}`;
  const known = Object.keys(NAMES).filter((field) => field in host);
  const others = Object.keys(host).filter((field) => !(field in NAMES));
  const rows = [...known, ...others]
    .map((field) => [field, host[field]] as const)
    .map(([field, value]): [string, ComponentChildren] => [NAMES[field] ?? field, shown(field, value)]);
  return (
    <div class="card">
      <h3>
        Host <Name text={name} />
      </h3>
      <Facts name={`Host ${at + 1}`} rows={rows} />
    </div>
  );
}

function shown(field: string, value: unknown): ComponentChildren {
  if (field === "memory_bytes" && typeof value === "number") return amount(value);
  if (FOLDED.includes(field) && typeof value === "object" && value !== null) {
    return (
      <details class="settings">
        <summary>{counted(Object.keys(value).length, "setting")}</summary>
        <div>{words(value)}</div>
      </details>
    );
  }
  if (field === "nics" && Array.isArray(value)) return value.map((nic) => <div>{nicWords(nic)}</div>);
  return words(value);
}

function nicWords(nic: unknown): ComponentChildren {
  if (typeof nic !== "object" || nic === null) return words(nic);
  const { name, state, speed_mbit_per_s: speed, mtu_bytes: mtu, driver } = nic as Record<string, unknown>;
  const parts = [
    typeof speed === "number" ? `${count(speed)} Mbit/s` : "speed not known",
    typeof mtu === "number" ? `MTU ${count(mtu)}` : null,
    typeof driver === "string" ? driver : null,
    typeof state === "string" ? state : null,
  ].filter((part) => part !== null);
  return <Name text={`${typeof name === "string" ? name : "?"}: ${parts.join(", ")}`} length={120} />;
}

/** Anything, as text; what is nested, as names and values. */
function words(value: unknown): ComponentChildren {
  if (value === null || value === undefined || value === "") return <span class="faint">not known</span>;
  if (typeof value === "number") return Number.isInteger(value) ? count(value) : String(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return <Name text={value} length={200} />;
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map((one) => <div>{words(one)}</div>);
  return Object.entries(value as Record<string, unknown>).map(([name, one]) => (
    <div>
      <span class="faint">
        <Name text={name.replace(/_/g, " ")} />
      </span>{" "}
      {words(one)}
    </div>
  ));
}
