/** The log service's API (Club Log) as a source: single and batch lookups. */
import { checkTimeout } from "../io/timeout.js";
import { serviceCallsign } from "../lookup/service-callsign.js";
import type { Identification, Moment, ServiceSource } from "../lookup/source.js";
import type { CallsignRecord } from "../lookup/record.js";
import { readRecord, type LookupResult } from "./log-api-response.js";
import { createBatchLookup } from "./log-api-batch.js";
import { createLogApiClient, LOG_API, type LogApiClientOptions } from "./log-api-client.js";
import { addressOf, isSupported, nameOf, singleParameters } from "./log-api-request.js";

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
  const single = addressOf("url", url ?? SINGLE_URL);
  const bulk = addressOf(
    "bulkUrl",
    bulkUrl ?? (url === undefined ? BULK_URL : new URL("bulkdxcc", url).href),
  );
  const client = createLogApiClient(options);

  async function lookUp(callsign: string, at: Moment): Promise<LookupResult<CallsignRecord>> {
    const call = serviceCallsign(callsign);
    if (call === undefined || !isSupported(at)) return "unknown";
    const response = await client.ask({ address: single, query: singleParameters(call, at), ...LIMITS });
    return readRecord(response, nameOf(single));
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
