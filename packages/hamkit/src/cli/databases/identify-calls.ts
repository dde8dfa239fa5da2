/** Identifies callsigns for reports and JSON documents. */
import { homeCall } from "../../callsign/home-call.js";
import { normalizeCallsign } from "../../callsign/normalize.js";
import { CallsignError } from "../../errors.js";
import { positionToLocator } from "../../geo/locator.js";
import type { Identification, IdentifiedCallsign } from "../../lookup/source.js";
import type { QueryResult } from "../exit-code.js";
import type { AnyRecord, CallsignDatabase } from "./callsign-database.js";

/** An identified callsign. */
export interface KnownCall extends RecordFields {
  /** The callsign as given. */
  readonly input: string;
  /** The callsign in upper case, without surrounding blanks. */
  readonly call: string;
  readonly homeCall: string | null;
  /** The square (4 characters) of the position. */
  readonly locator: string | null;
  readonly matchedBy: IdentifiedCallsign["matchedBy"];
  readonly match: string;
  /** The entity has a whitelist without this call: the operation does not count for DXCC. */
  readonly needsEntry: boolean;
  /** The entry is that of the call without its suffix, under a prefix that entities share: the place is assumed. */
  readonly assumed: boolean;
  /** The name of the source. */
  readonly source: string;
}

export interface IdentifyCallOptions {
  readonly database: CallsignDatabase;
  readonly at: Date;
}

/** Identifies callsigns at a moment, in their order; many callsigns need few requests to a service. */
export async function identifyCalls(
  inputs: readonly string[],
  { database, at }: IdentifyCallOptions,
): Promise<QueryResult<KnownCall>[]> {
  const [only, ...others] = inputs;
  // A single lookup of a service returns more fields than a batch.
  if (only !== undefined && others.length === 0) return [knownCall(only, await database.identify(only, at))];
  const queries = inputs.map((callsign) => ({ callsign, at: at.getTime() }));
  const answers = await database.identifyMany(queries);
  return inputs.map((input, index) => knownCall(input, answers[index] ?? { kind: "unknown" }));
}

function knownCall(input: string, answer: Identification<AnyRecord>): QueryResult<KnownCall> {
  const quoted = JSON.stringify(input);
  if (answer.kind === "unknown") {
    return { input, error: { code: "lookup/no-match", message: `callsign ${quoted} is not known` } };
  }
  if (answer.kind === "invalid-operation") {
    const message = `callsign ${quoted} was an operation that does not count for DXCC`;
    return { input, error: { code: "lookup/invalid-operation", message } };
  }
  const { record, matchedBy, match, source, needsEntry, assumed } = answer;
  const fields = fieldsOf(record);
  const { latitude, longitude } = fields;
  return {
    input,
    call: normalizeCallsign(input) ?? input,
    homeCall: findHomeCall(input),
    ...fields,
    locator: latitude === null || longitude === null ? null : positionToLocator({ latitude, longitude }, 4),
    matchedBy,
    match,
    needsEntry: needsEntry ?? false,
    assumed: assumed ?? false,
    source,
  };
}

/** The home call; `null` for the few calls without the form of a callsign. */
function findHomeCall(text: string): string | null {
  try {
    return homeCall(text);
  } catch (failure) {
    if (failure instanceof CallsignError) return null;
    throw failure;
  }
}

interface RecordFields {
  readonly country: string | null;
  readonly adif: number | null;
  /** "" at sea and in the air; `null` if the database doesn't have it. */
  readonly continent: string | null;
  /** 0 at sea and in the air. */
  readonly cqz: number | null;
  readonly ituz: number | null;
  /** `null` also at sea and in the air. */
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly beacon: boolean;
  /** Additional fields of callbooks: name, address, and so on; `null` without any. */
  readonly details: Readonly<Record<string, unknown>> | null;
}

const COMMON: ReadonlySet<string> = new Set([
  "adif",
  "beacon",
  "callsign",
  "continent",
  "country",
  "cqz",
  "ituz",
  "latitude",
  "longitude",
]);

/** The fields of a record. Malformed numbers in callbook records are text, and become `null`. */
export function fieldsOf(record: object): RecordFields {
  const values = new Map<string, unknown>(Object.entries(record));
  const number = (key: string): number | null => {
    const value = values.get(key);
    return typeof value === "number" ? value : null;
  };
  const text = (key: string): string | null => {
    const value = values.get(key);
    return typeof value === "string" ? value : null;
  };
  const continent = text("continent");
  const details = Object.entries(record).filter(([key]) => !COMMON.has(key));
  return {
    // In a callbook record `country` is that of the address, `land` that of the station.
    country: text("land") ?? text("country"),
    adif: number("adif"),
    continent,
    cqz: number("cqz"),
    ituz: number("ituz"),
    latitude: number("latitude"),
    longitude: number("longitude"),
    beacon: values.get("beacon") === true,
    details: details.length === 0 ? null : Object.fromEntries(details),
  };
}
