/** Answers about limits that are given again as they are, until a limit, or something that limits rest on, changes. */
import type { Database } from "../platform/database/database.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";

/** Answers that are remembered at most, and how many bytes one may have. */
const MAX_ANSWERS = 512;
const MAX_BYTES = 128 * 1024;

/** A number that grows with each change of limits, and of services, regions, projects and domains, which end limits. */
export function limitRevision(database: Pick<Database, "revision">): () => number {
  return () => database.revision("limits") + database.revision("facts");
}

/** Answers as they are sent. One that `make` does not give, as it is too long to be held, is `undefined`. */
export interface LimitAnswers {
  /** @param key What was asked, and whoever is told something else than others. */
  get<Answer extends object | undefined>(
    key: string,
    make: () => Promise<Answer>,
  ): Promise<undefined extends Answer ? Buffer | undefined : Buffer>;
}

export function createLimitAnswers(database: Pick<Database, "revision">): LimitAnswers {
  const cache = createRevisionCache<Buffer | undefined>({
    revision: limitRevision(database),
    maxEntries: MAX_ANSWERS,
    keeps: (answer) => answer !== undefined && answer.length <= MAX_BYTES,
  });
  return {
    get: async (key, make) =>
      (await cache.get(key, async () => {
        const answer = await make();
        return answer && Buffer.from(JSON.stringify(answer));
      })) as never,
  };
}

/** Sends an answer that is text already. The schema of the route says what it is. */
export function sendAnswer(reply: { type(name: string): unknown }, answer: Buffer): never {
  reply.type("application/json; charset=utf-8");
  return answer as never;
}
