// The offsets in its files that an application accessed, over time: NASPT's file map. Zoom and pan in both axes, one
// colour per file, reads filled, writes hatched or hollow. The time range is the page's period.

import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { lookFor } from "../charts/look";
import type { Look } from "../charts/palette";
import type { Detail, FileMap } from "../data/page";
import { csv, download } from "../parts/download";
import { Missing } from "../parts/section";
import { dark } from "../parts/theme";
import { type Selection, selectionOf } from "./selection";
import { extentOf, useMapChoice } from "./map-choice";
import { MapControls, type Shown } from "./map-controls";
import { MapFiles } from "./map-files";
import { type MapFile, areaOf } from "./map-paint";
import { type Pick, pickAt } from "./map-pick";
import { useRefining } from "./map-refine";
import { MapStage, type StageInput } from "./map-stage";
import { mapSvg } from "./map-svg";
import { MAP_COLUMNS, mapRows } from "./map-table";
import { type Anchor, type MapExtent, mapKey, viewOf } from "./map-view";
import { MapWords } from "./map-words";
import { fileName } from "./file-names";
import { useSource } from "./source";
import { printed } from "../charts/chart-print";
import "./trace.css";

const HEIGHT = 420;
const PRINTED_WIDTH = 720;

export function OffsetMap({ detail }: { detail: Detail }) {
  if (detail.maps.length === 0) return <Missing>No map: no file was read or written.</Missing>;
  return <MapFigure detail={detail} />;
}

function MapFigure({ detail }: { detail: Detail }) {
  const selection = selectionOf(detail).value;
  const look = lookFor(dark.value, 1000);
  const maps = useMemo(() => detail.maps.filter((map) => selection.has(map.file)), [detail, selection]);
  const extent = useMemo(() => mapExtent(detail, maps), [detail, maps]);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { choice, live, change } = useMapChoice();
  const [shown, setShown] = useState<Shown>({ reads: true, writes: true, hand: false });
  const [pointed, setPointed] = useState<Anchor | null>(null);
  const size = useSize(canvas);
  const view = size === null ? null : viewOf(extent, choice, areaOf(...size).width, areaOf(...size).height);
  const refining = useRefining(view, maps, useSource());
  const files = useMemo(
    () => mapFiles(maps, selection, look, refining.levels),
    [maps, selection, look.dark, refining.levels],
  );
  const scene = { files, reads: shown.reads, writes: shown.writes };
  const stage = useStage(canvas, { extent, choice: live.current, scene, look, hand: shown.hand }, change, setPointed);
  const act = (next: typeof choice) => {
    change(next);
    stage.current?.set({ extent, choice: next, scene, look, hand: shown.hand });
  };
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = mapKey(event.key, extent, live.current);
    if (next === undefined) return;
    event.preventDefault();
    act(next);
  };
  const svg = (width: number, paper: Look) => {
    const area = areaOf(width, HEIGHT);
    const at = viewOf(extent, live.current, area.width, area.height);
    return mapSvg({ ...scene, files: mapFiles(maps, selection, paper, refining.levels), view: at }, area, paper, width, HEIGHT);
  };
  const paper = usePaper(svg);
  const pick = pointed === null || view === null ? null : pickAt(view, files, pointed);
  const help = useId();
  return (
    <figure class="chart map" id="offset-map">
      <div class="chart-head">
        <h3>File offset over time</h3>
        <Files
          png={() => canvas.current?.toBlob((blob) => blob !== null && download("offset-map.png", blob))}
          svg={() => download("offset-map.svg", new Blob([svg(960, lookFor(false, 960))], { type: "image/svg+xml" }))}
          csv={() => view !== null && saveCsv(csv(MAP_COLUMNS, mapRows(view, files, detail.file_names)))}
        />
      </div>
      <MapControls shown={shown} setShown={setShown} extent={extent} choice={choice} act={act} />
      <canvas
        ref={canvas}
        class={shown.hand ? "map-canvas hand" : "map-canvas"}
        style={{ height: `${HEIGHT}px` }}
        tabIndex={0}
        role="application"
        aria-roledescription="map"
        aria-label="File offset over time"
        aria-describedby={help}
        onKeyDown={key}
      />
      <div class="chart-printed" aria-hidden="true" ref={paper} />
      <p class="sr-only" id={help}>
        Arrow keys pan, plus and minus zoom, 0 shows everything. The text below the map describes the view. The lists of
        files and operations hold the same data.
      </p>
      <Readout pick={pick} detail={detail} waits={refining.waits} error={refining.error} />
      {view !== null && <MapWords view={view} files={files} />}
      <MapFiles detail={detail} look={look} />
    </figure>
  );
}

