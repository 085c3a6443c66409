// A page while its data loads, or could not be loaded.

import type { ComponentChildren } from "preact";
import { Missing } from "../parts/section";
import { Shell } from "../parts/shell";
import { hashOf } from "./routes";

interface Props {
  title: string;
  /** What is waited for. */
  what: string;
  error: string | null;
  back: ComponentChildren;
}

export function Waiting({ title, what, error, back }: Props) {
  return (
    <Shell title={title} kind="Console" sections={[]} back={back}>
      <h1 class="sr-only">{title}</h1>
      {error === null ? (
        <Missing>Loading {what} …</Missing>
      ) : (
        <div role="alert">
          <p class="bad">{error}</p>
          <p>
            <a href={hashOf({ page: "runs" })}>All runs</a>
          </p>
        </div>
      )}
    </Shell>
  );
}
