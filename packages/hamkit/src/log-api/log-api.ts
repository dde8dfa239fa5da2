/** The log service's API (Club Log) as a source: single and batch lookups. */
import { checkTimeout } from "../io/timers.js";
import { serviceCallsign } from "../lookup/service-callsign.js";
import type { Identification, Moment, ServiceSource, Query, TableSource } from "../lookup/source.js";
import type { CallsignRecord, LandRecord } from "../lookup/record.js";
import {
  readApiRecord,
  type LookupResult,
  mobileRecordOf,
  readBatch,
  type BatchEntry,
  type BatchLine,
} from "./log-api-response.js";
import {
  createLogApiClient,
  LOG_API,
  type LogApiClientOptions,
  logApiUrl,
  isSupported,
  nameOf,
  singleParameters,
  type LogApiClient,
  batchLine,
  batchParameters,
} from "./log-api-client.js";
import { AnswerError } from "../errors.js";
import { identifyAt } from "../lookup/identify.js";
import { loadEmbeddedCountryFile } from "../country-file/country-file.js";

const SINGLE_URL = "https://cdn.clublog.org/dxcc";
const BULK_URL = "https://clublog.org/bulkdxcc";

/** A response has some 150 bytes. */
const LIMITS = { maxBytes: 64 * 1024, timeoutMs: 10_000 };

export interface LogApiOptions extends LogApiClientOptions {
  /** The address of single lookups; the service's own when left out. */
  readonly url?: string | undefined;
  /** The address of batch lookups; `bulkdxcc` next to `url`, or the service's own, when left out. */
  readonly bulkUrl?: string | undefined;
  /** Maximum number of callsigns in a request. */
  readonly batchSize?: number | undefined;
}

/** The service identifies callsigns. It has no lookups of prefixes or entities. */
export type LogApi = ServiceSource & Required<Pick<ServiceSource, "exact" | "identifyMany">>;

/**
 * The log service as a source. It sends no request before the first lookup.
 *
 * Its results are exact to the minute, or with `identifyMany` to the second. Before 1945 every callsign is unknown.
 *
 * @throws {ValueError} An address or the timeout is invalid.
 */
export function createLogApi(options: LogApiOptions): LogApi {
  const { url, bulkUrl, batchSize, timeoutMs } = options;
  checkTimeout(timeoutMs);
  const single = logApiUrl("url", url ?? SINGLE_URL);
  const bulk = logApiUrl(
    "bulkUrl",
    bulkUrl ?? (url === undefined ? BULK_URL : new URL("bulkdxcc", url).href),
  );
  const client = createLogApiClient(options);

  async function lookUp(callsign: string, at: Moment): Promise<LookupResult<CallsignRecord>> {
    const call = serviceCallsign(callsign);
    if (call === undefined || !isSupported(at)) return "unknown";
    const response = await client.ask({ address: single, query: singleParameters(call, at), ...LIMITS });
    return readApiRecord(response, nameOf(single));
  }

  const lookUpMany = createBatchLookup({ client, address: bulk, batchSize, lookUp });
  return {
    kind: "service",
    name: LOG_API,
    identify: async (callsign, at) => identificationOf(callsign, await lookUp(callsign, at)),
    async exact(call, at) {
      const result = await lookUp(call, at);
      return typeof result === "string" ? undefined : result;
    },
    async identifyMany(queries) {
      const results = await lookUpMany(queries);
      return results.map((result, index) => identificationOf(queries[index]?.callsign ?? "", result));
    },
  };
}

function identificationOf(callsign: string, result: LookupResult<CallsignRecord>): Identification {
  if (typeof result === "string") return { kind: result };
  return {
    kind: "identified",
    record: result,
    matchedBy: "service",
    match: serviceCallsign(callsign) ?? callsign,
    source: LOG_API,
    // The service reports an entity with a whitelist that the call is not on as blocked.
    ...(result.blocked && { needsEntry: true as const }),
  };
}

// Batch lookups by the log service's API.
//
// Its batch endpoint returns entity and zone only. The other fields come from the embedded country file; for deleted entities,
// which that file lacks, from a single lookup each.

