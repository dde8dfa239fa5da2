/** Counts what this process knows to have changed. */
import type { Topic } from "./database.js";

/** All kinds of what is remembered. */
export const TOPICS: readonly Topic[] = ["facts", "revocations", "limits"];

export interface Revisions {
  revision(topic: Topic): number;
  /** Something of these kinds may have changed; of all kinds when left out. */
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

/** What a transaction changes whose caller says nothing. */
export const ASSUMED_CHANGES: readonly Topic[] = ["facts"];
