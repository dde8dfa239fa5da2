/** Searches the primary among several hosts. */
import { setTimeout as delay } from "node:timers/promises";

import { messageOf } from "../../../errors.js";
import { DatabaseUnavailable } from "../../database-errors.js";
import { closeConnection, openSession, type ConnectOptions, type RequiredState } from "./postgres-connect.js";
import { SEARCH_GRACE_MS } from "../postgres-limits.js";

export interface HostSearch extends Omit<ConnectOptions, "config"> {
  readonly required: RequiredState;
  /** The position of the host in use, preferred among equals. */
  readonly current: number;
}

interface Candidate {
  readonly index: number;
  readonly timeline: number;
}

/**
 * Asks all hosts at once.
 *
 * After a failover without fencing, two hosts may accept writes: the one with the higher timeline was promoted later, and is found,
 * if it responds no later than {@link SEARCH_GRACE_MS} after the other.
 *
 * @returns The position of the host in the required state.
 * @throws {DatabaseUnavailable} No host is; the cause lists the reasons.
 */
export async function searchHosts(urls: readonly string[], options: HostSearch): Promise<number> {
  const candidates: Candidate[] = [];
  const asked = urls.map(async (url, index) => {
    candidates.push({ index, timeline: await timelineOf(url, options) });
  });
  try {
    await Promise.any(asked);
  } catch (error) {
    const reasons = (error as AggregateError).errors.map(reasonOf).join("; ");
    throw new DatabaseUnavailable({ cause: new Error(`no host is ${options.required}: ${reasons}`) });
  }
  await Promise.race([Promise.allSettled(asked), delay(SEARCH_GRACE_MS, undefined, { ref: false })]);
  return best(candidates, options.current);
}

/** The message of a {@link DatabaseUnavailable} is for clients. */
function reasonOf(error: unknown): string {
  return messageOf(error instanceof DatabaseUnavailable ? error.cause : error);
}

function best(candidates: readonly Candidate[], current: number): number {
  const latest = Math.max(...candidates.map(({ timeline }) => timeline));
  const suitable = candidates.filter(({ timeline }) => timeline === latest).map(({ index }) => index);
  return suitable.includes(current) ? current : Math.min(...suitable);
}

async function timelineOf(
  url: string,
  { tls, timeoutMs, required }: Omit<HostSearch, "current">,
): Promise<number> {
  const { client, facts } = await openSession(url, {
    tls,
    config: { application_name: "hamkit-identity-search" },
    timeoutMs,
    required,
  });
  void closeConnection(client);
  return facts.timeline ?? 0;
}
