/** The options of a map, and their validation. */
import { ArgumentTypeError, AttributeError, ValueError } from "../errors.js";
import { locatorToPosition, positionToLocator } from "../geo/locator.js";
import { checkPosition, type Position } from "../geo/position.js";
import { readView, type MapFrame, type MapView } from "./map-view.js";
import { readLayers, type LayersRequest, type MapLayers } from "./layers/map-layers.js";
import { oneLine } from "./svg-text.js";

const PROJECTIONS = ["equirectangular", "natural-earth", "azimuthal"] as const;
const THEMES = ["auto", "light", "dark"] as const;
const TWILIGHTS = ["civil", "none"] as const;

/**
 * The map projection.
 *
 * - `"equirectangular"`: longitude and latitude as x and y.
 * - `"natural-earth"`: Natural Earth I, rounded, with less stretching near the poles.
 * - `"azimuthal"`: azimuthal equidistant, centered on `from`: true headings and distances from there, with a compass rose
 *   and rings every 5000 km.
 */
export type MapProjection = (typeof PROJECTIONS)[number];

/** Colors: `"auto"` follows the viewer's system (`prefers-color-scheme`). */
export type MapTheme = (typeof THEMES)[number];

/**
 * A place: a locator of 4 to 10 characters, for the center of its rectangle, or a position.
 *
 * The default label is the locator; an empty one hides it. A label is written on one line, and truncated to 100 characters
 * and to the available width.
 */
export type MapPlace =
  | string
  | { readonly locator: string; readonly label?: string | undefined }
  | (Position & { readonly label?: string | undefined });

/** What to draw. */
export interface MapOptions extends MapLayers {
  /** Start of the path, and center of an azimuthal map. */
  readonly from?: MapPlace | undefined;
  /** End of the path. */
  readonly to?: MapPlace | undefined;
  /** Whether to draw the long path too, dashed; default `false`. */
  readonly longpath?: boolean | undefined;
  /** The beam of an antenna at `from`. */
  readonly beam?: MapBeam | undefined;
  /** The point below the moon, as `sublunarPoint` of hamkit/moon returns it: shows a moon there. */
  readonly moon?: Position | undefined;
  /** Shows day and night at this moment. The terminator is where the center of the sun is on the horizon. */
  readonly date?: Date | null | undefined;
  /** `"civil"` (default): night is lighter where the sun is less than 6° below the horizon. */
  readonly twilight?: "civil" | "none" | undefined;
  /** Whether to draw the locator fields of 20° by 10° with their letters; default `false`. */
  readonly grid?: boolean | undefined;
  /**
   * Width of the map in pixels, from 240 to 4000; default 960. Text and lines scale with its square root, but are never
   * smaller than at 614. With `height` or `view` they have the size that they have at 960.
   */
  readonly width?: number | undefined;
  /**
   * Height of the map in pixels, without the caption, from 120 to 4000. Default: that of the whole world; with `view`, half of
   * the width.
   */
  readonly height?: number | undefined;
  /** A section of the world. Default: all of it. */
  readonly view?: MapView | undefined;
  /** Whether to write the path's figures, the legend and the date below the map; default `true`. */
  readonly caption?: boolean | undefined;
  /** Default `"equirectangular"`. */
  readonly projection?: MapProjection | undefined;
  /** Default `"auto"`. */
  readonly theme?: MapTheme | undefined;
  /** Accessible name of the image; default: derived from the stations. */
  readonly title?: string | undefined;
  /** Accessible description of the image; default: derived from the options. */
  readonly desc?: string | undefined;
  /**
   * Id of the `svg` element, and prefix of the other ids in it: a letter, then up to 63 letters, digits, `-` or `_`.
   * Default: a hash of the content, so that only equal maps have equal ids.
   */
  readonly id?: string | undefined;
}

/** The beam of a directional antenna. */
export interface MapBeam {
  /** Between its edges, in degrees, from 1 to 180. */
  readonly width: number;
  /** Of its middle, in degrees clockwise from true north; default: the short path to `to`, and no beam without it. */
  readonly heading?: number | undefined;
}

/** A marked place. */
export interface Station {
  readonly position: Position;
  /** The text at its mark; may be empty. */
  readonly label: string;
  /** The name in captions: the label, or else the locator. */
  readonly name: string;
}

/** Validated options with their defaults. */
export interface MapRequest extends LayersRequest {
  readonly from: Station | undefined;
  readonly to: Station | undefined;
  readonly longpath: boolean;
  readonly beam: MapBeam | undefined;
  readonly moon: Position | undefined;
  readonly date: Date | undefined;
  readonly twilight: "civil" | "none";
  readonly grid: boolean;
  readonly width: number;
  /** Of a map with `height` or `view`. */
  readonly frame: MapFrame | undefined;
  readonly caption: boolean;
  readonly projection: MapProjection;
  readonly theme: MapTheme;
  readonly title: string | undefined;
  readonly desc: string | undefined;
  readonly id: string | undefined;
}

/** Longer than the room on any map; bounds labels of characters that have no width, such as combining marks. */
const MAX_LABEL_LENGTH = 100;

