// The live console's server, as typed calls (data/live.ts has the list). Errors are ApiError with a message for the
// screen. Addresses are relative to the page's own, so that they work behind any proxy.

import { signal } from "@preact/signals";
import type { AheadAnswer, Choices, Counters, EventsTold, Form, FormatsFound, Info, LiveEvent, OpsFound, ProcedurePage, ProofPage, RunEntry, StartAnswer, StartRequest, SuitePage, TraceEntry } from "./live";
import type { MapLevel, Page, RunNotes } from "./page";

/** The server refused a request, or could not be reached. */
export class ApiError extends Error {
  constructor(
    message: string,
    /** The HTTP status; 0 if there was no response. */
    readonly status: number,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

export const GONE =
  "The console is not responding: it was stopped, or the connection is broken. " +
  "Started runs continue. Run 'reelgauge console' again to watch them.";

/** Whether the server answered the latest request. */
export const isReachable = signal(true);

/** Whether the server requires the token. */
export const needsToken = signal(false);

/** How often this browser entered a token. A request sent before the latest entry may still be refused: ignore that. */
let entered = 0;

const run = (id: string) => `api/runs/${encodeURIComponent(id)}`;
const trace = (name: string) => `api/traces/${encodeURIComponent(name)}`;

export const api = {
  enter: async (token: string) => {
    await change("POST", "api/enter", { token });
    entered += 1;
    needsToken.value = false;
  },
  info: (stop?: AbortSignal) => get<Info>("api/info", stop),
  runs: (stop?: AbortSignal) => get<RunEntry[]>("api/runs", stop),
  runPage: (id: string, stop?: AbortSignal) => get<Page>(`${run(id)}/page`, stop),
  runMap: (id: string, query: URLSearchParams, stop?: AbortSignal) => get<MapLevel>(`${run(id)}/map?${query}`, stop),
  runOps: (id: string, query: URLSearchParams, stop?: AbortSignal) => get<OpsFound>(`${run(id)}/ops?${query}`, stop),
  saveNotes: (id: string, notes: RunNotes) => change("PUT", `${run(id)}/notes`, notes),
  stop: (id: string) => change("POST", `${run(id)}/stop`),
  remove: (id: string) => change("DELETE", run(id)),
  compare: (ids: readonly string[], stop?: AbortSignal) =>
    get<Page>(`api/compare?${new URLSearchParams(ids.map((id) => ["run", id]))}`, stop),
  compareSuites: (ids: readonly string[], stop?: AbortSignal) =>
    get<Page>(`api/suites/compare?${new URLSearchParams(ids.map((id) => ["run", id]))}`, stop),
  proof: (id: string, stop?: AbortSignal) => get<ProofPage>(`${run(id)}/proof`, stop),
  procedure: (id: string, stop?: AbortSignal) => get<ProcedurePage>(`${run(id)}/procedure`, stop),
  suite: (id: string, stop?: AbortSignal) => get<SuitePage>(`${run(id)}/suite`, stop),
  events: (id: string, from: number, stop?: AbortSignal) => get<EventsTold>(`${run(id)}/events?from=${from}`, stop),
  counters: (id: string, stop?: AbortSignal) => get<Counters | null>(`${run(id)}/counters`, stop),
  choices: (stop?: AbortSignal) => get<Choices>("api/choices", stop),
  formats: (words: string, stop?: AbortSignal) => get<FormatsFound>(`api/formats?${new URLSearchParams({ words })}`, stop),
  ahead: async (request: StartRequest, stop: AbortSignal) => {
    const answer = await send("api/ahead", { ...changeInit("POST", request), signal: stop });
    await refuse(answer);
    return (await answer.json()) as AheadAnswer;
  },
  forms: (stop?: AbortSignal) => get<Form[]>("api/forms", stop),
  start: async (request: StartRequest) => startAnswer(await send("api/start", changeInit("POST", request))),
  traces: (stop?: AbortSignal) => get<TraceEntry[]>("api/traces", stop),
  tracePage: (name: string, stop?: AbortSignal) => get<Page>(`${trace(name)}/page`, stop),
  traceMap: (name: string, query: URLSearchParams, stop?: AbortSignal) => get<MapLevel>(`${trace(name)}/map?${query}`, stop),
  traceOps: (name: string, query: URLSearchParams, stop?: AbortSignal) => get<OpsFound>(`${trace(name)}/ops?${query}`, stop),
  live: (id: string, to: LiveListener) => new LiveStream(id, to),
};

const UNAUTHORIZED = 401;

async function get<Answer>(path: string, stop?: AbortSignal): Promise<Answer> {
  const answer = await send(path, stop === undefined ? {} : { signal: stop });
  await refuse(answer);
  return (await answer.json()) as Answer;
}

async function change(method: string, path: string, body?: unknown): Promise<void> {
  await refuse(await send(path, changeInit(method, body)));
}

/** Requests that change something have a header that a page of another site cannot send. */
function changeInit(method: string, body?: unknown): RequestInit {
  const headers: Record<string, string> = { "X-Reelgauge": "1" };
  if (body === undefined) return { method, headers };
  return { method, headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) };
}

async function send(path: string, init: RequestInit): Promise<Response> {
  const before = entered;
  try {
    const answer = await fetch(path, init);
    isReachable.value = true;
    if (answer.status === UNAUTHORIZED && before === entered) needsToken.value = true;
    return answer;
  } catch (fault) {
    if (fault instanceof DOMException && fault.name === "AbortError") throw fault;
    isReachable.value = false;
    throw new ApiError(GONE, 0);
  }
}

/** Throws the server's error message. */
async function refuse(answer: Response): Promise<void> {
  if (answer.ok) return;
  throw new ApiError(await errorOf(answer), answer.status);
}

async function errorOf(answer: Response): Promise<string> {
  const text = await answer.text().catch(() => "");
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (typeof error === "string" && error !== "") return error;
  } catch {
    // Not JSON, so not a response of this console.
  }
  return `The console answered with HTTP status ${answer.status} and gave no reason.`;
}

