// The live console's server, as typed calls (data/live.ts has the list). Faults are ApiError with words for people.
// Addresses are below that of the page, wherever a proxy puts it.

import { signal } from "@preact/signals";
import type { Form, Info, LiveEvent, OpsFound, RunEntry, StartAnswer, StartRequest, TraceEntry } from "./live";
import type { MapLevel, Page, RunNotes } from "./page";

/** Something that the server refused, or that it could not be asked. */
export class ApiError extends Error {
  constructor(
    message: string,
    /** The HTTP status; 0 where there was no answer. */
    readonly status: number,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

export const GONE =
  "The console does not answer. It was stopped, or the connection to it is broken. " +
  "Runs that were begun go on; start 'reelgauge console' again to watch them.";

/** Whether the server answered when it was asked last. */
export const isReachable = signal(true);

/** Whether the server asks for the token before it tells anything. */
export const needsToken = signal(false);

const run = (id: string) => `api/runs/${encodeURIComponent(id)}`;
const trace = (name: string) => `api/traces/${encodeURIComponent(name)}`;

export const api = {
  enter: async (token: string) => {
    await change("POST", "api/enter", { token });
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
  forms: (stop?: AbortSignal) => get<Form[]>("api/forms", stop),
  start: async (request: StartRequest) => startAnswer(await send("api/start", changeInit("POST", request))),
  traces: (stop?: AbortSignal) => get<TraceEntry[]>("api/traces", stop),
  tracePage: (name: string, stop?: AbortSignal) => get<Page>(`${trace(name)}/page`, stop),
  traceMap: (name: string, query: URLSearchParams, stop?: AbortSignal) => get<MapLevel>(`${trace(name)}/map?${query}`, stop),
  traceOps: (name: string, query: URLSearchParams, stop?: AbortSignal) => get<OpsFound>(`${trace(name)}/ops?${query}`, stop),
  live: (id: string, to: LiveListener) => new LiveStream(`${run(id)}/live`, to),
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

/** What changes something carries a header that no other site's page can send. */
function changeInit(method: string, body?: unknown): RequestInit {
  const headers: Record<string, string> = { "X-Reelgauge": "1" };
  if (body === undefined) return { method, headers };
  return { method, headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) };
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    const answer = await fetch(path, init);
    isReachable.value = true;
    if (answer.status === UNAUTHORIZED) needsToken.value = true;
    return answer;
  } catch (fault) {
    if (fault instanceof DOMException && fault.name === "AbortError") throw fault;
    isReachable.value = false;
    throw new ApiError(GONE, 0);
  }
}

/** Throws what the server says was wrong. */
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
    // No JSON: not this console's own words.
  }
  return `The console answered with status ${answer.status} and no reason`;
}

/** What the command line would say stands in the answer, whatever its status is. */
async function startAnswer(answer: Response): Promise<StartAnswer> {
  if (answer.ok) return (await answer.json()) as StartAnswer;
  return { id: null, error: await errorOf(answer) };
}

export interface LiveListener {
  /** Everything from the beginning follows; what was heard before is void. */
  begin: () => void;
  event: (event: LiveEvent) => void;
  /** Whether the server is there. */
  connected: (there: boolean) => void;
}

const AGAIN_MS = 3_000;

/** The events of a run. Comes back by itself when the server was gone; ends with the run. */
export class LiveStream {
  private source: EventSource | null = null;
  private timer = 0;
  private ended = false;

  constructor(
    private readonly path: string,
    private readonly to: LiveListener,
  ) {
    this.open();
  }

  close(): void {
    this.ended = true;
    window.clearTimeout(this.timer);
    this.source?.close();
  }

  private open(): void {
    const source = new EventSource(this.path);
    this.source = source;
    this.to.begin();
    source.onopen = () => this.tell(true);
    source.onmessage = (message: MessageEvent<string>) => this.take(message.data);
    source.onerror = () => {
      if (this.ended) return;
      this.tell(false);
      // While it is connecting the browser tries by itself, and goes on where it was.
      if (source.readyState === EventSource.CLOSED) this.timer = window.setTimeout(() => this.open(), AGAIN_MS);
    };
  }

  private tell(there: boolean): void {
    isReachable.value = there;
    this.to.connected(there);
  }

  private take(data: string): void {
    let event: LiveEvent;
    try {
      event = JSON.parse(data) as LiveEvent;
    } catch {
      return;
    }
    if (event.event === "end") this.close();
    this.to.event(event);
  }
}
