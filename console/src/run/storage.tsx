// Of which storage a run is: make, model, firmware and tags where somebody wrote them down, and what the system says
// of the path. The one place in a page's head for all of that.

import type { RunPage } from "../data/page";
import { Name } from "../parts/name";

export function Storage({ run }: { run: RunPage }) {
  const { target } = run.summary;
  const stated = storageName(run);
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
        <span class="tag">
          <Name text={tag} length={40} />
        </span>
      ))}
    </>
  );
}

/** `QSAN XN8024, firmware 4.1`; empty where nobody wrote it down. */
export function storageName(run: RunPage): string {
  const { storage } = run.summary;
  const name = [storage.make, storage.model].filter((text) => text !== null && text !== "").join(" ");
  const firmware = storage.firmware === null || storage.firmware === "" ? "" : `firmware ${storage.firmware}`;
  return [name, firmware].filter((text) => text !== "").join(", ");
}

/** The storage in one line, for a badge and a sheet: what is stated, else the path and what it is. */
export function storageLine(run: RunPage): string {
  const { target } = run.summary;
  const stated = storageName(run);
  if (stated !== "") return stated;
  const kind = target.description ?? target.fs_type;
  return kind === null || kind === "" ? target.path : `${target.path} (${kind})`;
}
