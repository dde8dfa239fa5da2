/** All that one callsign tells, as programs get it. */
import { homeCall } from "../callsign/home-call.js";
import { normalizeCallsign } from "../callsign/normalize.js";
import { CallsignError } from "../errors.js";
import { positionToLocator } from "../geo/locator.js";
import type { Answer } from "./answer.js";
import type { CallsignDatabase } from "./callsign-database.js";

/** A callsign that is known. */
export interface KnownCall {
  /** The callsign as it was given. */
  readonly input: string;
  /** The same in upper case, without blanks around it. */
  readonly call: string;
  readonly homeCall: string | null;
  readonly country: string;
  readonly adif: number;
  /** "" at sea and in the air. */
  readonly continent: string;
  /** 0 at sea and in the air. */
  readonly cqz: number;
  readonly ituz: number | null;
  /** `null` at sea and in the air: nobody knows where. */
  readonly latitude: number | null;
  readonly longitude: number | null;
  /** The square (4 characters) of that position. */
  readonly locator: string | null;
  readonly matchedBy: "callsign" | "prefix" | "suffix";
  readonly match: string;
  readonly beacon: boolean;
}

export interface IdentifyCallOptions {
  readonly database: CallsignDatabase;
  readonly at: Date;
}

/** What a database knows of a callsign at a moment. */
export async function identifyCall(
  input: string,
  { database, at }: IdentifyCallOptions,
): Promise<Answer<KnownCall>> {
  const answer = await database.identify(input, at);
  const quoted = JSON.stringify(input);
  if (answer.kind === "unknown") {
    return { input, error: { code: "lookup/no-match", message: `callsign ${quoted} is not known` } };
  }
  if (answer.kind === "invalid-operation") {
    const message = `callsign ${quoted} was an operation that does not count for DXCC`;
    return { input, error: { code: "lookup/invalid-operation", message } };
  }
  const { record, matchedBy, match } = answer;
  const { country, adif, continent, cqz, ituz = null, beacon = false } = record;
  const isSomewhere = continent !== "";
  return {
    input,
    call: normalizeCallsign(input) ?? input,
    homeCall: findHomeCall(input),
    country,
    adif,
    continent,
    cqz,
    ituz,
    latitude: isSomewhere ? record.latitude : null,
    longitude: isSomewhere ? record.longitude : null,
    locator: isSomewhere ? positionToLocator(record, 4) : null,
    matchedBy,
    match,
    beacon,
  };
}

/** The home call; `null` for the few calls in the data that have not the form of one. */
function findHomeCall(text: string): string | null {
  try {
    return homeCall(text);
  } catch (failure) {
    if (failure instanceof CallsignError) return null;
    throw failure;
  }
}
