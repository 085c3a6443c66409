// Access: sends the token of the link to the server, or asks for the token.
//
// The token follows the # of the link, which browsers do not send. It is removed from the address at once, so that it is
// neither visible nor bookmarked. A cookie that scripts cannot read replaces it.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api, needsToken } from "../data/api";
import { Shell } from "../parts/shell";
import { ConsoleBar } from "./bar";
import { hashOf, tokenOf } from "./routes";

export function Door({ children }: { children: ComponentChildren }) {
  const [token, setToken] = useState(takeToken);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    if (token === null) return;
    api
      .enter(token)
      .then(() => setError(null), (fault: unknown) => setError(wordsOf(fault)))
      .finally(() => setToken(null));
  }, [token]);
  useEffect(() => {
    // If the link is opened in a tab that shows the console, the page does not reload.
    const follow = (event: HashChangeEvent) => {
      const brought = tokenOf(new URL(event.newURL).hash);
      if (brought === null) return;
      takeToken();
      setToken(brought);
    };
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  if (token !== null) return null;
  return needsToken.value ? <Enter refused={error} /> : <>{children}</>;
}

/** Reads the token from the address and removes it there. */
function takeToken(): string | null {
  const token = tokenOf(window.location.hash);
  if (token !== null) window.history.replaceState(null, "", hashOf({ page: "runs" }));
  return token;
}

function Enter({ refused }: { refused: string | null }) {
  const [error, setError] = useState(refused);
  const field = useRef<HTMLInputElement>(null);
  const enter = (event: Event) => {
    event.preventDefault();
    const token = field.current?.value.trim() ?? "";
    api.enter(token).catch((fault: unknown) => {
      setError(wordsOf(fault));
      field.current?.focus();
    });
  };
  return (
    <Shell title="Token" kind="Console" sections={[]} back={<ConsoleBar here="unknown" />}>
      <h1>Token required</h1>
      <form class="enter" onSubmit={enter}>
        <p>
          Open the link that 'reelgauge console' printed, or enter the token. It follows 'token=' in that link, or is in the
          file given with --token-file.
        </p>
        {error !== null && <p class="bad" role="alert">{error}</p>}
        <label>
          Token
          <input ref={field} type="password" name="token" autoComplete="current-password" required aria-invalid={error !== null} />
        </label>
        <button type="submit" class="primary">Enter</button>
      </form>
    </Shell>
  );
}

function wordsOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
