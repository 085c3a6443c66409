// The verbs of the command line as questions of users. Pure.

/** The verbs as questions. */
export const QUESTIONS: Record<string, { title: string; about: string }> = {
  check: {
    title: "Will it play?",
    about: "In about 90 s: how many streams of five common formats the storage sustains, and what limits it.",
  },
  most: {
    title: "How many?",
    about: "The most streams of one format that play without a late frame.",
  },
  everybody: {
    title: "Will it hold with everyone on it?",
    about: "Ingest, edit seats, playout and copies at once, as on a working day.",
  },
  again: {
    title: "Same as last month?",
    about: "Repeat an earlier run with its plan, then compare both.",
  },
};
