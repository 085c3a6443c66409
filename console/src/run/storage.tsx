// Of which storage a run is: make, model, firmware and tags where somebody wrote them down, and what the system says
// of the path. The one place in a page's head for all of that.

import type { RunPage } from "../data/page";
import { Name } from "../parts/name";

export function Storage({ run }: { run: RunPage }) {
  const { target } = run.summary;
  const stated = run.hero.storage ?? "";
  const found = [target.description ?? target.fs_type, target.server === null ? null : `server ${target.server}`];
  const about = found.filter((text) => text !== null && text !== "").join(", ");
  return (
    <>
      {stated !== "" && (
        <strong>
          <Name text={stated} length={100} />
        </strong>
      )}
      {stated !== "" && " · "}
      <Name text={target.path} length={80} />
      {about !== "" && (
        <span class="faint">
          {" "}
          (<Name text={about} length={80} />)
        </span>
      )}
      {run.summary.tags.map((tag) => (
        <>
          {" "}
          <span class="tag">
            <Name text={tag} length={40} />
          </span>
        </>
      ))}
    </>
  );
}

/** The storage in one line, for a badge and a sheet: what is stated, else the path and what it is. */
export function storageLine(run: RunPage): string {
  const { target } = run.summary;
  if (run.hero.storage !== null) return run.hero.storage;
  const kind = target.description ?? target.fs_type;
  return kind === null || kind === "" ? target.path : `${target.path} (${kind})`;
}
