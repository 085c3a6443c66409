// A large number of cells in one picture. Heat maps and offset maps are painted onto a canvas as large as the plot and
// inserted as one image, so that a zoom costs one painting instead of one element per cell.

import type { CustomSeriesOption } from "./echarts";

/** The plot: its size in picture pixels, and functions from units of the axes to picture pixels. */
export interface Plot {
  width: number;
  height: number;
  x: (value: number) => number;
  y: (value: number) => number;
}

/** Paints the cells. y increases downwards, as on every canvas. */
export type Paint = (context: CanvasRenderingContext2D, plot: Plot) => void;

/** Picture pixels per CSS pixel, so that the picture is also sharp on high-resolution screens. */
const FINENESS = 2;

/** A series that paints itself. It needs one grid with two axes, neither of them a category axis. */
export function rasterSeries(
  name: string,
  paint: Paint,
  axes?: { xAxisIndex?: number; yAxisIndex?: number },
): CustomSeriesOption {
  return {
    type: "custom",
    name,
    ...axes,
    coordinateSystem: "cartesian2d",
    data: [[0, 0]],
    silent: true,
    clip: true,
    tooltip: { show: false },
    renderItem: (params, api) => {
      const area = params.coordSys as unknown as { x: number; y: number; width: number; height: number };
      if (!(area.width > 0 && area.height > 0)) return null;
      const place = (x: number, y: number) => api.coord([x, y]) as [number, number];
      const image = painted(area, place, paint);
      if (image === null) return null;
      return { type: "image", silent: true, style: { image: image as unknown as string, ...area } };
    },
  };
}

function painted(
  area: { x: number; y: number; width: number; height: number },
  place: (x: number, y: number) => [number, number],
  paint: Paint,
): HTMLCanvasElement | null {
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(area.width * FINENESS);
  canvas.height = Math.round(area.height * FINENESS);
  const context = canvas.getContext("2d");
  if (context === null) return null;
  // The value on the other axis does not matter, but must be valid on linear and logarithmic axes.
  const plot: Plot = {
    width: canvas.width,
    height: canvas.height,
    x: (value) => (place(value, 1)[0] - area.x) * FINENESS,
    y: (value) => (place(1, value)[1] - area.y) * FINENESS,
  };
  paint(context, plot);
  return canvas;
}
