/** What a map shows besides two stations: squares, entities and paths of a log, borders and names. */
import { ArgumentTypeError, AttributeError, ValueError } from "../../errors.js";
import { locatorToPosition } from "../../geo/locator.js";
import { checkPosition, type Position } from "../../geo/position.js";
import { oneLine } from "../svg-text.js";
import { squareAt, type SquareIndex } from "./square-index.js";

/** A locator square, worked or also confirmed. */
export interface MapSquare {
  /** A locator of 4 to 10 characters; its first four name the square. */
  readonly locator: string;
  /** Default `false`: worked only. */
  readonly confirmed?: boolean | undefined;
}

/** A DXCC entity, worked or also confirmed. */
export interface MapEntity extends Position {
  /** DXCC entity code of ADIF. */
  readonly adif: number;
  readonly country: string;
  /** Default `false`: worked only. */
  readonly confirmed?: boolean | undefined;
}

/** The short path between two places, of one or more QSOs. */
export interface MapPath {
  readonly from: Position;
  readonly to: Position;
  /** Number of QSOs; default 1. Lines of paths with more QSOs are wider. */
  readonly qsos?: number | undefined;
}

/** The layers of a map. */
export interface MapLayers {
  /** Squares to color. Of several of one locator a confirmed one applies. */
  readonly squares?: readonly MapSquare[] | undefined;
  /** Entities to mark. */
  readonly entities?: readonly MapEntity[] | undefined;
  /** Paths to draw; close ones share a line. */
  readonly paths?: readonly MapPath[] | undefined;
  /** Borders and numbers of the CQ or ITU zones. */
  readonly zones?: "cq" | "itu" | undefined;
  /**
   * `"coarse"` (default): coasts at a scale of 1:110 million, without small islands. `"fine"`: 1:50 million, for sections; 110 kB
   * more to load.
   */
  readonly coast?: "coarse" | "fine" | undefined;
  /** Whether to draw the borders of the DXCC entities, with the fine coast; default `false`. */
  readonly borders?: boolean | undefined;
  /** Names to write where they have room; those of large entities come first. */
  readonly names?: readonly MapName[] | undefined;
}

/** The name of an entity, its prefix, or both. */
export interface MapName extends Position {
  /** DXCC entity code of ADIF. */
  readonly adif: number;
  /** On one line, truncated to 40 characters. */
  readonly text: string;
}

/** A validated entity. */
export interface MarkedEntity extends MapEntity {
  readonly confirmed: boolean;
}

/** A validated path. */
export interface WeightedPath extends MapPath {
  readonly qsos: number;
}

/** Validated layers. */
export interface LayersRequest {
  /** Whether each square is confirmed. */
  readonly squares: ReadonlyMap<SquareIndex, boolean>;
  readonly entities: readonly MarkedEntity[];
  readonly paths: readonly WeightedPath[];
  readonly zones: "cq" | "itu" | undefined;
  readonly hasFineCoast: boolean;
  readonly borders: boolean;
  readonly names: readonly MapName[];
}

const MAX_NAME = 40;
/** More than all squares of the earth, and than any map can show. */
const MAX_ITEMS = 100_000;

/**
 * Validates layers, and copies them.
 *
 * @throws {LocatorError} The locator of a square is malformed.
 * @throws {PositionError} A coordinate is out of its range.
 * @throws {ArgumentTypeError} A value has the wrong type.
 * @throws {ValueError} A list has more than 100,000 items, or a number is not positive.
 */
export function readLayers({
  squares,
  entities,
  paths,
  zones,
  coast,
  borders,
  names,
}: MapLayers): LayersRequest {
  if (coast !== undefined && coast !== "coarse" && coast !== "fine")
    throw new ValueError({ argument: "coast", value: coast, expected: '"coarse" or "fine"' });
  if (borders !== undefined && typeof borders !== "boolean")
    throw new ArgumentTypeError({ argument: "borders", value: borders, expected: "true or false" });
  return {
    hasFineCoast: coast === "fine" || borders === true,
    borders: borders === true,
    names: listOf(names, "names").map(readName),
    squares: readSquares(listOf(squares, "squares")),
    entities: listOf(entities, "entities").map(readEntity),
    paths: listOf(paths, "paths").map(readPath),
    zones: readZones(zones),
  };
}

function listOf<Item extends object>(list: readonly Item[] | undefined, argument: string): readonly Item[] {
  if (list === undefined) return [];
  if (!Array.isArray(list)) throw new ArgumentTypeError({ argument, value: list, expected: "an array" });
  if (list.length > MAX_ITEMS)
    throw new ValueError({ argument: `${argument}.length`, value: list.length, expected: "100,000 or less" });
  for (const [index, item] of list.entries()) {
    if (typeof item === "object" && item !== null) continue;
    throw new ArgumentTypeError({ argument: `${argument}[${index}]`, value: item, expected: "an object" });
  }
  return list;
}

function readSquares(squares: readonly MapSquare[]): ReadonlyMap<SquareIndex, boolean> {
  const read = new Map<SquareIndex, boolean>();
  for (const [index, { locator, confirmed = false }] of squares.entries()) {
    const argument = `squares[${index}].locator`;
    if (typeof locator !== "string")
      throw new AttributeError({ argument, value: locator, expected: "a locator as a string" });
    const square = squareAt(locatorToPosition(locator, argument, "center"));
    read.set(square, confirmed || read.get(square) === true);
  }
  return read;
}

function readEntity({ adif, country, confirmed = false, ...place }: MapEntity, index: number): MarkedEntity {
  const argument = `entities[${index}]`;
  if (!Number.isInteger(adif))
    throw new ArgumentTypeError({
      argument: `${argument}.adif`,
      value: adif,
      expected: "a DXCC entity code",
    });
  if (typeof country !== "string")
    throw new ArgumentTypeError({ argument: `${argument}.country`, value: country, expected: "text" });
  return { adif, country, confirmed, ...checkPosition(place) };
}

function readName({ adif, text, ...place }: MapName, index: number): MapName {
  const argument = `names[${index}]`;
  if (!Number.isInteger(adif))
    throw new ArgumentTypeError({
      argument: `${argument}.adif`,
      value: adif,
      expected: "a DXCC entity code",
    });
  if (typeof text !== "string")
    throw new ArgumentTypeError({ argument: `${argument}.text`, value: text, expected: "text" });
  return { adif, text: oneLine(text, MAX_NAME), ...checkPosition(place) };
}

function readPath({ from, to, qsos = 1 }: MapPath, index: number): WeightedPath {
  if (!(qsos >= 1))
    throw new ValueError({ argument: `paths[${index}].qsos`, value: qsos, expected: "1 or more" });
  return { from: checkPosition(from), to: checkPosition(to), qsos };
}

function readZones(zones: MapLayers["zones"]): LayersRequest["zones"] {
  if (zones === undefined || zones === "cq" || zones === "itu") return zones;
  throw new ValueError({ argument: "zones", value: zones, expected: '"cq" or "itu"' });
}
