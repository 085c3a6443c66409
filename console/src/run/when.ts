// Moments of the calendar, for people. Always with their zone, because reports travel.

/** `22 November 2026, 00:24:15 UTC`; the text itself where it is no moment. */
export function startedAt(text: string): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return text === "" ? "start not known" : text;
  const day = at.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  return `${day}, ${at.toLocaleTimeString("en-GB", { timeZone: "UTC" })} UTC`;
}
