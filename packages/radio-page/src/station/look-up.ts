/** Looks up a call in the country file. Runs in a worker. */
import { identify } from "hamkit/lookup";

import { countryTable } from "../worker/country-table.js";

/** A call and what the country file has of it. */
export interface FoundStation {
  readonly call: string;
  readonly country: string;
  /** Empty at sea and in the air, where a station has neither zones nor a place. */
  readonly continent: string;
  readonly cqz: number | undefined;
  readonly ituz: number | undefined;
  /** The middle of the country, or of the part of it that the prefix names. */
  readonly latitude: number | undefined;
  readonly longitude: number | undefined;
  /** What decided: `prefix DL`. */
  readonly matched: string;
}

/** @returns The reason for which the call has no country. */
export async function lookUp(call: string, at: Date): Promise<FoundStation | string> {
  const table = await countryTable();
  const answer = identify(call, { table, at });
  if (answer.kind === "unknown") return `No country has the prefix of ${call}.`;
  if (answer.kind === "invalid-operation") return `${call} was an operation that doesn't count for DXCC.`;
  const { country, continent, cqz, ituz, latitude, longitude } = answer.record;
  const matched = `${answer.matchedBy} ${answer.match}`;
  return { call, country, continent, cqz, ituz, latitude, longitude, matched };
}
