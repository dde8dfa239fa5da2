/** Counts the changes that this process knows of, by topic. */
import type { Topic } from "./database.js";

export const TOPICS: readonly Topic[] = ["facts", "revocations", "limits"];

export interface Revisions {
  revision(topic: Topic): number;
  /** Something of these kinds may have changed; of all kinds, if left out. */
  advance(topics?: readonly Topic[]): void;
}

export function createRevisions(): Revisions {
  const counts: Record<Topic, number> = { facts: 0, revocations: 0, limits: 0 };
  return {
    revision: (topic) => counts[topic],
    advance(topics = TOPICS) {
      for (const topic of topics) counts[topic]++;
    },
  };
}

/** The changes of a transaction whose caller names none. */
export const ASSUMED_CHANGES: readonly Topic[] = ["facts"];
