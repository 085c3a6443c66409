// The painter of dots: places, edges, hatching, colours over one another.

import { describe, expect, it } from "vitest";
import { Raster } from "../src/trace/map-raster";

function raster(width: number, height: number, fineness = 1) {
  const data = new Uint8ClampedArray(width * height * 4);
  const made = new Raster({ width, height, data, colorSpace: "srgb" } as unknown as ImageData, fineness);
  made.clear("#ffffff");
  /** Rows of `#` for colour and `.` for ground. */
  const picture = () =>
    Array.from({ length: height }, (_, y) =>
      Array.from({ length: width }, (_, x) => (data[(y * width + x) * 4] === 255 ? "." : "#")).join(""),
    );
  const dot = (x: number, y: number) => [...data.slice((y * width + x) * 4, (y * width + x) * 4 + 4)];
  return { made, picture, dot };
}

it("fills where it should, and nothing outside the picture", () => {
  const { made, picture } = raster(4, 3);
  made.begin("#000000", "solid", 1);
  made.rect(2, 1, 99, 99);
  made.rect(-5, -5, 6, 6);
  expect(picture()).toEqual(["#...", "..##", "..##"]);
});

it("leaves something of the smallest mark, and works in dots", () => {
  const { made, picture } = raster(4, 2, 2);
  made.begin("#000000", "solid", 1);
  made.rect(1, 0, 0.1, 0.1);
  expect(picture()).toEqual(["..#.", "...."]);
});

it("tells hollow and hatched from solid without colour", () => {
  const hollow = raster(5, 4);
  hollow.made.begin("#000000", "hollow", 1);
  hollow.made.rect(0, 0, 5, 4);
  expect(hollow.picture()).toEqual(["#####", "#...#", "#...#", "#####"]);
  const hatched = raster(8, 3);
  hatched.made.begin("#000000", "hatched", 1);
  hatched.made.rect(0, 0, 8, 3);
  expect(hatched.picture()).toEqual(["##..##..", "#..##..#", "..##..##"]);
});

describe("colours", () => {
  it("are those that were asked for, and opaque", () => {
    const { made, dot } = raster(2, 1);
    made.begin("#12ab3f", "solid", 1);
    made.rect(0, 0, 1, 1);
    expect(dot(0, 0)).toEqual([0x12, 0xab, 0x3f, 255]);
    expect(dot(1, 0)).toEqual([255, 255, 255, 255]);
  });

  it("mix with what is below", () => {
    const { made, dot } = raster(1, 1);
    made.begin("#000000", "solid", 0.5);
    made.rect(0, 0, 1, 1);
    expect(dot(0, 0)).toEqual([127, 127, 127, 255]);
  });
});
