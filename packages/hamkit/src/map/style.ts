/** The style sheet of a map, with colors for light and dark themes. */
import type { MapTheme } from "./map-options.js";

/** The fonts of the viewer's system. */
export const FONTS = `system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif`;

/** A color of parts of the map: selectors, property, and the color in the light and the dark theme. */
export interface Color {
  readonly parts: string;
  readonly property: "fill" | "stroke";
  readonly light: string;
  readonly dark: string;
}

/** All colors but those of layers. A test measures their contrasts. */
export const COLORS: readonly Color[] = [
  { parts: ".paper", property: "fill", light: "#ffffff", dark: "#0e141b" },
  { parts: ".sea", property: "fill", light: "#d9e7f1", dark: "#1b2f44" },
  { parts: ".land", property: "fill", light: "#fbf9f3", dark: "#43576b" },
  { parts: ".land", property: "stroke", light: "#a3b1bb", dark: "#5f758a" },
  { parts: ".night", property: "fill", light: "#0f2044", dark: "#00040a" },
  { parts: ".terminator", property: "stroke", light: "#b26a00", dark: "#e8b04b" },
  { parts: ".sun", property: "fill", light: "#f5b301", dark: "#ffcf4a" },
  { parts: ".sun", property: "stroke", light: "#8a5200", dark: "#ffcf4a" },
  { parts: ".grid,.ring", property: "stroke", light: "#3f5568", dark: "#9db3c8" },
  { parts: ".field", property: "fill", light: "#3f5568", dark: "#b3c5d6" },
  { parts: ".distance,.rose", property: "fill", light: "#33475a", dark: "#b9cad9" },
  { parts: ".tick,.edge", property: "stroke", light: "#66798a", dark: "#7b90a5" },
  { parts: ".route,.from", property: "stroke", light: "#c2185b", dark: "#ff8ab3" },
  { parts: ".to,.pointer", property: "fill", light: "#c2185b", dark: "#ff8ab3" },
  { parts: ".casing,.to,.label,.distance", property: "stroke", light: "#ffffff", dark: "#0e141b" },
  { parts: ".from", property: "fill", light: "#ffffff", dark: "#0e141b" },
  { parts: ".label,.names,.rose .cardinal", property: "fill", light: "#17202a", dark: "#f4f8fc" },
  { parts: ".caption", property: "fill", light: "#3d4a57", dark: "#b9c7d5" },
];

/** Properties that scale with the map: stroke widths, dashes and font sizes, in pixels at the default width. */
const SIZES: readonly (readonly [parts: string, property: string, ...pixels: number[]])[] = [
  [".land", "stroke-width", 0.6],
  [".grid", "stroke-width", 0.6],
  [".ring", "stroke-width", 0.8],
  [".ring", "stroke-dasharray", 2, 3],
  [".tick,.edge", "stroke-width", 1],
  [".terminator", "stroke-width", 1.2],
  [".sun", "stroke-width", 1.2],
  [".casing", "stroke-width", 5],
  [".route", "stroke-width", 2.4],
  [".long", "stroke-dasharray", 6, 5],
  [".from", "stroke-width", 2.8],
  [".to", "stroke-width", 1.8],
  [".label", "stroke-width", 3.5],
  [".distance", "stroke-width", 2.5],
  [".label,.caption", "font-size", 13],
  [".rose", "font-size", 11.5],
  [".field,.distance", "font-size", 10],
];

/** Properties that don't scale. */
const RULES: readonly (readonly [parts: string, rule: string])[] = [
  [".field,.distance,.rose", "text-anchor:middle"],
  [".moment", "text-anchor:end"],
  [".label,.names,.cardinal", "font-weight:600"],
  [".label,.distance", "paint-order:stroke;stroke-linejoin:round"],
  [".land,.casing,.route", "stroke-linejoin:round"],
  [".casing,.route,.sun", "stroke-linecap:round"],
  [".long", "stroke-linecap:butt"],
  [".route,.casing,.grid,.ring,.tick,.edge,.terminator", "fill:none"],
  [".pointer", "stroke:none"],
  [".casing", "stroke-opacity:.6"],
  [".grid", "stroke-opacity:.4"],
  [".ring", "stroke-opacity:.7"],
  [".field", "fill-opacity:.8"],
  [".terminator", "stroke-opacity:.8"],
  [".twilit", "fill-opacity:.16"],
  [".dark", "fill-opacity:.2"],
  [".all", "fill-opacity:.3"],
];

