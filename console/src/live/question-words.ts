// The verbs of the command line as the questions that users have. Pure.

/** The verbs as questions. */
export const QUESTIONS: Record<string, { title: string; about: string }> = {
  check: {
    title: "Will it play?",
    about: "About a minute: how many streams of five common formats the storage carries, and what limits it.",
  },
  most: {
    title: "How many?",
    about: "The largest number of streams of one format that play without a late frame.",
  },
  everybody: {
    title: "What happens with everybody on it?",
    about: "Ingest, edit seats, playout and copies at the same time, as on a working day.",
  },
  again: {
    title: "Same as last month?",
    about: "An earlier run again, with its plan, and then both side by side.",
  },
};