/** Validity of the sun's ephemeris, in milliseconds since 1970: years -2000 to 10000. */
const FIRST_MOMENT_MS = Date.UTC(-2000, 0);
const LAST_MOMENT_MS = Date.UTC(10_000, 0);

/** Validates the options. They are copied: later changes of an object have no effect. */
export function readMapOptions(options: MapOptions): MapRequest {
  if (typeof options !== "object" || options === null)
    throw new ArgumentTypeError({ argument: "options", value: options, expected: "an object" });
  const request: MapRequest = {
    from: stationOf(options.from, "from"),
    to: stationOf(options.to, "to"),
    longpath: flag(options.longpath, "longpath"),
    beam: beamOf(options.beam),
    moon: options.moon === undefined ? undefined : checkPosition(options.moon),
    date: dateOf(options.date),
    twilight: oneOf(TWILIGHTS, options.twilight, "twilight"),
    grid: flag(options.grid, "grid"),
    width: sizeOf(options.width ?? 960, "width", 240),
    frame: frameOf(options),
    caption: options.caption === undefined || flag(options.caption, "caption"),
    projection: oneOf(PROJECTIONS, options.projection, "projection"),
    theme: oneOf(THEMES, options.theme, "theme"),
    title: textOf(options.title, "title"),
    desc: textOf(options.desc, "desc"),
    id: idOf(options.id),
    ...readLayers(options),
  };
  if (request.projection === "azimuthal" && request.from === undefined) {
    const expected = "a place: an azimuthal map is centered on it";
    throw new ValueError({ argument: "from", value: undefined, expected });
  }
  return request;
}

function stationOf(place: MapPlace | undefined, argument: string): Station | undefined {
  if (place === undefined) return undefined;
  if (typeof place === "string") return labeled(locatorToPosition(place, argument, "center"), place);
  if (typeof place === "object" && place !== null) {
    const label = textOf(place.label, `${argument}.label`);
    if ("locator" in place && typeof place.locator === "string") {
      const position = locatorToPosition(place.locator, `${argument}.locator`, "center");
      return labeled(position, place.locator, label);
    }
    if ("latitude" in place && "longitude" in place) {
      const position = checkPosition({ latitude: place.latitude, longitude: place.longitude });
      return labeled(position, positionToLocator(position, 6), label);
    }
  }
  throw new AttributeError({ argument, value: place, expected: "a locator or a position" });
}

function labeled(position: Position, locator: string, label = locator.toUpperCase()): Station {
  const line = oneLine(label, MAX_LABEL_LENGTH);
  return { position, label: line, name: line === "" ? locator.toUpperCase() : line };
}

function beamOf(beam: MapBeam | undefined): MapBeam | undefined {
  if (beam === undefined) return undefined;
  const { width, heading } = beam;
  if (!(width >= 1 && width <= 180))
    throw new ValueError({ argument: "beam.width", value: width, expected: "degrees from 1 to 180" });
  if (heading !== undefined && !Number.isFinite(heading))
    throw new ValueError({ argument: "beam.heading", value: heading, expected: "degrees" });
  return { width, heading };
}

function dateOf(date: Date | null | undefined): Date | undefined {
  if (date === undefined || date === null) return undefined;
  const isDate = Object.prototype.toString.call(date) === "[object Date]"; // also one from another window
  const ms = isDate ? date.getTime() : Number.NaN;
  if (ms >= FIRST_MOMENT_MS && ms <= LAST_MOMENT_MS) return new Date(ms);
  const expected = "a valid Date of the years -2000 to 10000";
  throw new ValueError({ argument: "date", value: date, expected });
}

function sizeOf(pixels: number, argument: string, least: number): number {
  if (typeof pixels === "number" && pixels >= least && pixels <= 4000) return pixels;
  const facts = { argument, value: pixels, expected: `a number of pixels from ${least} to 4000` };
  throw typeof pixels === "number" ? new ValueError(facts) : new ArgumentTypeError(facts);
}

function frameOf({ width = 960, height, view }: MapOptions): MapFrame | undefined {
  if (height === undefined && view === undefined) return undefined;
  return { ...readView(view), height: sizeOf(height ?? Math.max(width / 2, 120), "height", 120) };
}

/** Validates a keyword; the first one is the default. */
function oneOf<Word extends string>(
  words: readonly [Word, ...Word[]],
  word: Word | undefined,
  argument: string,
): Word {
  if (word === undefined) return words[0];
  if (words.includes(word)) return word;
  const expected = words.map((each) => JSON.stringify(each)).join(" or ");
  throw new ValueError({ argument, value: word, expected });
}

function flag(value: boolean | undefined, argument: string): boolean {
  if (value === undefined || typeof value === "boolean") return value === true;
  throw new ArgumentTypeError({ argument, value, expected: "true or false" });
}

function textOf(value: string | undefined, argument: string): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  throw new ArgumentTypeError({ argument, value, expected: "text" });
}

function idOf(id: string | undefined): string | undefined {
  const text = textOf(id, "id");
  if (text === undefined || /^[A-Za-z][\w-]{0,63}$/.test(text)) return text;
  const expected = "a letter, followed by up to 63 letters, digits, - or _";
  throw new ValueError({ argument: "id", value: id, expected });
}
