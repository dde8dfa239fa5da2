/**
 * `hamkit/references`: parks (POTA), summits (SOTA), nature reserves (WWFF) and island groups (IOTA), by reference or near a place.
 *
 * The lists are downloaded from the programs on demand and cached; hamkit ships none of them.
 *
 * @module hamkit/references
 */
export type { Logger } from "./io/default-logger.js";
export { openReferences } from "./references/open-references.js";
export type { OpenReferencesOptions } from "./references/open-references.js";
export { programOf } from "./references/program-lists.js";
export { readReferences } from "./references/read-references.js";
export type { ReadReferencesOptions } from "./references/read-references.js";
export { createReferenceList } from "./references/reference-list.js";
export type { NearestOptions, NearReference, ReferenceList } from "./references/reference-list.js";
export type { Reference, ReferenceProgram } from "./references/reference.js";
