// The buttons of the offset map: the mode of dragging, zoom of each axis, reads and writes.

import { useId } from "preact/hooks";
import { type MapChoice, type MapExtent, movedMap, zoomedMap } from "./map-view";

export interface Shown {
  reads: boolean;
  writes: boolean;
  /** Whether a drag moves the map; otherwise it selects a box to zoom into. */
  hand: boolean;
}

interface Props {
  shown: Shown;
  setShown: (shown: Shown) => void;
  extent: MapExtent;
  choice: MapChoice;
  act: (choice: MapChoice) => void;
}

export function MapControls({ shown, setShown, extent, choice, act }: Props) {
  const zoom = (factor: number, axes: "both" | "time" | "offset") => () => act(zoomedMap(extent, choice, factor, axes));
  const move = (across: number, up: number) => () => act(movedMap(extent, choice, across, up));
  const group = useId();
  const all = choice.period === null && choice.bytes === null;
  return (
    <div class="map-controls">
      <fieldset>
        <legend>Drag</legend>
        <Radio group={group} name="zooms to a box" on={!shown.hand} set={() => setShown({ ...shown, hand: false })} />
        <Radio group={group} name="pans" on={shown.hand} set={() => setShown({ ...shown, hand: true })} />
      </fieldset>
      <fieldset>
        <legend>Show</legend>
        <Check name="reads" kind="read" on={shown.reads} set={(reads) => setShown({ ...shown, reads })} />
        <Check name="writes" kind="write" on={shown.writes} set={(writes) => setShown({ ...shown, writes })} />
      </fieldset>
      <div class="map-buttons" role="group" aria-label="Zoom and move">
        <span class="faint">Time</span>
        <Button sign="−" name="Zoom out in time" act={zoom(2, "time")} off={choice.period === null} />
        <Button sign="+" name="Zoom in on time" act={zoom(0.5, "time")} />
        <Button sign="←" name="Earlier" act={move(-0.25, 0)} off={choice.period === null} />
        <Button sign="→" name="Later" act={move(0.25, 0)} off={choice.period === null} />
        <span class="faint">Offset</span>
        <Button sign="−" name="Zoom out in the file" act={zoom(2, "offset")} off={choice.bytes === null} />
        <Button sign="+" name="Zoom in on the file" act={zoom(0.5, "offset")} />
        <Button sign="↓" name="Towards the start of the file" act={move(0, -0.25)} off={choice.bytes === null} />
        <Button sign="↑" name="Towards the end of the file" act={move(0, 0.25)} off={choice.bytes === null} />
        <button type="button" class="small" disabled={all} onClick={() => act({ period: null, bytes: null })}>
          All
        </button>
      </div>
    </div>
  );
}

function Button({ sign, name, act, off = false }: { sign: string; name: string; act: () => void; off?: boolean }) {
  return (
    <button type="button" class="small" aria-label={name} title={name} disabled={off} onClick={act}>
      {sign}
    </button>
  );
}

function Radio({ group, name, on, set }: { group: string; name: string; on: boolean; set: () => void }) {
  return (
    <label>
      <input type="radio" name={group} checked={on} onChange={set} /> {name}
    </label>
  );
}

function Check({ name, kind, on, set }: { name: string; kind: "read" | "write"; on: boolean; set: (on: boolean) => void }) {
  return (
    <label>
      <input type="checkbox" checked={on} onChange={(event) => set(event.currentTarget.checked)} />{" "}
      <span class={`map-sign ${kind}`} aria-hidden="true" /> {name}
    </label>
  );
}
