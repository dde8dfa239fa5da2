/** Many queries to one source, in the fastest way that it offers. */
import { identifyAt } from "./identify.js";
import type { Identification, LookupSource, Query, ServiceSource } from "./source.js";
import type { CallsignRecord } from "./record.js";

/** Concurrent requests to a service without batch requests. */
const MAX_IN_FLIGHT = 64;

/** The identifications in the order of the queries: of a table synchronously, of a service in batches where it has them. */
export function askMany<Found extends object>(
  source: LookupSource<Found, object>,
  queries: readonly Query[],
): Promise<Identification<Found | CallsignRecord>[]> | Identification<Found | CallsignRecord>[] {
  if (source.kind === "table") return queries.map(({ callsign, at }) => identifyAt(callsign, source, at));
  return source.identifyMany ? source.identifyMany(queries) : askEach(source, queries);
}

/** The first failure rejects and ends all further requests. */
async function askEach<Found extends object>(
  source: ServiceSource<Found, object>,
  queries: readonly Query[],
): Promise<Identification<Found>[]> {
  const answers: Identification<Found>[] = [];
  const pending = entriesOf(queries);
  const work = async (): Promise<void> => {
    for (const [index, { callsign, at }] of pending) answers[index] = await source.identify(callsign, at);
  };
  await Promise.all(Array.from({ length: Math.min(MAX_IN_FLIGHT, queries.length) }, work));
  return answers;
}

/** A generator that the workers share: leaving the loop in one of them, after a failure, ends it for all. */
function* entriesOf<Item>(items: readonly Item[]): Generator<[number, Item]> {
  yield* items.entries();
}
