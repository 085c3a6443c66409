// A page while its data is loading, or after that failed.

import type { ComponentChildren } from "preact";
import { Missing } from "../parts/section";
import { Shell } from "../parts/shell";
import { hashOf } from "./routes";

interface Props {
  title: string;
  /** The name of the data: `the run`. */
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
