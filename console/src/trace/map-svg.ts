// The offset map as an SVG document: the same marks as on the canvas.

import type { Look } from "../charts/palette";
import { FONT } from "../charts/look";
import { type Area, type Fill, type Scene, offsetMarks, paintMarks, timeMarks } from "./map-paint";

/** The document. Its colours are numbers and words of ours; it contains no text from outside. */
export function mapSvg(scene: Scene, area: Area, look: Look, width: number, height: number): string {
  const colours = [...new Set(scene.files.map((file) => file.colour))];
  const hatches = colours.map((colour, index) => hatch(`hatch${index}`, colour)).join("");
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
    `font-family="${FONT.replace(/"/g, "'")}" font-size="12"><rect width="100%" height="100%" fill="${look.ground}"/>` +
    `<defs>${hatches}<clipPath id="plot"><rect width="${area.width}" height="${area.height}"/></clipPath></defs>` +
    axes(scene, area, look) +
    `<g transform="translate(${area.left} ${area.top})" clip-path="url(#plot)">${marks(scene, colours)}</g></svg>`
  );
}

function hatch(id: string, colour: string): string {
  return (
    `<pattern id="${id}" width="4" height="4" patternUnits="userSpaceOnUse">` +
    `<path d="M-1,1 L1,-1 M0,4 L4,0 M3,5 L5,3" stroke="${colour}" stroke-width="1.6"/></pattern>`
  );
}

function marks(scene: Scene, colours: readonly string[]): string {
  const groups: string[] = [];
  let style = "";
  let path = "";
  const close = () => {
    if (path !== "") groups.push(`<path ${style} d="${path}"/>`);
    path = "";
  };
  paintMarks(scene, {
    begin: (colour, fill, alpha) => {
      close();
      style = styleOf(colour, fill, alpha, colours.indexOf(colour));
    },
    rect: (x, y, width, height) => {
      path += `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`;
    },
  });
  close();
  return groups.join("");
}

function styleOf(colour: string, fill: Fill, alpha: number, number: number): string {
  if (fill === "hollow") return `fill="none" stroke="${colour}" stroke-width="1.3"`;
  const paint = fill === "hatched" ? `url(#hatch${number})` : colour;
  return `fill="${paint}" fill-opacity="${alpha}"`;
}

function axes(scene: Scene, area: Area, look: Look): string {
  const bottom = area.top + area.height;
  const offsets = offsetMarks(scene.view).map((mark) => {
    const y = round(area.top + mark.at_px);
    const line = `<path d="M${area.left} ${y}h${area.width}" stroke="${look.line}"/>`;
    return `${line}<text x="${area.left - 6}" y="${y + 4}" text-anchor="end" fill="${look.faint}">${mark.text}</text>`;
  });
  const times = timeMarks(scene.view).map((mark) => {
    const x = round(area.left + mark.at_px);
    const line = `<path d="M${x} ${bottom}v4" stroke="${look.faint}"/>`;
    return `${line}<text x="${x}" y="${bottom + 18}" text-anchor="middle" fill="${look.faint}">${mark.text}</text>`;
  });
  const place = `x="${area.left}" y="${area.top}" width="${area.width}" height="${area.height}"`;
  const frame = `<rect ${place} fill="none" stroke="${look.line}"/>`;
  return offsets.join("") + times.join("") + frame;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
