/** All that one callsign tells, as programs get it. */
import type { Answer } from "./answer.js";
import type { CallsignDatabase } from "./lookup-options.js";

/** A callsign that is known. Stations at sea and in the air have no position. */
export interface KnownCall {
  /** The callsign as it was given. */
  readonly input: string;
  readonly call: string;
  readonly homeCall: string | null;
  readonly country: string;
  readonly adif: number;
  readonly continent: string;
  readonly cqz: number;
  readonly ituz: number | null;
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
  const [{ normalizeCallsign }, { positionToLocator }] = await libraryModules();
  const answer = await database.identify(input, at);
  if (answer.kind === "unknown") {
    const message = `callsign ${JSON.stringify(input)} is not known`;
    return { input, error: { code: "lookup/no-match", message } };
  }
  if (answer.kind === "invalid-operation") {
    const message = `callsign ${JSON.stringify(input)} was an operation that doesn't count for DXCC`;
    return { input, error: { code: "lookup/invalid-operation", message } };
  }
  const { record, matchedBy, match } = answer;
  const { country, adif, continent, cqz, ituz = null, beacon = false } = record;
  const isSomewhere = continent !== "";
  return {
    input,
    call: normalizeCallsign(input) ?? input,
    homeCall: await homeCallOf(input),
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
