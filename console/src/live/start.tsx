// Starts a run: common questions first, then a form for each verb, generated from the command line's definition.

import { api } from "../data/api";
import { Missing } from "../parts/section";
import { Shell } from "../parts/shell";
import { ConsoleBar } from "./bar";
import { EarlierRuns } from "./earlier";
import { Questions, headingOf } from "./questions";
import { StartForm } from "./start-form";
import { useData } from "./use-data";

interface Props {
  /** Empty for the questions; `again` for the list of earlier runs. */
  verb: string;
  set: Readonly<Record<string, string>>;
}

export function StartPage({ verb, set }: Props) {
  const title = verb === "" ? "What do you want to know?" : headingOf(verb, set);
  return (
    <Shell title={title} kind="Console" sections={[]} back={<ConsoleBar here="start" />}>
      <h1>{title}</h1>
      {verb === "again" ? <EarlierRuns /> : <Forms verb={verb} set={set} />}
    </Shell>
  );
}

function Forms({ verb, set }: Props) {
  const forms = useData(api.forms, "forms");
  const info = useData(api.info, "info");
  const choices = useData(api.choices, "choices");
  const traces = useData(api.traces, "traces");
  const form = forms.data?.find((form) => form.verb === verb) ?? null;
  const error = forms.error ?? info.error ?? choices.error ?? traces.error;
  // The list of traces may take a moment, and only one form needs it.
  const isThere = info.data !== null && choices.data !== null && (verb !== "replay" || traces.data !== null);
  return (
    <>
      {error !== null && <p class="bad" role="alert">{error}</p>}
      {(forms.data === null || (form !== null && !isThere)) && error === null && <Missing>Loading …</Missing>}
      {forms.data !== null && verb === "" && <Questions forms={forms.data} />}
      {forms.data !== null && form === null && verb !== "" && <p class="bad">No form for '{verb}'.</p>}
      {form !== null && isThere && (
        <StartForm form={form} set={set} known={{ info: info.data, choices: choices.data, traces: traces.data }} />
      )}
    </>
  );
}
