/** Draws maps as PNG, in Node. */
import { IOError, ValueError } from "../errors.js";
import { drawMap } from "./draw-map.js";
import type { MapOptions } from "./map-options.js";
import { FONTS } from "./style.js";

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
