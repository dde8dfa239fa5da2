/** Contacts for tests of awards, and what is counted of them. */
import type { AdifRecord } from "../../src/adif.js";
import { createAwardCounter, type AwardCounter, type CountAwardsOptions } from "../../src/awards.js";

/** A contact with Germany, but for these fields. */
export function qso(fields: AdifRecord = {}): AdifRecord {
  return {
    CALL: "DL1ABC",
    QSO_DATE: "20240630",
    BAND: "20m",
    MODE: "CW",
    DXCC: "230",
    CQZ: "14",
    CONT: "EU",
    ...fields,
  };
}

/** A contact with the USA, without a zone. */
export function usa(fields: AdifRecord = {}): AdifRecord {
  const { CQZ: _zone, ...record } = qso({ CALL: "K1ABC", DXCC: "291", CONT: "NA", ...fields });
  return record;
}

/** A counter with these records. */
export function counter(records: readonly AdifRecord[], options: CountAwardsOptions = {}): AwardCounter {
  const awards = createAwardCounter(options);
  for (const record of records) awards.add(record);
  return awards;
}

/** Names and numbers of the contradictions of some records. */
export function rulesOf(
  records: readonly AdifRecord[],
  options: CountAwardsOptions = {},
): Record<string, number> {
  return Object.fromEntries(
    counter(records, options)
      .contradictions()
      .map(({ rule, count }) => [rule, count]),
  );
}

/** The worked units of a count. */
export function unitsOf(
  key: string,
  records: readonly AdifRecord[],
  options: CountAwardsOptions = {},
): readonly unknown[] {
  return counter(records, options).count(key).units;
}