/** The response has the command line's message, whatever its status is. */
async function startAnswer(answer: Response): Promise<StartAnswer> {
  if (answer.ok) return (await answer.json()) as StartAnswer;
  return { id: null, error: await errorOf(answer), field: null };
}

export interface LiveListener {
  /** All events follow from the beginning; discard earlier ones. */
  begin: () => void;
  event: (event: LiveEvent) => void;
  /** Called with whether the server responds. */
  connected: (there: boolean) => void;
}

/** Polling intervals of a run: with the tab visible, hidden, and after an error. */
const LOOKED_AT_MS = 250;
const HIDDEN_MS = 2_000;
const AGAIN_MS = 3_000;

/**
 * Polls the events of a run until it ends. A stream would hold a connection open for each tab. Browsers allow six
 * connections per server, so the seventh tab would wait forever.
 */
export class LiveStream {
  private readonly stop = new AbortController();
  private timer = 0;
  private next = 0;

  constructor(
    private readonly id: string,
    private readonly to: LiveListener,
  ) {
    to.begin();
    void this.ask();
  }

  close(): void {
    this.stop.abort();
    window.clearTimeout(this.timer);
  }

  private async ask(): Promise<void> {
    let wait_ms = document.visibilityState === "visible" ? LOOKED_AT_MS : HIDDEN_MS;
    try {
      const told = await api.events(this.id, this.next, this.stop.signal);
      this.to.connected(true);
      this.next = told.next;
      told.events.forEach((event) => this.take(event));
    } catch (fault) {
      if (this.stop.signal.aborted) return;
      // Any response shows that the server is reachable, even without events.
      this.to.connected(fault instanceof ApiError && fault.status !== 0);
      wait_ms = AGAIN_MS;
    }
    if (!this.stop.signal.aborted) this.timer = window.setTimeout(() => void this.ask(), wait_ms);
  }

  private take(event: LiveEvent): void {
    if (event.event === "end") this.close();
    this.to.event(event);
  }
}
