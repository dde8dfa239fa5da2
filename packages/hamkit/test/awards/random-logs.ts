/** Random logs, and what a contact would add to their counts by counting all of it again. */
import fc from "fast-check";

import type { AdifRecord } from "../../src/adif.js";
import {
  AWARD_RULES,
  countAwards,
  createAwardCounter,
  needs,
  type AwardCounts,
  type AwardRule,
} from "../../src/awards.js";

const some = (...values: string[]) => fc.constantFrom(...values);
const maybe = (...values: string[]) => fc.option(some(...values), { nil: undefined, freq: 2 });

const PLACES: readonly AdifRecord[] = [
  { CALL: "DL1ABC", DXCC: "230", CQZ: "14", CONT: "EU" },
  { CALL: "W1AW", DXCC: "291", STATE: "CT", CONT: "NA", CNTY: "CT,Hartford" },
  { CALL: "K3ABC/4", DXCC: "291", STATE: "DC", CONT: "NA" },
  { CALL: "KL7AA", DXCC: "6", CONT: "NA" },
  { CALL: "JA1ABC", DXCC: "339", CQZ: "25", CONT: "AS", IOTA: "AS-007" },
  { CALL: "G3ABC", DXCC: "223", CONT: "EU", IOTA: "EU-005", WWFF_REF: "GFF-0001" },
  // a deleted entity, a region of WAE, a ship, no entity, no call
  { CALL: "Y21AA", DXCC: "229", CONT: "EU" },
  { CALL: "IT9ABC", DXCC: "248", CONT: "EU", REGION: "SY" },
  { CALL: "DL1ABC/MM", DXCC: "230" },
  { CALL: "X1X" },
  { DXCC: "150", CQZ: "30", CONT: "OC" },
];

const CONTACT = fc
  .tuple(
    fc.constantFrom(...PLACES),
    fc.record({
      QSO_DATE: some("19440101", "19750101", "19891231", "20240629", "20240630", "bad"),
      BAND: maybe("160m", "80m", "40m", "20m", "10m", "60m", "6m", "2m", "70cm", "23cm"),
      MODE: maybe("CW", "SSB", "FT8", "RTTY", "SSTV", "AM", "???"),
      GRIDSQUARE: maybe("JO62QM", "FN31", "EM12", "RR73"),
      VUCC_GRIDS: maybe("FN31,FN32", ""),
      PROP_MODE: maybe("SAT", "EME", "RPT"),
      BAND_RX: maybe("2m", "10m"),
      TX_PWR: maybe("5", "100"),
      POTA_REF: maybe("US-0001", "US-0001,US-0002@US-CT", "K-0001"),
      SOTA_REF: maybe("G/LD-001"),
      CREDIT_GRANTED: maybe("DXCC", "DXCC_BAND,WAS"),
    }),
  )
  .map(([place, fields]): AdifRecord => Object.assign({}, place, withValues(fields)));

function withValues(fields: Readonly<Record<string, string | undefined>>): AdifRecord {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}

const CONFIRMATIONS = fc.subarray([
  "QSL_RCVD",
  "LOTW_QSL_RCVD",
  "EQSL_QSL_RCVD",
  "EQSL_AG",
  "CLUBLOG_QSO_DOWNLOAD_STATUS",
  "QRZCOM_QSO_DOWNLOAD_STATUS",
  "DCL_QSL_RCVD",
]);

const LOG = fc.array(
  fc
    .tuple(CONTACT, CONFIRMATIONS)
    .map(([contact, names]): AdifRecord =>
      Object.assign({}, contact, Object.fromEntries(names.map((name) => [name, "Y"]))),
    ),
  { maxLength: 12 },
);

const CONFIRMED = {
  QSL_RCVD: "Y",
  LOTW_QSL_RCVD: "Y",
  EQSL_QSL_RCVD: "Y",
  EQSL_AG: "Y",
  CLUBLOG_QSO_DOWNLOAD_STATUS: "Y",
  QRZCOM_QSO_DOWNLOAD_STATUS: "Y",
  DCL_QSL_RCVD: "Y",
};

/** Those that count what the other station is. */
const RULES = AWARD_RULES.filter(({ own }) => own !== true);

/** The counts that a contact would raise: `new` if it was worked, `unconfirmed` if only its confirmation would. */
function recounted(
  log: readonly AdifRecord[],
  contact: AdifRecord,
  rules: readonly AwardRule[],
): Record<string, string> {
  const { CREDIT_GRANTED: _credits, ...plain } = contact;
  const before = countAwards(log, { rules });
  const worked = countAwards([...log, plain], { rules });
  const confirmed = countAwards([...log, { ...plain, ...CONFIRMED }], { rules });
  const raises = (after: AwardCounts, key: string, number: "worked" | "confirmed") =>
    (after[key]?.[number] ?? 0) > (before[key]?.[number] ?? 0);
  const found: Record<string, string> = {};
  for (const key of Object.keys(before)) {
    if (raises(worked, key, "worked")) found[key] = "new";
    else if (raises(confirmed, key, "confirmed")) found[key] = "unconfirmed";
  }
  return found;
}

/**
 * Compares the answers of a log that grows with counting all of it again.
 *
 * @param ids Of the rules; all when left out.
 */
export function compareWithRecounts(numRuns: number, ids?: readonly string[]): void {
  const rules = RULES.filter(({ id }) => ids?.includes(id) ?? true);
  fc.assert(
    fc.property(LOG, fc.array(CONTACT, { minLength: 1, maxLength: 2 }), (records, contacts) => {
      const log = createAwardCounter({ rules });
      // Answers before all contacts are in: what is added later has to change them.
      for (const record of records) {
        for (const contact of contacts) needs(log, contact);
        log.add(record);
      }
      for (const contact of contacts) {
        const answer: Record<string, string> = {};
        for (const { key, state } of needs(log, contact)) if (answer[key] !== "new") answer[key] = state;
        const expected = recounted(records, contact, rules);
        if (JSON.stringify(sorted(answer)) !== JSON.stringify(sorted(expected)))
          throw new Error(`${JSON.stringify(contact)}: ${difference(answer, expected)}`);
      }
    }),
    { numRuns },
  );
}

function sorted(object: Record<string, string>): readonly (readonly [string, string])[] {
  return Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function difference(answer: Record<string, string>, expected: Record<string, string>): string {
  const keys = Array.from(new Set([...Object.keys(answer), ...Object.keys(expected)]));
  return keys
    .filter((key) => answer[key] !== expected[key])
    .map((key) => `${key}: ${answer[key]}, recounted ${expected[key]}`)
    .join("; ");
}
