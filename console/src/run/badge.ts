// A run as a badge: `12 × Apple ProRes 422 HQ UHD · no late frame · 23 November 2026 · nas1`. Pure.

import type { RunPage } from "../data/page";
import { cut } from "../parts/text";
import { startedAt } from "./when";

/** The text of the badge: the result, the day and the storage. */
export function badgeWords(run: RunPage): string {
  const { badge, storage } = run.hero;
  const day = startedAt(run.summary.started_at).split(",")[0] ?? "";
  return [badge.word, day, cut(storage, 48)].join(" · ");
}

/** Background colours with enough contrast to white letters. */
const GROUNDS = { good: "#00664f", unsure: "#7a5200", bad: "#a33000", plain: "#3f4850" };

const NAME = "Reelgauge";

/** The approximate width of a letter at 12 px; `textLength` makes it exact. */
const LETTER_PX = 6.6;

/** The badge as an SVG file. */
export function badgeSvg(run: RunPage): string {
  const words = badgeWords(run);
  const safe = words.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
  const [left, text] = [Math.ceil(NAME.length * LETTER_PX) + 18, Math.ceil([...words].length * LETTER_PX)];
  const width = left + text + 18;
  const font = `font-family="system-ui, Segoe UI, Roboto, Noto Sans, sans-serif" font-size="12" fill="#ffffff"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="24" role="img" aria-label="${NAME}: ${safe}">`,
    `<title>${NAME}: ${safe}</title>`,
    `<rect width="${width}" height="24" rx="4" fill="${GROUNDS[run.hero.badge.tone]}"/>`,
    `<rect width="${left}" height="24" rx="4" fill="#1b1f24"/>`,
    `<rect x="${left - 4}" width="4" height="24" fill="#1b1f24"/>`,
    `<text x="9" y="16" ${font} font-weight="600" textLength="${left - 18}">${NAME}</text>`,
    `<text x="${left + 9}" y="16" ${font} textLength="${text}">${safe}</text>`,
    "</svg>",
  ].join("\n");
}
