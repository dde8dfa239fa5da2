/**
 * Many questions to the log service's API at once.
 *
 * Its batch endpoint tells entity and zone alone. The rest comes from the embedded country file; for entities that it
 * doesn't have, deleted ones, from a single question each.
 */
import { AnswerError } from "../errors.js";
import { serviceCallsign } from "../lookup/service-callsign.js";
import { identifyAt } from "../lookup/identify.js";
import type { Moment, Query, TableSource } from "../lookup/source.js";
import type { CallsignRecord } from "../lookup/record.js";
import { loadEmbeddedCountryFile } from "../country-file/country-file.js";
import { mobileRecordOf, readBatch, type BatchEntry, type BatchLine, type Told } from "./log-api-answer.js";
import type { LogApiClient } from "./log-api-client.js";
import { batchLine, batchQuery, isAskable, nameOf } from "./log-api-question.js";

export interface BatchDeps {
  readonly client: LogApiClient;
  readonly address: URL;
  /** The most questions in one request; 1000 when left out. */
  readonly batchSize?: number | undefined;
  /** A single question. */
  readonly tell: (call: string, at: Moment) => Promise<Told<CallsignRecord>>;
}

/** The service names no limit. A request of so many questions has 80 KB. */
const BATCH_SIZE = 1000;

/** An answer has less than 100 bytes for each question, and takes a while to be thought out. */
const LIMITS = { maxBytes: 4 * 1024 * 1024, timeoutMs: 30_000 };

/** A question that the service is asked. */
interface Question extends Query {
  readonly line: BatchLine;
  /** What makes it the same question as another one. */
  readonly key: string;
}

/** The part of a record that the batch endpoint leaves out. */
type Details = Pick<CallsignRecord, "country" | "continent" | "latitude" | "longitude" | "cqz">;

/** Asks for many callsigns, each once for the same second. The answers are in the order of the queries. */
export function createBatchLookup(
  deps: BatchDeps,
): (queries: readonly Query[]) => Promise<Told<CallsignRecord>[]> {
  const { client, address, batchSize = BATCH_SIZE } = deps;
  const complete = createCompletion(deps);

  async function askSlice(questions: readonly Question[]): Promise<Told<BatchEntry>[]> {
    const lines = questions.map(({ line }) => line);
    const form = new URLSearchParams({ json: JSON.stringify(lines) });
    const answer = await client.ask({ address, query: batchQuery, form, ...LIMITS });
    return readBatch(answer, lines, nameOf(address));
  }

  return async (queries) => {
    const asked = queries.map(questionOf);
    const questions = new Map(asked.flatMap((question) => (question ? [[question.key, question]] : [])));
    const told = new Map<string, Told<CallsignRecord>>();
    // One after the other: each keeps the service busy for a while.
    for (const slice of slicesOf([...questions.values()], batchSize)) {
      const entries = await askSlice(slice);
      for (const [index, question] of slice.entries()) {
        const entry = entries[index] ?? "unknown";
        told.set(question.key, typeof entry === "string" ? entry : await complete(entry, question));
      }
    }
    return asked.map((question) => (question && told.get(question.key)) ?? "unknown");
  };
}

/** `undefined` for what the service need not be asked. */
function questionOf({ callsign: text, at }: Query): Question | undefined {
  const callsign = serviceCallsign(text);
  if (callsign === undefined || !isAskable(at)) return undefined;
  const line = batchLine(callsign, at);
  return { callsign, at, line, key: `${line.C} ${line.T}` };
}

function* slicesOf<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** Makes records of what the batch endpoint tells. */
function createCompletion({
  tell,
  address,
}: BatchDeps): (entry: BatchEntry, query: Query) => Promise<CallsignRecord> {
  /** By code. What is told of an entity doesn't change. */
  const deletedEntities = new Map<number, Details>();
  let countryFile: Promise<TableSource> | undefined;

  async function deletedEntity(adif: number, { callsign, at }: Query): Promise<Details> {
    const known = deletedEntities.get(adif);
    if (known) return known;
    const told = await tell(callsign, at);
    if (typeof told === "string" || told.adif !== adif) {
      const found = typeof told === "string" ? told : `entity ${told.adif}`;
      throw new AnswerError(nameOf(address), `${callsign} is entity ${adif} here and ${found} elsewhere`);
    }
    deletedEntities.set(adif, told);
    return told;
  }

  return async ({ adif, cqz, blocked }, query) => {
    const mobile = mobileRecordOf(adif);
    if (mobile) return mobile;
    const table = await (countryFile ??= loadEmbeddedCountryFile());
    const details = detailsOf(adif, query, table) ?? (await deletedEntity(adif, query));
    const { country, continent, latitude, longitude } = details;
    const record = { country, adif, continent, latitude, longitude, cqz: cqz ?? details.cqz };
    return Object.freeze(blocked ? { ...record, blocked } : record);
  };
}

/** The entity's name; zone, continent and position of the call's own area, where the table puts it in the same entity. */
function detailsOf(adif: number, { callsign, at }: Query, table: TableSource): Details | undefined {
  const entity = table.entity(adif);
  const own = identifyAt(callsign, table, at);
  if (own.kind !== "identified" || own.record.adif !== adif) return entity;
  return entity && { ...own.record, country: entity.country };
}
