/** The embedded form of the areas of the DXCC entities. */

/** Areas as scripts/embed-places.mjs writes them. */
export interface EmbeddedShapes {
  readonly unitsPerDegree: number;
  /** Integers of all lines; see `decodeLines`. */
  readonly lines: string;
  /** JSON of pairs of an entity and its rings of indices of lines; `~index` is a line in reverse. */
  readonly regions: string;
  /** Parts of a polygon that belong to another entity. */
  readonly subregions: readonly Subregion[];
  /**
   * Entity, latitude, longitude, and radius in km of islands and rocks that are not among the polygons; and of areas inside of
   * another entity, with a fifth number 1.
   */
  readonly islands: readonly (readonly number[])[];
  readonly disputed: readonly DisputedArea[];
}

/** A part of an entity's polygon that belongs to another one, behind a border that is only roughly known. */
export interface Subregion {
  /** The entity of the polygon. */
  readonly region: number;
  readonly entity: number;
  /** Closer to the border than this, both are possible. */
  readonly degrees: number;
  /** Closed rings of longitudes and latitudes. */
  readonly rings: readonly (readonly (readonly number[])[])[];
}

/** An area whose entity the polygons of a neutral map don't tell. */
export interface DisputedArea {
  /** West, south, east, north. */
  readonly box: readonly number[];
  readonly entities: readonly number[];
  readonly reason: string;
  /** Applies only where the polygons have this entity. */
  readonly only?: number;
}
