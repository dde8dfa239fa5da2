/** All that callsigns tell, as programs get it. */
import { homeCall } from "../../callsign/home-call.js";
import { normalizeCallsign } from "../../callsign/normalize.js";
import { CallsignError } from "../../errors.js";
import { positionToLocator } from "../../geo/locator.js";
import type { Identification, IdentifiedCallsign } from "../../lookup/source.js";
import type { Answer } from "../answer.js";
import type { AnyRecord, CallsignDatabase } from "./callsign-database.js";
import { fieldsOf, type RecordFields } from "../reports/record-fields.js";

/** A callsign that is known. */
export interface KnownCall extends RecordFields {
  /** The callsign as it was given. */
  readonly input: string;
  /** The same in upper case, without blanks around it. */
  readonly call: string;
  readonly homeCall: string | null;
  /** The square (4 characters) of that position. */
  readonly locator: string | null;
  readonly matchedBy: IdentifiedCallsign["matchedBy"];
  readonly match: string;
  /** Only operations with an entry of their own counted from there, and this one has none. */
  readonly needsEntry: boolean;
  /** The database that answered. */
  readonly source: string;
}

export interface IdentifyCallOptions {
  readonly database: CallsignDatabase;
  readonly at: Date;
}

/** What a database knows of callsigns at a moment, in their order; of a service many are asked in few requests. */
export async function identifyCalls(
  inputs: readonly string[],
  { database, at }: IdentifyCallOptions,
): Promise<Answer<KnownCall>[]> {
  const [only, ...others] = inputs;
  // A service tells more of one callsign than of each of many.
  if (only !== undefined && others.length === 0) return [knownCall(only, await database.identify(only, at))];
  const queries = inputs.map((callsign) => ({ callsign, at: at.getTime() }));
  const answers = await database.identifyMany(queries);
  return inputs.map((input, index) => knownCall(input, answers[index] ?? { kind: "unknown" }));
}

function knownCall(input: string, answer: Identification<AnyRecord>): Answer<KnownCall> {
  const quoted = JSON.stringify(input);
  if (answer.kind === "unknown") {
    return { input, error: { code: "lookup/no-match", message: `callsign ${quoted} is not known` } };
  }
  if (answer.kind === "invalid-operation") {
    const message = `callsign ${quoted} was an operation that does not count for DXCC`;
    return { input, error: { code: "lookup/invalid-operation", message } };
  }
  const { record, matchedBy, match, source, needsEntry } = answer;
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
    source,
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
