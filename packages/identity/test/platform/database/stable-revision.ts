/** Waits until a database has received all notifications of changes. */
import type { Database, Topic } from "../../../src/platform/database/database.js";

export function revisions(database: Database): Record<Topic, number> {
  return {
    facts: database.revision("facts"),
    revocations: database.revision("revocations"),
    limits: database.revision("limits"),
  };
}

/** Returns when the revision has been the same for 300 ms: no notification is in flight. */
export async function waitForStableRevision(database: Database): Promise<void> {
  for (let since = performance.now(), last = revisions(database); performance.now() - since < 300;) {
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
    const next = revisions(database);
    if (next.facts !== last.facts || next.revocations !== last.revocations) since = performance.now();
    last = next;
  }
}
