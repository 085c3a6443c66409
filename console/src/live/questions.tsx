// The common questions, as buttons. Each opens a form with the fields that the question determines filled in.

import type { Form } from "../data/live";
import { EARLIER } from "./again";
import { QUESTIONS } from "./question-words";
import { hashOf } from "./routes";

const PRESETS: { question: keyof typeof QUESTIONS; verb: string; set: Record<string, string> }[] = [
  { question: "check", verb: "check", set: {} },
  { question: "most", verb: "streams", set: { "find-max": "true" } },
  { question: "everybody", verb: "run", set: {} },
  { question: "again", verb: "again", set: {} },
];

export function Questions({ forms }: { forms: readonly Form[] }) {
  return (
    <>
      <ul class="verbs questions">
        {PRESETS.map(({ question, verb, set }) => (
          <li>
            <a href={hashOf({ page: "start", verb, set })}>
              <strong>{QUESTIONS[question]?.title}</strong>
              <span>{QUESTIONS[question]?.about}</span>
            </a>
          </li>
        ))}
      </ul>
      <h2>All measurements</h2>
      <ul class="verbs">
        {forms.map((form) => (
          <li>
            <a href={hashOf({ page: "start", verb: form.verb, set: {} })}>
              <strong>{form.verb}</strong>
              <span>{form.about}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The heading of a form: the question that it answers. */
export function headingOf(verb: string, set: Readonly<Record<string, string>>): string {
  return QUESTIONS[questionOf(verb, set)]?.title ?? `Start: ${verb}`;
}

/** The description of a form that suits its question. */
export function aboutOf(form: Form, set: Readonly<Record<string, string>>): string {
  return QUESTIONS[questionOf(form.verb, set)]?.about ?? form.about;
}

function questionOf(verb: string, set: Readonly<Record<string, string>>): string {
  if (set[EARLIER] !== undefined || (verb === "run" && isOfRun(set["plan"]))) return "again";
  if (verb === "streams" && set["find-max"] === "true") return "most";
  return verb === "run" ? "everybody" : verb;
}

/** Whether the plan is that of an earlier run: names of run directories begin with the year. */
function isOfRun(plan: string | undefined): boolean {
  return plan !== undefined && /^\d{4}-/.test(plan);
}
