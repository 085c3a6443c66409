// What is taken away from the page: CSV that no spreadsheet runs, names that every file system takes, SVG whose
// title can't be markup, text cut to one line.

import { describe, expect, it } from "vitest";
import { titledSvg } from "../src/charts/chart-files";
import { csv, fileName } from "../src/parts/download";
import { chartText, cut, wrapped } from "../src/parts/text";

describe("CSV", () => {
  it("quotes what needs it", () => {
    expect(
      csv(
        ["a", "b"],
        [
          ["x,y", 'say "hi"'],
          ["two\nlines", null],
          [1.5, -3],
        ],
      ),
    ).toBe('a,b\r\n"x,y","say ""hi"""\r\n"two\nlines",\r\n1.5,-3\r\n');
  });

  it("holds no formula", () => {
    expect(csv(["a"], [["=cmd()"], ["+1"], ["-1"], ["@x"]])).toBe("a\r\n'=cmd()\r\n'+1\r\n'-1\r\n'@x\r\n");
  });
});

describe("file names", () => {
  it("are harmless and not too long", () => {
    expect(fileName("../../etc/passwd.png")).toBe("etc-passwd.png");
    expect(fileName("latency-map.svg")).toBe("latency-map.svg");
    expect(fileName("???.csv")).toBe("reelgauge.csv");
    expect(fileName(`${"x".repeat(4000)}.csv`)).toHaveLength(104);
  });
});

describe("an SVG file", () => {
  it("has a title that is no markup", () => {
    const svg = titledSvg('<svg width="100" height="50"></svg>', '</text><script>alert(1)</script>"');
    expect(svg).not.toContain("<script>");
    expect(svg).toContain("&#60;script&#62;");
    expect(svg).toContain('height="84"');
  });

  it("has what differs from the paper below the chart, in lines that fit", () => {
    const plot = '<svg width="400" height="50"></svg>';
    const differs = `Differs from the paper: --step 20s (paper: 1h); --file-size <8MiB> (paper: ${"x".repeat(70)}).`;
    const svg = titledSvg(plot, "t", differs);
    const told = [...svg.matchAll(/font-size="12"[^>]*>([^<]*)</g)].map((found) => found[1] ?? "");
    expect(told.length).toBeGreaterThan(2);
    expect(told.every((line) => line.length <= 70)).toBe(true);
    expect(told.join(" ")).toContain("--step 20s (paper: 1h); --file-size &#60;8MiB&#62;");
    expect(svg).toContain(`height="${84 + told.length * 17 + 8}"`);
  });

  it("breaks lines between words, and long words where they have to be", () => {
    expect(wrapped("one two three", 7)).toEqual(["one two", "three"]);
    expect(wrapped("a 12345678 b", 4)).toEqual(["a", "1234", "5678", "b"]);
    expect(wrapped("", 4)).toEqual([]);
  });
});

describe("text in charts", () => {
  it("is one line, with both ends", () => {
    expect(cut("one\ntwo\u0000three")).toBe("one two three");
    const long = cut(`begin${"x".repeat(4000)}end`, 20);
    expect([...long]).toHaveLength(20);
    expect(long).toMatch(/^begin.*…x*end$/);
  });

  it("turns no directions and has no braces", () => {
    expect(cut("a\u202egpj.exe")).toBe("agpj.exe");
    expect(chartText("{b|x}")).toBe("(b|x)");
  });

  it("keeps letters of more than one code unit whole", () => {
    expect(cut("😀".repeat(10), 5)).toBe("😀😀😀…😀");
  });
});
