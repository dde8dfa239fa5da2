/** What maps draw of the areas of entities. Loaded with the first map that shows them: data and drawing together. */
export { drawEntities } from "./entity-layer.js";
export { entityAreas } from "./entity-outlines.js";
export { drawLand, drawNames } from "./geography.js";
