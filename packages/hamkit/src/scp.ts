/**
 * `hamkit/scp`: lists of contest callsigns (MASTER.SCP), searched by part and by similarity.
 *
 * @module hamkit/scp
 */
export {
  findByPart,
  type FindByPartOptions,
  findSimilar,
  type FindSimilarOptions,
  type SimilarCall,
} from "./scp/search.js";
export { createScpList } from "./scp/scp-list.js";
export type { ScpList } from "./scp/scp-list.js";
