/** Draws maps: as SVG, and in Node as PNG. */
import type { ZoneLines } from "./layers/zone-layer.js";
import { readMapOptions, type MapOptions, type MapRequest } from "./map-options.js";
import { IOError, ValueError } from "../errors.js";
import { FONTS } from "./style.js";

/**
 * A world map as an SVG document.
 *
 * Stations are marked and labeled, and joined by the great circle between them; a caption shows its length and the
 * initial heading, on the sphere of 6371 km. Lines are within 0.3 pixels of the true curve; coastlines are those of
 * Natural Earth at a scale of 1:110 million, without small islands, or with `coast: "fine"` at 1:50 million.
 *
 * Equal options produce equal text. Without squares, entities, paths and zones it is less than 120 kB, apart from `title` and
 * `desc`. It has no external references
 * and no scripts, and can stand alone or in a page: the document's id prefixes every name in it. Input text is escaped;
 * characters that XML does not allow are replaced.
 *
 * @param options What to draw; default: an empty map.
 * @returns An `svg` element, without an XML declaration.
 * @throws {LocatorError} A place is text that is not a locator; a `ValueError`.
 * @throws {PositionError} A coordinate is not finite or out of its range; a `ValueError`.
 * @throws {ValueError} The date is not a valid `Date` of the years -2000 to 10000, the width is not from 240 to 4000, a
 *   keyword is not one of its choices, or an azimuthal map has no `from` as its center.
 * @throws {AttributeError} A place is neither text nor an object with a locator or a position.
 * @throws {ArgumentTypeError} Another option has the wrong type; a `TypeError`.
 * @see https://www.naturalearthdata.com/downloads/110m-physical-vectors/ the coastlines.
 * @example
 * const svg = await drawMap({ from: "JN48QM", to: { locator: "FN31PR", label: "W1AW" } });
 * svg.includes("JN48QM → W1AW"); // => true
 * svg.includes("6,169 km · 296°"); // => true
 */
export async function drawMap(options: MapOptions = {}): Promise<string> {
  const request = readMapOptions(options);
  const [{ renderMap }, zones, areas] = await Promise.all([
    import("./render-map.js"),
    request.zones === undefined ? undefined : loadZoneLines(request.zones),
    needsAreas(request) ? import("./layers/area-layers.js") : undefined,
  ]);
  return renderMap(request, { zones, areas });
}

function needsAreas({ entities, names, hasFineCoast }: MapRequest): boolean {
  return entities.length + names.length > 0 || hasFineCoast;
}

async function loadZoneLines(kind: "cq" | "itu"): Promise<ZoneLines> {
  const { zoneLines } = await import("./layers/zone-layer.js");
  return zoneLines(kind);
}

/** A map, and how to rasterize it. */
export interface PngOptions extends MapOptions {
  /** Pixels of the picture for each of `width`, from 0.5 to 4; default 2, for sharp text on most screens. */
  readonly scale?: number | undefined;
  /** Paths of font files. Default: the fonts of the system; without any the picture has no text. */
  readonly fonts?: readonly string[] | undefined;
}

/** The used part of @resvg/resvg-js. */
interface Resvg {
  readonly Resvg: new (svg: string, options: object) => { render(): { asPng(): Uint8Array } };
}

/**
 * Fonts that have every character of a map. resvg draws a text in one font: if that lacks an arrow, in any other font, such as
 * one with serifs.
 */
const PNG_FONTS = `"DejaVu Sans",Arial,"Liberation Sans","Noto Sans",sans-serif`;

/** In a variable: a bundler for browsers would otherwise look for the package. */
const RESVG: string = "@resvg/resvg-js";

/**
 * A world map as a PNG picture, by the package `@resvg/resvg-js`, which has to be installed in addition: it is an optional peer
 * dependency of hamkit.
 *
 * @param options As for `drawMap`. The theme is light, unless it is `"dark"`: a picture can't follow the viewer's system.
 * @returns The bytes of a PNG file.
 * @throws {IOError} The package is not installed, or this is a browser.
 * @throws {ValueError} The scale is not from 0.5 to 4, or as for `drawMap`.
 * @example
 * const png = await drawPng({ from: "JN48QM", to: "FN31PR", width: 480 });
 * Array.from(png.slice(1, 4), (code) => String.fromCharCode(code)).join(""); // => "PNG"
 */
export async function drawPng({ scale = 2, fonts, ...options }: PngOptions = {}): Promise<Uint8Array> {
  if (!(typeof scale === "number" && scale >= 0.5 && scale <= 4))
    throw new ValueError({ argument: "scale", value: scale, expected: "a number from 0.5 to 4" });
  const theme = options.theme === "dark" ? "dark" : "light";
  const svg = await drawMap({ ...options, theme });
  const { Resvg } = await loadResvg();
  const font =
    fonts === undefined ? { loadSystemFonts: true } : { loadSystemFonts: false, fontFiles: [...fonts] };
  const picture = new Resvg(svg.replace(FONTS, PNG_FONTS), { fitTo: { mode: "zoom", value: scale }, font })
    .render()
    .asPng();
  return new Uint8Array(picture.buffer, picture.byteOffset, picture.byteLength);
}

async function loadResvg(): Promise<Resvg> {
  try {
    return (await import(/* @vite-ignore */ RESVG)) as Resvg;
  } catch (cause) {
    const reason = "not available; PNG needs Node and this package: npm install @resvg/resvg-js";
    throw new IOError(RESVG, reason, { cause });
  }
}
