/** What confirms a contact, as bits. */
import type { AdifRecord } from "../../adif/parse-adif.js";
import type { ConfirmationSource } from "../rules/award-rule.js";

/** The bit of a contact itself; in `CONFIRMATION_BITS` those of its confirmations. */
export const WORKED = 1;

export const CONFIRMATION_BITS: Readonly<Record<ConfirmationSource, number>> = {
  card: 1 << 1,
  lotw: 1 << 2,
  eqsl: 1 << 3,
  eqslAg: 1 << 4,
  clublog: 1 << 5,
  qrz: 1 << 6,
  dcl: 1 << 7,
};

/** The names of the sources, in the order of their bits. */
export const CONFIRMATION_SOURCES = /* @__PURE__ */ Object.keys(
  CONFIRMATION_BITS,
) as readonly ConfirmationSource[];

/** Credits of a rule that have bits of their own. */
export const MAX_CREDITS = 8;
const SUBMITTED = 8;
const GRANTED = 16;

/** The bits of these sources. */
export function confirmationMask(sources: readonly ConfirmationSource[]): number {
  return sources.reduce((mask, source) => mask | CONFIRMATION_BITS[source], 0);
}

/** How a record is confirmed. `V` is the older value for a confirmation that the sponsor has checked. */
export function confirmationsOf(record: AdifRecord): number {
  let bits = WORKED;
  // A card that came electronically is none.
  if (isReceived(record["QSL_RCVD"]) && !isElectronic(record["QSL_RCVD_VIA"])) bits |= CONFIRMATION_BITS.card;
  if (isReceived(record["LOTW_QSL_RCVD"])) bits |= CONFIRMATION_BITS.lotw;
  if (isReceived(record["EQSL_QSL_RCVD"])) {
    bits |= CONFIRMATION_BITS.eqsl;
    if (isReceived(record["EQSL_AG"])) bits |= CONFIRMATION_BITS.eqslAg;
  }
  if (isReceived(record["CLUBLOG_QSO_DOWNLOAD_STATUS"])) bits |= CONFIRMATION_BITS.clublog;
  if (isReceived(record["QRZCOM_QSO_DOWNLOAD_STATUS"])) bits |= CONFIRMATION_BITS.qrz;
  if (isReceived(record["DCL_QSL_RCVD"])) bits |= CONFIRMATION_BITS.dcl;
  return bits;
}

function isReceived(value: string | undefined): boolean {
  return value === "Y" || value === "V" || value === "y" || value === "v";
}

function isElectronic(via: string | undefined): boolean {
  return via === "E" || via === "e";
}

/** The credits of a record, in upper case and without the ways of confirmation behind a colon; `undefined` for none. */
export function creditsIn(value: string | undefined): readonly string[] | undefined {
  if (value === undefined || value === "") return undefined;
  return value
    .slice(0, MAX_LENGTH)
    .split(",")
    .map((credit) => (credit.split(":", 1)[0] ?? "").trim().toUpperCase());
}

/** All credits of ADIF have fewer characters together. */
const MAX_LENGTH = 2000;

/** The bits of credits by the numbers that a rule gives them. */
export function creditBits(
  numbers: ReadonlyMap<string, number>,
  submitted: readonly string[] | undefined,
  granted: readonly string[] | undefined,
): number {
  return bitsOf(numbers, submitted, SUBMITTED) | bitsOf(numbers, granted, GRANTED);
}

function bitsOf(
  numbers: ReadonlyMap<string, number>,
  credits: readonly string[] | undefined,
  shift: number,
): number {
  let bits = 0;
  for (const credit of credits ?? []) {
    const number = numbers.get(credit);
    if (number !== undefined) bits |= 1 << (shift + number);
  }
  return bits;
}

/** The bits by which a facet sees that its credits are submitted, or granted. */
export function creditMasks(
  numbers: ReadonlyMap<string, number>,
  credits: readonly string[],
): { submitted: number; granted: number } {
  return { submitted: bitsOf(numbers, credits, SUBMITTED), granted: bitsOf(numbers, credits, GRANTED) };
}
