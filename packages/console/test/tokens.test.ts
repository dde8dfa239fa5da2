/** Contrast of the design's colors, by WCAG 2.2 (1.4.3 text, 1.4.11 borders of controls). */
import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

const css = readFileSync(new URL("../src/ui/tokens.css", import.meta.url), "utf8");

/** The two values of a token: light and dark. */
function valuesOf(token: string): readonly [string, string] {
  const pair = new RegExp(`--${token}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(css);
  const single = new RegExp(`--${token}: (#\\w{6});`).exec(css);
  const light = pair?.[1] ?? single?.[1];
  const dark = pair?.[2] ?? single?.[1];
  if (light === undefined || dark === undefined) throw new Error(`tokens.css has no color --${token}`);
  return [light, dark];
}

/** @see https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

const GROUNDS = ["background", "surface", "sunken", "selected"];
const TEXTS = ["text", "muted", "accent", "good", "warning", "bad"];

describe.each([
  ["light", 0],
  ["dark", 1],
] as const)("colors in %s", (_name, index) => {
  it.each(TEXTS.flatMap((text) => GROUNDS.map((ground) => [text, ground] as const)))(
    "%s on %s has at least 4.5:1",
    (text, ground) => {
      expect(contrast(valuesOf(text)[index], valuesOf(ground)[index])).toBeGreaterThanOrEqual(4.5);
    },
  );

  it.each(["accent-ground", "accent-ground-hover"])("text of buttons on %s has at least 4.5:1", (ground) => {
    expect(contrast(valuesOf("on-accent")[index], valuesOf(ground)[index])).toBeGreaterThanOrEqual(4.5);
  });

  it.each(["background", "surface"])("borders of controls on %s have at least 3:1", (ground) => {
    expect(contrast(valuesOf("control-border")[index], valuesOf(ground)[index])).toBeGreaterThanOrEqual(3);
  });
});
