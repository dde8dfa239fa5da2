/**
 * `hamkit/places`: the DXCC entity of coordinates, and the counties of the United States.
 *
 * @module hamkit/places
 */
export { entitiesAt } from "./places/entities-at.js";
export type { EntityBasis, PlaceEntities } from "./places/entities-at.js";
export { countiesOf, findCounty } from "./places/us-counties.js";
export type { UsCounty } from "./places/us-counties.js";
