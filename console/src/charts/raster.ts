// Very many cells in one picture: heat maps and offset maps are painted onto a canvas as large as the plot
// and put there as one image, so that a zoom costs one painting and not one element a cell.

import type { CustomSeriesOption } from "./echarts";

/** The plot: its size in dots, and from units of the axes to dots. */
export interface Plot {
  width: number;
  height: number;
  x: (value: number) => number;
  y: (value: number) => number;
}

/** Paints the cells. y runs downwards, as on every canvas. */
export type Paint = (context: CanvasRenderingContext2D, plot: Plot) => void;

/** Dots a CSS pixel, so that the picture is sharp on fine screens, too. */
const FINENESS = 2;

/** A series that paints itself. It needs one grid with two axes that are no categories. */
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
  // Any value of the other axis will do; one that is right for linear and logarithmic axes.
  const plot: Plot = {
    width: canvas.width,
    height: canvas.height,
    x: (value) => (place(value, 1)[0] - area.x) * FINENESS,
    y: (value) => (place(1, value)[1] - area.y) * FINENESS,
  };
  paint(context, plot);
  return canvas;
}
