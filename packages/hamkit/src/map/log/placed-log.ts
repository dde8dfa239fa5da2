/** What is collected of a log, and how. */
import type { TableSource } from "../../lookup/source.js";
import type { MapEntity, MapPath, MapSquare } from "../layers/map-layers.js";

/** Source of entities, own location, and what counts as confirmed. */
export interface PlaceLogOptions {
  /** Data to identify calls with, such as `await loadEmbeddedCountryFile()`. Without it only squares and locators have a place. */
  readonly table?: TableSource | undefined;
  /** The own locator. Default: each QSO's `MY_GRIDSQUARE`, or `MY_LAT` and `MY_LON`, or else the location of its own call. */
  readonly locator?: string | undefined;
  /** Confirmations that count; default cards and LoTW, which DXCC accepts. */
  readonly confirmedBy?: readonly Confirmation[] | undefined;
}

/** A paper card (`QSL_RCVD`), Logbook of The World (`LOTW_QSL_RCVD`) or eQSL (`EQSL_QSL_RCVD`). */
export type Confirmation = "card" | "lotw" | "eqsl";

/** Squares, entities and paths of a log, as `drawMap` and `toGeoJson` accept them. */
export interface PlacedLog {
  readonly squares: readonly MapSquare[];
  readonly entities: readonly MapEntity[];
  readonly paths: readonly MapPath[];
}

/** The part of a log of hamkit/logs that is needed. */
export interface LogToPlace {
  readonly qsos: readonly {
    readonly line: number;
    readonly fields: readonly { readonly name: string; readonly value: string }[];
  }[];
}
