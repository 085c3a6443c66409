// The state of each host of a fleet run as text. Pure.

import type { LiveHosts } from "../data/live";
import { count, duration, mbPerS } from "../figures/units";

export interface HostRow {
  name: string;
  /** MB/s; a dash if the host has not reported it. */
  read: string;
  written: string;
  late: string;
  words: string;
  isBad: boolean;
}

const NOT_TOLD = "–";

export function hostRows(hosts: LiveHosts): HostRow[] {
  return hosts.name.map((name, index) => {
    const late = hosts.late_frames[index] ?? null;
    const missing = hosts.missing[index] ?? null;
    const silent_s = hosts.no_answer_s[index] ?? null;
    const read = hosts.read_bytes_per_s[index] ?? null;
    const written = hosts.write_bytes_per_s[index] ?? null;
    return {
      name,
      read: read === null ? NOT_TOLD : mbPerS(read),
      written: written === null ? NOT_TOLD : mbPerS(written),
      late: late === null ? NOT_TOLD : count(late),
      words: wordsFor(missing, silent_s, read !== null),
      isBad: missing !== null || silent_s !== null,
    };
  });
}

/** The number of missing hosts among the listed ones. Missing hosts are listed first. */
export function missingHosts(hosts: LiveHosts | undefined): number {
  return (hosts?.missing ?? []).filter((why) => why !== null).length;
}

function wordsFor(missing: string | null, silent_s: number | null, hasTold: boolean): string {
  if (missing !== null) return `missing: ${missing}`;
  if (silent_s !== null) return `no answer for ${duration(silent_s * 1e6)}`;
  return hasTold ? "reporting" : "no report yet";
}
