/** Answers what stations would be for the awards of the log that is open. Runs in the worker that has it. */
import {
  AWARD_RULES,
  createAwardCounter,
  needs,
  spotContact,
  type AwardCounter,
  type SpottedStation,
} from "hamkit/awards";
import type { Log, Qso } from "hamkit/logs";

import { countryTable } from "../worker/country-table.js";
import { needWords, type AskedStation, type Needed } from "./need-words.js";

/** What most operators watch; as `hamkit serve`. */
const AWARDS = new Set(["dxcc", "waz", "was", "iota", "pota.hunter", "sota.chaser", "wwff.hunter", "vucc"]);

let counted: { readonly log: Log; readonly counter: AwardCounter } | undefined;

/** @param log Counted once, when it is asked about first. */
export async function needsOfLog(log: Log, stations: readonly AskedStation[]): Promise<Needed[][]> {
  if (counted?.log !== log) counted = { log, counter: await countLog(log) };
  const { counter } = counted;
  return stations.map((station) => needWords(needs(counter, spotContact(station as SpottedStation))));
}

async function countLog(log: Log): Promise<AwardCounter> {
  const counter = createAwardCounter({
    rules: AWARD_RULES.filter(({ id }) => AWARDS.has(id)),
    table: await countryTable(),
  });
  for (const qso of log.qsos) counter.add(recordOf(qso));
  return counter;
}

function recordOf({ fields }: Qso): Record<string, string> {
  const record: Record<string, string> = {};
  for (const { name, value } of fields) record[name.toUpperCase()] = value;
  return record;
}
