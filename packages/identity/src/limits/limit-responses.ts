/** A cache of responses about limits, as text, until a limit or what limits rest on changes. */
import type { Database } from "../platform/database/database.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";

/** Responses in the cache, and bytes of one. */
const MAX_RESPONSES = 512;
const MAX_BYTES = 128 * 1024;

/** Changes with limits, and with services, regions, projects and domains, whose deletion deletes limits. */
export function limitRevision(database: Pick<Database, "revision">): () => number {
  return () => database.revision("limits") + database.revision("facts");
}

export interface LimitResponses {
  /**
   * @param key Everything that the response depends on: the request, and the caller if responses differ between callers.
   * @param make Returns `undefined` for a list that is too long to be held in memory.
   */
  get(key: string, make: () => Promise<object | undefined>): Promise<Buffer | undefined>;
}

export function createLimitResponses(database: Pick<Database, "revision">): LimitResponses {
  const cache = createRevisionCache<Buffer | undefined>({
    revision: limitRevision(database),
    maxEntries: MAX_RESPONSES,
    keeps: (response) => response !== undefined && response.length <= MAX_BYTES,
  });
  return {
    get: async (key, make) =>
      cache.get(key, async () => {
        const response = await make();
        return response && Buffer.from(JSON.stringify(response));
      }),
  };
}