interface BatchDeps {
  readonly client: LogApiClient;
  readonly address: URL;
  /** Maximum number of callsigns in a request; 1000 when left out. */
  readonly batchSize?: number | undefined;
  /** A single lookup. */
  readonly lookUp: (call: string, at: Moment) => Promise<LookupResult<CallsignRecord>>;
}

/** The service documents no limit. A request of this size has 80 KB. */
const BATCH_SIZE = 1000;

/** A response has less than 100 bytes for each callsign, and is slow. */
const BATCH_LIMITS = { maxBytes: 4 * 1024 * 1024, timeoutMs: 30_000 };

/** A query that is sent to the service. */
interface BatchQuery extends Query {
  readonly line: BatchLine;
  /** Equal for queries with the same line. */
  readonly key: string;
}

/** The fields of a record that the batch endpoint does not return. */
type Details = Pick<LandRecord, "country" | "continent" | "latitude" | "longitude" | "cqz">;

/** Looks up many callsigns, equal ones of the same second once. The results are in the order of the queries. */
function createBatchLookup(
  deps: BatchDeps,
): (queries: readonly Query[]) => Promise<LookupResult<CallsignRecord>[]> {
  const { client, address, batchSize = BATCH_SIZE } = deps;
  const complete = createCompletion(deps);

  async function askSlice(slice: readonly BatchQuery[]): Promise<LookupResult<BatchEntry>[]> {
    const lines = slice.map(({ line }) => line);
    const form = new URLSearchParams({ json: JSON.stringify(lines) });
    const response = await client.ask({ address, query: batchParameters, form, ...BATCH_LIMITS });
    return readBatch(response, lines, nameOf(address));
  }

  return async (queries) => {
    const valid = queries.map(batchQueryOf);
    const distinct = new Map(valid.flatMap((query) => (query ? [[query.key, query]] : [])));
    const results = new Map<string, LookupResult<CallsignRecord>>();
    // One request after the other, because each keeps the service busy for a while.
    for (const slice of slicesOf([...distinct.values()], batchSize)) {
      const entries = await askSlice(slice);
      for (const [index, query] of slice.entries()) {
        const entry = entries[index] ?? "unknown";
        results.set(query.key, typeof entry === "string" ? entry : await complete(entry, query));
      }
    }
    return valid.map((query) => (query && results.get(query.key)) ?? "unknown");
  };
}

/** `undefined` for a query that the service can't answer. */
function batchQueryOf({ callsign: text, at }: Query): BatchQuery | undefined {
  const callsign = serviceCallsign(text);
  if (callsign === undefined || !isSupported(at)) return undefined;
  const line = batchLine(callsign, at);
  return { callsign, at, line, key: `${line.C} ${line.T}` };
}

function* slicesOf<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** Makes records of the entries of the batch endpoint. */
function createCompletion({
  lookUp,
  address,
}: BatchDeps): (entry: BatchEntry, query: Query) => Promise<CallsignRecord> {
  /** By code. The details of a deleted entity don't change. */
  const deletedEntities = new Map<number, Details>();
  let countryFile: Promise<TableSource> | undefined;

  async function deletedEntity(adif: number, { callsign, at }: Query): Promise<Details> {
    const known = deletedEntities.get(adif);
    if (known) return known;
    const result = await lookUp(callsign, at);
    if (typeof result === "string" || result.continent === "" || result.adif !== adif) {
      const found = typeof result === "string" ? result : `entity ${result.adif}`;
      const reason = `${callsign} is entity ${adif} in the batch response and ${found} in a single lookup`;
      throw new AnswerError(nameOf(address), reason);
    }
    deletedEntities.set(adif, result);
    return result;
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

/** Name of the entity; zone, continent and position of the call's own area, if the table has it in the same entity. */
function detailsOf(adif: number, { callsign, at }: Query, table: TableSource): Details | undefined {
  const entity = table.entity(adif);
  const own = identifyAt(callsign, table, at);
  if (own.kind !== "identified" || own.record.adif !== adif || own.record.continent === "") return entity;
  return entity && { ...own.record, country: entity.country };
}
