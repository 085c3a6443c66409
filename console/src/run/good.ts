// What a count of streams is good for: how many of them links of usual speeds carry, and how many a suite and a
// newsroom need. Each with what it assumes. Pure.

import type { RunPage } from "../data/page";
import type { LoadPoint } from "../data/summary";
import { count, counted, number } from "../figures/units";

/** Streams of one format, and how many a run found. */
export interface Found {
  /** `Apple ProRes 422 HQ UHD, 25 fps` */
  format: string;
  bytes_per_s_each: number;
  streams: number;
  /** More may pass: no more were tried, or the limit was not found. */
  at_least: boolean;
}

export interface Reference {
  name: string;
  streams: number;
  /** A link carries so many at most; a disk of a workstation about so many; people need so many at least. */
  kind: "link" | "disk" | "need";
  assumes: string;
}

const LINKS_GBIT_PER_S = [1, 10, 25, 100];

/** Payload of a full TCP segment over IPv4 in an Ethernet frame of 1,500 bytes, with its gaps: 1,448 of 1,538 bytes. */
const PAYLOAD_SHARE = 1448 / 1538;

/** What a workstation has inside, and what a NAS of a known size gave: the yardsticks of 45Drives' paper. */
const YARDSTICKS = [
  {
    name: "an internal hard disk",
    mb_per_s: 150,
    assumes: "150 MB/s, one after another (45Drives, 2016). With several streams at once a hard disk does less.",
  },
  {
    name: "an internal SSD, or an untuned 10 GbE NAS",
    mb_per_s: 450,
    assumes:
      "450 MB/s, the middle of 400 to 500 MB/s: an internal SATA SSD, and a NAS of 30 hard disks over 10 GbE as it " +
      "was installed; 1,100 MB/s after tuning (45Drives, 2016).",
  },
];

/** People at work. Assumptions, not measurements: they are said with each. */
const NEEDS = [
  {
    name: "a suite of four seats",
    streams: 13,
    assumes:
      "Four editors who each play three streams at once (two layers and a preview), and one recording: 13 streams.",
  },
  {
    name: "a newsroom of twenty",
    streams: 24,
    assumes:
      "Twenty journalists, half of them playing at a time, two streams each (a dissolve), and four recordings: " +
      "24 streams.",
  },
];

/** In the order of their streams. */
export function references(found: Found): Reference[] {
  const links = LINKS_GBIT_PER_S.map((gbit): Reference => {
    const bytes_per_s = ((gbit * 1e9) / 8) * PAYLOAD_SHARE;
    return {
      name: `${gbit} GbE`,
      streams: Math.floor(bytes_per_s / found.bytes_per_s_each),
      kind: "link",
      assumes:
        `${gbit} Gbit/s, of which 94 % is data (TCP over IPv4, 1,500-byte frames), ÷ ` +
        `${number(found.bytes_per_s_each / 1e6)} MB/s for each stream. NFS and SMB take a little more.`,
    };
  });
  const disks = YARDSTICKS.map(({ name, mb_per_s, assumes }): Reference => {
    const streams = Math.floor((mb_per_s * 1e6) / found.bytes_per_s_each);
    return { name, streams, kind: "disk", assumes: `${assumes} ÷ ${number(found.bytes_per_s_each / 1e6)} MB/s for each stream.` };
  });
  const needs = NEEDS.map((need): Reference => ({ ...need, kind: "need" }));
  return [...links, ...disks, ...needs].sort((one, two) => one.streams - two.streams);
}

/** What a reference says of the count. */
export function said(reference: Reference, found: Found): { word: string; tone: "good" | "bad" | "plain" } {
  const streams = counted(reference.streams, "stream");
  if (reference.kind === "link") return { word: `carries ${streams} at most`, tone: "plain" };
  if (reference.kind === "disk") return { word: `plays about ${streams}`, tone: "plain" };
  if (found.streams >= reference.streams) return { word: `needs ${streams}: enough`, tone: "good" };
  if (found.at_least) return { word: `needs ${streams}; only ${count(found.streams)} proven`, tone: "plain" };
  return { word: `needs ${streams}: not enough`, tone: "bad" };
}

/** The count and format that a run found; null where it found none, or is about several formats. */
export function foundBy(run: RunPage): Found | null {
  const { judgement } = run.hero.statement;
  return judgement === "met" || run.summary.check != null ? streamsOf(run) : null;
}

/** The count and format that a run is about, whether or not it came to its end. */
export function streamsOf(run: RunPage): Found | null {
  const { number: stated } = run.hero.statement;
  const { summary } = run;
  switch (stated.of) {
    case "first_look": {
      const format = summary.check?.formats[stated.format];
      const found = format?.play ?? format?.record ?? null;
      if (format === undefined || found === null || found.streams === 0) return null;
      const each = format.needed_mb_per_s_each * 1e6;
      return { format: format.name, bytes_per_s_each: each, streams: found.streams, at_least: found.at_least };
    }
    case "streams":
      return ofPoint(summary.load_points[stated.point], stated.streams, true);
    case "capacity": {
      const point = [...summary.load_points].reverse().find((one) => one.stream_count === stated.streams);
      return stated.streams === 0 ? null : ofPoint(point, stated.streams, stated.at_least !== null);
    }
    default:
      return null;
  }
}

function ofPoint(point: LoadPoint | undefined, streams: number, at_least: boolean): Found | null {
  const all = point?.streams?.streams ?? [];
  const first = all[0];
  if (first === undefined || all.some((one) => one.name !== first.name)) return null;
  const { bytes_per_s, frames_per_s, nominal_frames_per_s } = first;
  if (bytes_per_s === null || frames_per_s === null || !(frames_per_s > 0)) return null;
  return { format: first.format ?? first.name, bytes_per_s_each: (bytes_per_s / frames_per_s) * nominal_frames_per_s, streams, at_least };
}
