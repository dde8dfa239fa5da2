import { describe, expect, it } from "vitest";

import { drawMap } from "../../src/map.js";
import { COLORS } from "../../src/map/style.js";

type Mode = "light" | "dark";
type Rgb = readonly [red: number, green: number, blue: number];

function color(part: string, property: "fill" | "stroke", mode: Mode): Rgb {
  const found = COLORS.find((each) => each.property === property && each.parts.split(",").includes(part));
  const [red = NaN, green = NaN, blue = NaN] = (found?.[mode].match(/[\da-f]{2}/g) ?? []).map((hex) =>
    parseInt(hex, 16),
  );
  return [red, green, blue];
}

/** A color under another one that lets part of it through. */
function under([r1, g1, b1]: Rgb, [r2, g2, b2]: Rgb, opacity: number): Rgb {
  const mix = (below: number, above: number) => below * (1 - opacity) + above * opacity;
  return [mix(r1, r2), mix(g1, g2), mix(b1, b2)];
}

/** WCAG 2.2: contrast ratio, from the relative luminance of both colors. */
function contrast(a: Rgb, b: Rgb): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** What may be behind a line or letter, by day, in twilight and by night. */
function grounds(mode: Mode): Rgb[] {
  const night = color(".night", "fill", mode);
  return [color(".sea", "fill", mode), color(".land", "fill", mode)].flatMap((day) => {
    const twilit = under(day, night, 0.16);
    return [day, twilit, under(twilit, night, 0.2)];
  });
}

describe.each(["light", "dark"] as const)("the %s theme", (mode) => {
  it("has text of a contrast of at least 4.5 (WCAG 1.4.3)", () => {
    const paper = color(".paper", "fill", mode);
    const halo = color(".label", "stroke", mode);
    for (const [part, ground] of [
      [".caption", paper],
      [".names", paper],
      [".rose", paper],
      [".label", halo],
      [".distance", halo],
    ] as const)
      expect(contrast(color(part, "fill", mode), ground)).toBeGreaterThanOrEqual(4.5);
  });

  it("has paths of a contrast of at least 3 to their casing and the caption (WCAG 1.4.11)", () => {
    const route = color(".route", "stroke", mode);
    expect(contrast(route, color(".casing", "stroke", mode))).toBeGreaterThanOrEqual(3);
    expect(contrast(route, color(".paper", "fill", mode))).toBeGreaterThanOrEqual(3);
  });

  it("has paths that stand out by day and by night", () => {
    for (const ground of grounds(mode))
      expect(contrast(color(".route", "stroke", mode), ground)).toBeGreaterThanOrEqual(2);
  });

  it("has letters of fields that can be read by day and by night", () => {
    for (const ground of grounds(mode))
      expect(contrast(under(ground, color(".field", "fill", mode), 0.8), ground)).toBeGreaterThanOrEqual(2);
  });
});

describe("the theme of a map", () => {
  const sheet = async (theme: "auto" | Mode) =>
    /<style>(.*)<\/style>/.exec(await drawMap({ theme, id: "m" }))?.[1] ?? "";

  it("has both sets of colors, the dark one for viewers who prefer it, unless one is asked for", async () => {
    const [base = "", dark = ""] = (await sheet("auto")).split("@media(prefers-color-scheme:dark)");
    for (const { parts, property, light, dark: darkColor } of COLORS) {
      const [last = ""] = parts.split(",").slice(-1);
      expect(base).toContain(`#m ${last}{${property}:${light}}`);
      expect(dark).toContain(`#m ${last}{${property}:${darkColor}}`);
    }
    const [light, onlyDark] = [await sheet("light"), await sheet("dark")];
    expect(light).toBe(base);
    expect(onlyDark).not.toContain("@media");
    expect(onlyDark).toContain("#m .paper{fill:#0e141b}");
    expect(onlyDark).not.toContain("#m .paper{fill:#ffffff}");
  });
});
