/** The embedded form of the borders of zones. */

/** Borders as they are embedded. */
export interface ZoneTopology {
  /** Integers of all arcs: number of vertices, the first vertex, differences of the others; see `decodeLines`. */
  readonly arcs: string;
  /** JSON of pairs of a zone and its polygons of rings of indices of arcs; `~index` is an arc in reverse. */
  readonly zones: string;
}