/** On paper the map is SVG in light colours. The box is filled while the page is printed. */
function usePaper(svg: (width: number, look: Look) => string): { current: HTMLDivElement | null } {
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(svg);
  latest.current = svg;
  useEffect(() => printed(() => box.current, () => latest.current(PRINTED_WIDTH, lookFor(false, PRINTED_WIDTH))), []);
  return box;
}

function mapExtent(detail: Detail, maps: readonly FileMap[]): MapExtent {
  const end_bytes = maps.reduce((most, map) => Math.max(most, map.end_bytes, levelEnd(map)), 1);
  return { time: extentOf(detail.time), end_bytes };
}

/** The end of the map's cells: a file may have been truncated after it was read up to there. */
function levelEnd(map: FileMap): number {
  const level = map.levels[0];
  return level === undefined ? 0 : level.from_bytes + level.offset_bins * level.offset_bin_bytes;
}

function mapFiles(
  maps: readonly FileMap[],
  selection: Selection,
  look: Look,
  finer: ReadonlyMap<number, FileMap["levels"][number]>,
): MapFile[] {
  return maps.map((map) => ({
    map,
    finer: finer.get(map.file) ?? null,
    colour: look.series[selection.get(map.file) ?? 0] ?? look.ink,
  }));
}

/** Creates the canvas, which exists as long as the map. */
function useStage(
  canvas: { current: HTMLCanvasElement | null },
  input: StageInput,
  changed: (choice: StageInput["choice"]) => void,
  pointed: (at: Anchor | null) => void,
): { current: MapStage | null } {
  const stage = useRef<MapStage | null>(null);
  useEffect(() => {
    if (canvas.current === null) return undefined;
    const made = new MapStage(canvas.current, { changed, pointed });
    stage.current = made;
    return () => {
      stage.current = null;
      made.end();
    };
  }, []);
  useEffect(() => stage.current?.set(input));
  return stage;
}

function useSize(canvas: { current: HTMLCanvasElement | null }): [number, number] | null {
  const [size, setSize] = useState<[number, number] | null>(null);
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const sized = new ResizeObserver(() => {
      const [width, height] = [element.clientWidth, element.clientHeight];
      setSize((before) => (before?.[0] === width && before[1] === height ? before : [width, height]));
    });
    sized.observe(element);
    return () => sized.disconnect();
  }, []);
  return size;
}

function saveCsv(text: string): void {
  download("offset-map.csv", new Blob([text], { type: "text/csv" }));
}

function Files({ png, svg, csv }: { png: () => void; svg: () => void; csv: () => void }) {
  const buttons = [["PNG", png], ["SVG", svg], ["CSV", csv]] as const;
  return (
    <div class="chart-files" role="group" aria-label="File offset over time: files">
      {buttons.map(([name, save]) => (
        <button type="button" class="small" aria-label={`${name} of the map`} onClick={save}>
          {name}
        </button>
      ))}
    </div>
  );
}

interface ReadoutProps {
  pick: Pick | null;
  detail: Detail;
  waits: boolean;
  error: string | null;
}

/** The text for the mark under the pointer. */
function Readout({ pick, detail, waits, error }: ReadoutProps) {
  if (error !== null) return <p class="chart-readout bad">Cannot load finer cells: {error}</p>;
  if (pick === null) return <p class="chart-readout">{waits ? "Loading finer cells …" : "\u00a0"}</p>;
  return (
    <p class="chart-readout">
      <bdi>{fileName(detail.file_names, pick.file)}</bdi>, {pick.text}
    </p>
  );
}
