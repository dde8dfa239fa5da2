/** The section of the world that a map shows. */
import { ArgumentTypeError, AttributeError, ValueError } from "../errors.js";
import { locatorToPosition } from "../geo/locator.js";
import { checkPosition, type Position } from "../geo/position.js";

/** A section of the world. */
export interface MapView {
  /**
   * The place in the middle of the map: a locator or a position. Default: 0° N 0° E; of azimuthal maps `from`. Other maps begin
   * and end 180° from it, so that any place can be in the middle.
   */
  readonly center?: string | Position | undefined;
  /** From 1 (default), at which the whole world fits into the map, to 64, which is 64 times as large. */
  readonly zoom?: number | undefined;
}

/** A validated section, and the height of the map in pixels. */
export interface MapFrame {
  readonly center: Position | undefined;
  readonly zoom: number;
  readonly height: number;
}

const MAX_ZOOM = 64;

export function readView(view: MapView = {}): Pick<MapFrame, "center" | "zoom"> {
  if (typeof view !== "object" || view === null)
    throw new ArgumentTypeError({ argument: "view", value: view, expected: "an object" });
  const { center, zoom = 1 } = view;
  if (typeof zoom !== "number" || !(zoom >= 1 && zoom <= MAX_ZOOM)) {
    const facts = { argument: "view.zoom", value: zoom, expected: `a number from 1 to ${MAX_ZOOM}` };
    throw typeof zoom === "number" ? new ValueError(facts) : new ArgumentTypeError(facts);
  }
  return { center: centerOf(center), zoom };
}

function centerOf(center: MapView["center"]): Position | undefined {
  if (center === undefined) return undefined;
  if (typeof center === "string") return locatorToPosition(center, "view.center", "center");
  if (typeof center === "object" && center !== null) return checkPosition(center);
  throw new AttributeError({ argument: "view.center", value: center, expected: "a locator or a position" });
}
