/** The claimed score of an EDI file, and the points of a QSO. */
import { EARTH_RADIUS_KM, distanceKm } from "../../geo/great-circle.js";
import { locatorToPosition } from "../../geo/locator.js";
import { parseRecord, type EdiRecord } from "./edi-record.js";
import { ediValue } from "./edi-reader.js";

/** Whether a text is a locator of 4 or 6 characters, the longest that EDI has. */
export function isContestLocator(text: string): boolean {
  return /^[A-R]{2}\d{2}(?:[A-X]{2})?$/i.test(text);
}

/** Kilometers per degree, by the rules of IARU Region 1. */
const KM_PER_DEGREE = 111.2;

/**
 * Points of a QSO by the rules of IARU Region 1: one per kilometer begun between the centers of both locators, so one for
 * the same locator.
 *
 * @returns "0" if a locator is missing or malformed.
 * @see https://vushf.dk/contest/basic-contest-rules: the formula with an example, JO55WW to JO65FR: 43.17 km.
 */
export function pointsOf(own: string, other: string): string {
  if (!isContestLocator(own) || !isContestLocator(other)) return "0";
  const [from, to] = [
    locatorToPosition(own, "PWWLo", "center"),
    locatorToPosition(other, "GRIDSQUARE", "center"),
  ];
  const degrees = (distanceKm(from, to) / EARTH_RADIUS_KM / Math.PI) * 180;
  return String(Math.floor(degrees * KM_PER_DEGREE) + 1);
}

/** The claim lines of the header, from the records and the bonuses in the lines of before. */
export function claimLines(records: readonly string[], header: readonly string[]): Record<string, string> {
  const counted = records.flatMap((text) => parseRecord(text) ?? []).filter(isCounted);
  const points = counted.reduce((sum, record) => sum + (Number(record.points) || 0), 0);
  const best = counted.reduce<EdiRecord | undefined>(
    (far, record) => (Number(record.points) > Number(far?.points ?? 0) ? record : far),
    undefined,
  );
  const lines: Record<string, string> = {
    CQSOs: `${counted.length};${parameters(header, "CQSOs", ["1"]).join(";")}`,
    CQSOP: String(points),
  };
  let total = points;
  for (const [count, bonus, mark] of MULTIPLIED) {
    const number = counted.filter((record) => record[mark]).length;
    const [each = "0", multiplier = "1"] = parameters(header, count, ["0", "1"]);
    lines[count] = `${number};${each};${multiplier}`;
    lines[bonus] = String(number * (Number(each) || 0));
    total += number * (Number(each) || 0);
  }
  return {
    ...lines,
    CToSc: String(total),
    CODXC: best === undefined ? "" : `${best.call};${best.locator};${best.points}`,
  };
}

/** Lines of a count with bonus and multiplier, lines of the bonus points, and marks of the records. */
const MULTIPLIED = [
  ["CWWLs", "CWWLB", "isNewLocator"],
  ["CExcs", "CExcB", "isNewExchange"],
  ["CDXCs", "CDXCB", "isNewEntity"],
] as const;

function isCounted({ call, isDuplicate }: EdiRecord): boolean {
  return !isDuplicate && call.toUpperCase() !== "ERROR";
}

/** The values after the first semicolon of a line. */
function parameters(
  header: readonly string[],
  name: string,
  otherwise: readonly string[],
): readonly string[] {
  const given = ediValue(header, name).split(";").slice(1);
  return otherwise.map((value, index) => given[index]?.trim() || value);
}
