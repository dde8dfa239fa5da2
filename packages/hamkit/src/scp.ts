/**
 * `hamkit/scp`: lists of contest callsigns (MASTER.SCP), searched by part and by similarity.
 *
 * @module hamkit/scp
 */
export { findByPart } from "./scp/find-by-part.js";
export type { FindByPartOptions } from "./scp/find-by-part.js";
export { findSimilar } from "./scp/find-similar.js";
export type { FindSimilarOptions, SimilarCall } from "./scp/find-similar.js";
export { createScpList } from "./scp/scp-list.js";
export type { ScpList } from "./scp/scp-list.js";
