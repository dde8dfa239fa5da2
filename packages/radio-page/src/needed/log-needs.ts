/** Answers what stations would be for the awards of the logs that are open. Runs in the worker that has it. */
import {
  AWARD_RULES,
  createAwardCounter,
  needs,
  spotContact,
  type AwardCounter,
  type SpottedStation,
} from "hamkit/awards";
import type { Qso } from "hamkit/logs";

import { countryTable } from "../worker/country-table.js";
import { needWords, type AskedStation, type Needed } from "./need-words.js";

/** What most operators watch; as `hamkit serve`. */
const AWARDS = new Set(["dxcc", "waz", "was", "iota", "pota.hunter", "sota.chaser", "wwff.hunter", "vucc"]);

let counted: { readonly qsos: readonly Qso[]; readonly counter: AwardCounter } | undefined;

/** @param qsos Counted once, when they are asked about first; other QSOs are another list. */
export async function needsOfLog(
  qsos: readonly Qso[],
  stations: readonly AskedStation[],
): Promise<Needed[][]> {
  if (counted?.qsos !== qsos) counted = { qsos, counter: await countQsos(qsos) };
  const { counter } = counted;
  return stations.map((station) => needWords(needs(counter, spotContact(station as SpottedStation))));
}

async function countQsos(qsos: readonly Qso[]): Promise<AwardCounter> {
  const counter = createAwardCounter({
    rules: AWARD_RULES.filter(({ id }) => AWARDS.has(id)),
    table: await countryTable(),
  });
  for (const qso of qsos) counter.add(recordOf(qso));
  return counter;
}

function recordOf({ fields }: Qso): Record<string, string> {
  const record: Record<string, string> = {};
  for (const { name, value } of fields) record[name.toUpperCase()] = value;
  return record;
}
