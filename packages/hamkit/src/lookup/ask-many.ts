/** Many questions to one source, in whichever way it answers them fastest. */
import { identifyAt } from "./identify.js";
import type { Identification, LookupSource, Query, ServiceSource } from "./ports.js";
import type { CallsignRecord } from "./record.js";

/** Questions under way at once to a service that takes them one by one. */
const IN_FLIGHT = 64;

/** The answers in the order of the questions: of a table at once, of a service together where it offers that. */
export function askMany<Found extends object>(
  source: LookupSource<Found, object>,
  queries: readonly Query[],
): Promise<Identification<Found | CallsignRecord>[]> | Identification<Found | CallsignRecord>[] {
  if (source.kind === "table") return queries.map(({ callsign, at }) => identifyAt(callsign, source, at));
  return source.identifyMany ? source.identifyMany(queries) : askEach(source, queries);
}

/** The first failure is the answer, and nothing more is asked then. */
async function askEach<Found extends object>(
  source: ServiceSource<Found, object>,
  queries: readonly Query[],
): Promise<Identification<Found>[]> {
  const answers: Identification<Found>[] = [];
  const open = entriesOf(queries);
  const work = async (): Promise<void> => {
    for (const [index, { callsign, at }] of open) answers[index] = await source.identify(callsign, at);
  };
  await Promise.all(Array.from({ length: Math.min(IN_FLIGHT, queries.length) }, work));
  return answers;
}

/** Each entry once, whoever asks for it. A generator, because leaving the loop over one ends it for all. */
function* entriesOf<Item>(items: readonly Item[]): Generator<[number, Item]> {
  yield* items.entries();
}