/** Colors, sizes and rules of layers, which only maps with layers have. */
export const LAYER_COLORS: readonly Color[] = [
  { parts: ".ground", property: "fill", light: "#fbf9f3", dark: "#43576b" },
  { parts: ".ground", property: "stroke", light: "#fbf9f3", dark: "#43576b" },
  { parts: ".shore", property: "stroke", light: "#a3b1bb", dark: "#5f758a" },
  { parts: ".frontier", property: "stroke", light: "#8b98a5", dark: "#8299b0" },
  { parts: ".entity", property: "fill", light: "#33475a", dark: "#dbe5ee" },
  { parts: ".entity", property: "stroke", light: "#ffffff", dark: "#0e141b" },
  { parts: ".beam", property: "fill", light: "#c2185b", dark: "#ff8ab3" },
  { parts: ".beam-edge", property: "stroke", light: "#c2185b", dark: "#ff8ab3" },
  { parts: ".moon", property: "fill", light: "#ffffff", dark: "#e8eef4" },
  { parts: ".moon", property: "stroke", light: "#3f5568", dark: "#0e141b" },
  { parts: ".area", property: "fill", light: "#fbf9f3", dark: "#43576b" },
  { parts: ".area", property: "stroke", light: "#a3b1bb", dark: "#5f758a" },
  { parts: ".area.worked", property: "fill", light: "#f3d9a4", dark: "#7d6238" },
  { parts: ".area.confirmed", property: "fill", light: "#a8d3cb", dark: "#2b6f6c" },
  { parts: ".small.worked", property: "stroke", light: "#d98a1f", dark: "#e0a550" },
  { parts: ".small.confirmed", property: "stroke", light: "#1f7a78", dark: "#6fdccd" },
  { parts: ".square.worked", property: "fill", light: "#d98a1f", dark: "#e0a550" },
  { parts: ".square.confirmed", property: "fill", light: "#1f7a78", dark: "#6fdccd" },
  { parts: ".seen", property: "stroke", light: "#d98a1f", dark: "#e0a550" },
  { parts: ".sure", property: "stroke", light: "#1f7a78", dark: "#6fdccd" },
  { parts: ".border", property: "stroke", light: "#6d4aa3", dark: "#c4a7f0" },
  { parts: ".zone", property: "fill", light: "#5a3a8e", dark: "#d6c2f7" },
  { parts: ".zone", property: "stroke", light: "#ffffff", dark: "#0e141b" },
  { parts: ".ray,.ends", property: "stroke", light: "#c2185b", dark: "#ff8ab3" },
];

const LAYER_SIZES: typeof SIZES = [
  [".ground,.shore", "stroke-width", 0.6],
  [".frontier", "stroke-width", 0.7],
  [".frontier", "stroke-dasharray", 3, 1.5],
  [".entity", "stroke-width", 2.5],
  [".entity", "font-size", 11],
  [".beam-edge", "stroke-width", 1],
  [".moon", "stroke-width", 1.2],
  [".area", "stroke-width", 0.5],
  [".dot", "stroke-width", 4.5],
  [".border", "stroke-width", 0.9],
  [".border.sample", "stroke-width", 1.8],
  [".zone", "stroke-width", 2.5],
  [".zone", "font-size", 11],
  [".few", "stroke-width", 0.7],
  [".some", "stroke-width", 1.1],
  [".many", "stroke-width", 1.8],
  [".ends", "stroke-width", 2.4],
];

const LAYER_RULES: typeof RULES = [
  [".zone", "text-anchor:middle;font-weight:600;paint-order:stroke;stroke-linejoin:round;stroke-opacity:.8"],
  [".entity", "text-anchor:middle;paint-order:stroke;stroke-linejoin:round;stroke-opacity:.7"],
  [".ground", "fill-rule:evenodd"],
  [".shore,.frontier,.beam-edge", "fill:none;stroke-linejoin:round"],
  [".beam", "fill-opacity:.12"],
  [".beam-edge", "stroke-opacity:.5"],
  [".dot,.ends", "stroke-linecap:round"],
  [".area", "fill-rule:evenodd;stroke-linejoin:round"],
  [".square", "opacity:.85"],
  [".ray", "fill:none;stroke-opacity:.4"],
  [".border", "fill:none;stroke-opacity:.75"],
  [".border.sample", "stroke-opacity:1"],
];

interface StyleOptions {
  readonly theme: MapTheme;
  readonly unit: number;
  readonly hasLayers: boolean;
}

/** The style sheet of a map. Every selector begins with the map's id, so that no rule applies to the page. */
export function styleSheet(id: string, { theme, unit, hasLayers }: StyleOptions): string {
  const [colors, sizes, rules] = hasLayers
    ? [
        [...COLORS, ...LAYER_COLORS],
        [...SIZES, ...LAYER_SIZES],
        [...RULES, ...LAYER_RULES],
      ]
    : [COLORS, SIZES, RULES];
  const rule = (parts: string, text: string) =>
    `${parts
      .split(",")
      .map((part) => `#${id} ${part}`)
      .join(",")}{${text}}`;
  const paint = (mode: "light" | "dark") =>
    colors.map((color) => rule(color.parts, `${color.property}:${color[mode]}`)).join("");
  const size = (pixels: number) => `${Math.round(pixels * unit * 100) / 100}px`;

  return [
    `#${id}{max-width:100%;height:auto;font-family:${FONTS}}`,
    ...rules.map(([parts, text]) => rule(parts, text)),
    ...sizes.map(([parts, property, ...pixels]) => rule(parts, `${property}:${pixels.map(size).join(" ")}`)),
    paint(theme === "dark" ? "dark" : "light"),
    ...(theme === "auto" ? [`@media(prefers-color-scheme:dark){${paint("dark")}}`] : []),
  ].join("");
}
