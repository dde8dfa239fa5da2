/** The HTTP API of the log service (Club Log): asked for one callsign, or for many at once. */
import { checkTimeout } from "../io/timeout.js";
import { serviceCallsign } from "../lookup/service-callsign.js";
import type { Identification, Moment, ServiceSource } from "../lookup/source.js";
import type { CallsignRecord } from "../lookup/record.js";
import { readRecord, type Told } from "./log-api-answer.js";
import { createBatchLookup } from "./log-api-batch.js";
import { createLogApiClient, LOG_API, type LogApiClientOptions } from "./log-api-client.js";
import { addressOf, isAskable, nameOf, singleQuery } from "./log-api-question.js";

const SINGLE_URL = "https://cdn.clublog.org/dxcc";
const BULK_URL = "https://clublog.org/bulkdxcc";

/** An answer has some 150 bytes. */
const LIMITS = { maxBytes: 64 * 1024, timeoutMs: 10_000 };

export interface LogApiOptions extends LogApiClientOptions {
  /** The address for single questions; the service's own when left out. */
  readonly url?: string | undefined;
  /** The address for many at once; `bulkdxcc` beside `url`, or the service's own, when left out. */
  readonly bulkUrl?: string | undefined;
  /** The most callsigns in one request. */
  readonly batchSize?: number | undefined;
}

/** The service's answers to whole callsigns. It has no prefixes or entities to ask for. */
export type LogApi = ServiceSource & Required<Pick<ServiceSource, "exact" | "identifyMany">>;

/**
 * The log service as a source. Nothing is asked before the first question.
 *
 * Its answers hold to the minute, or with `identifyMany` to the second. It knows no time before 1945: nothing is known then.
 *
 * @throws {ValueError} One of the addresses, or the time, can't be used.
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

  async function tell(callsign: string, at: Moment): Promise<Told<CallsignRecord>> {
    const call = serviceCallsign(callsign);
    if (call === undefined || !isAskable(at)) return "unknown";
    const answer = await client.ask({ address: single, query: singleQuery(call, at), ...LIMITS });
    return readRecord(answer, nameOf(single));
  }

  const tellMany = createBatchLookup({ client, address: bulk, batchSize, tell });
  return {
    kind: "service",
    name: LOG_API,
    identify: async (callsign, at) => identificationOf(callsign, await tell(callsign, at)),
    async exact(call, at) {
      const told = await tell(call, at);
      return typeof told === "string" ? undefined : told;
    },
    async identifyMany(queries) {
      const told = await tellMany(queries);
      return told.map((one, index) => identificationOf(queries[index]?.callsign ?? "", one));
    },
  };
}

function identificationOf(callsign: string, told: Told<CallsignRecord>): Identification {
  if (typeof told === "string") return { kind: told };
  return {
    kind: "identified",
    record: told,
    matchedBy: "service",
    match: serviceCallsign(callsign) ?? callsign,
    source: LOG_API,
    // Blocked is what the service's own data calls an entity with a whitelist that the call is not on.
    ...(told.blocked && { needsEntry: true as const }),
  };
}
