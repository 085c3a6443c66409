// A run as a badge: `12 × Apple ProRes 422 HQ UHD · no late frame · 23 November 2026 · nas1`. Pure.

import type { RunPage } from "../data/page";
import { count, counted, mbPerS } from "../figures/units";
import { cut } from "../parts/text";
import { startedAt } from "./when";

/** What the badge says, with whether it is good. */
type Tone = "good" | "unsure" | "bad" | "plain";

export function badgeWords(run: RunPage): { words: string; tone: Tone } {
  const day = startedAt(run.summary.started_at).split(",")[0] ?? "";
  const { words, tone } = measured(run);
  const known = UNSURE[run.hero.statement.judgement] ?? [];
  return { words: [...known, words, day, cut(storageLine(run), 48)].join(" · "), tone };
}

/** Said before the figures. */
const UNSURE: Partial<Record<string, string[]>> = { not_known: ["not known"], inconclusive: ["inconclusive"] };

function measured(run: RunPage): { words: string; tone: Tone } {
  const { statement, before } = run.hero;
  const stated = statement.number;
  const least = before === "" ? "" : `${before} `;
  const format = cut(run.hero.format, 48);
  switch (stated.of) {
    case "streams": {
      const late = stated.late_frames === 0 ? "no late frame" : counted(stated.late_frames, "late frame");
      return { words: `${count(stated.streams)} × ${format} · ${late}`, tone: tone(statement.judgement) };
    }
    case "capacity": {
      const streams = `${least}${count(stated.streams)} × ${format}`;
      return { words: `${streams} · no late frame`, tone: tone(statement.judgement) };
    }
    case "first_look": {
      const streams = stated.play ?? stated.record;
      const known = streams === null ? "not measured" : `${least}${count(streams)} × ${format} · no late frame`;
      return { words: `${known} · first look`, tone: "plain" };
    }
    case "late_frames": {
      const late = counted(stated.late_frames, "late frame");
      return { words: `${counted(stated.streams, "stream")} · ${late}`, tone: tone(statement.judgement) };
    }
    case "valid_point": {
      const valid = stated.streams === null ? "no valid load point" : counted(stated.streams, "stream");
      return { words: `${valid} · ${cut(run.summary.vda?.label ?? "VDA-like", 40)}`, tone: tone(statement.judgement) };
    }
    case "throughput":
      return { words: `${mbPerS(stated.bytes_per_s)} MB/s`, tone: tone(statement.judgement) };
    case "replay": {
      // The delay against the recording, or the rate.
      const { number, number_path } = run.hero;
      const isDelay = number_path.endsWith("delay_s");
      const words = isDelay ? `${number} later than recorded` : number_path === "" ? "not measured" : `${number} MB/s`;
      return { words: `replay · ${words}`, tone: isDelay ? "plain" : tone(statement.judgement) };
    }
    case "failed":
      return { words: "not what was asked for", tone: tone(statement.judgement) };
    case "not_measured":
      return { words: "nothing measured", tone: "bad" };
  }
}

function tone(judgement: string): Tone {
  if (judgement === "met") return "good";
  if (judgement === "inconclusive") return "unsure";
  return judgement === "nothing_asked" ? "plain" : "bad";
}

/** Ground colours that white letters stand out from. */
const GROUNDS = { good: "#00664f", unsure: "#7a5200", bad: "#a33000", plain: "#3f4850" };

const NAME = "Reelgauge";

/** A letter is about as wide as this at 12 px; `textLength` makes it exact. */
const LETTER_PX = 6.6;

/** The badge as an SVG file. */
export function badgeSvg(run: RunPage): string {
  const { words, tone } = badgeWords(run);
  const safe = words.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
  const [left, text] = [Math.ceil(NAME.length * LETTER_PX) + 18, Math.ceil([...words].length * LETTER_PX)];
  const width = left + text + 18;
  const font = `font-family="system-ui, Segoe UI, Roboto, Noto Sans, sans-serif" font-size="12" fill="#ffffff"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="24" role="img" aria-label="${NAME}: ${safe}">`,
    `<title>${NAME}: ${safe}</title>`,
    `<rect width="${width}" height="24" rx="4" fill="${GROUNDS[tone]}"/>`,
    `<rect width="${left}" height="24" rx="4" fill="#1b1f24"/>`,
    `<rect x="${left - 4}" width="4" height="24" fill="#1b1f24"/>`,
    `<text x="9" y="16" ${font} font-weight="600" textLength="${left - 18}">${NAME}</text>`,
    `<text x="${left + 9}" y="16" ${font} textLength="${text}">${safe}</text>`,
    "</svg>",
  ].join("\n");
}

/** The storage in one line: what is stated, else the path and what it is. */
function storageLine(run: RunPage): string {
  const { target } = run.summary;
  if (run.hero.storage !== null) return run.hero.storage;
  const kind = target.description ?? target.fs_type;
  return kind === null || kind === "" ? target.path : `${target.path} (${kind})`;
}
