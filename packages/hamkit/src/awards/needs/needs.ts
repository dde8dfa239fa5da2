/** What a contact, a spot, a decode or a call that is looked up would be for the awards of a log. */
import type { AdifRecord } from "../../adif/parse-adif.js";
import { findBand } from "../../bands/freq-to-band.js";
import { ArgumentTypeError } from "../../errors.js";
import { findReferences } from "../../references/comment-references.js";
import type { AwardCounter } from "../award-counter.js";
import { upperCase } from "../contacts/contact.js";
import type { Need } from "./need-index.js";

/**
 * What a contact would be for the awards of a log: for each count, a unit that is new, or not confirmed yet.
 *
 * It is what a count of the log with the contact, or with its confirmation, would add. Without a band and a mode, as of a call that is
 * looked up, the counts of all bands and modes answer. Awards for activating are left out.
 *
 * @param log A counter of the log; contacts that are added later count at once.
 * @param contact Fields of ADIF, as of a record; today when it has no date. `spotContact` makes them of a spot.
 * @returns In the order of the rules; empty if nothing is needed. The same contact again takes about a microsecond.
 * @throws {ArgumentTypeError} The contact is no object.
 * @example
 * const log = createAwardCounter();
 * log.add({ CALL: "W1AW", QSO_DATE: "20240630", BAND: "20m", MODE: "CW", DXCC: "291", CONT: "NA", LOTW_QSL_RCVD: "Y" });
 * const asked = needs(log, { CALL: "K1ABC", BAND: "40m", MODE: "CW", DXCC: "291" });
 * asked.filter(({ award }) => award === "dxcc").map(({ key, state }) => `${key} ${state}`); // => ["dxcc.band.40m new", "dxcc.challenge new", "dxcc.fiveBand new"]
 */
export function needs(log: AwardCounter, contact: AdifRecord): readonly Need[] {
  if (typeof contact !== "object" || contact === null)
    throw new ArgumentTypeError({
      argument: "contact",
      value: contact,
      expected: "an object of field values",
    });
  return log.needs(contact);
}

/** What is known of a spotted station: a spot of `hamkit/feeds` or `hamkit/spots`. */
export interface SpottedStation {
  readonly dx: string;
  readonly time?: Date;
  readonly band?: string;
  readonly mode?: string;
  /** In kHz; tells the band where it is not given. */
  readonly frequencyKHz?: number;
  readonly frequency?: number;
  readonly dxGrid?: string;
  readonly dxLocator?: string;
  readonly dxState?: string;
  /** As ADIF's `PROP_MODE`. */
  readonly propagation?: string;
  /** Program and reference, as `POTA US-1234`; if absent, those in the comment count. */
  readonly references?: readonly string[];
  readonly comment?: string;
}

const REFERENCE_FIELDS: Readonly<Record<string, string>> = {
  POTA: "POTA_REF",
  SOTA: "SOTA_REF",
  WWFF: "WWFF_REF",
  IOTA: "IOTA",
};

/**
 * The contact that a spot would make, as fields of ADIF for `needs`.
 *
 * @example
 * spotContact({ dx: "W1AW", frequencyKHz: 14025, mode: "CW", references: ["POTA US-1234"] }); // => { CALL: "W1AW", BAND: "20m", MODE: "CW", POTA_REF: "US-1234" }
 */
export function spotContact(spot: SpottedStation): AdifRecord {
  const khz = spot.frequencyKHz ?? spot.frequency;
  const found = khz === undefined ? undefined : findBand(khz);
  const band = spot.band ?? found?.adif;
  const mode = spot.mode ?? found?.mode ?? undefined;
  const locator = spot.dxGrid ?? spot.dxLocator;
  const record: Record<string, string> = { CALL: spot.dx };
  if (band !== undefined) record["BAND"] = band;
  if (mode !== undefined) record["MODE"] = mode;
  if (locator !== undefined) record["GRIDSQUARE"] = locator;
  if (spot.dxState !== undefined) record["STATE"] = spot.dxState;
  if (spot.propagation !== undefined) record["PROP_MODE"] = spot.propagation;
  for (const text of spot.references ?? findReferences(spot.comment ?? "")) {
    const [program = "", reference = ""] = text.split(" ", 2);
    const field = REFERENCE_FIELDS[upperCase(program)];
    if (field !== undefined)
      record[field] = record[field] === undefined ? reference : `${record[field]},${reference}`;
  }
  if (spot.time !== undefined) record["QSO_DATE"] = spot.time.toISOString().slice(0, 10).replaceAll("-", "");
  return record;
}

/** Counts of all bands and modes, behind the id of the rule. */
const GENERAL: ReadonlySet<string> = /* @__PURE__ */ new Set(["", "mixed", "mixed.current"]);

/**
 * Needs in few words: `DXCC`, `DXCC 20m`, `WAZ CW`, in parentheses where only a confirmation is missing.
 *
 * A unit that is new in all is told once, not again for its bands and modes.
 *
 * @param names Names of awards by id; the id in upper case where there is none.
 * @example
 * const band = { key: "dxcc.band.40m", award: "dxcc", kind: "entity", unit: 291, state: "new" } as const;
 * const all = { key: "was.mixed", award: "was", kind: "state", unit: "CT", state: "unconfirmed" } as const;
 * needsText([band, all]); // => "DXCC 40m, (WAS)"
 */
export function needsText(list: readonly Need[], names: Readonly<Record<string, string>> = {}): string {
  const awards = new Map<string, Need[]>();
  for (const need of list) {
    const group = awards.get(need.award);
    if (group === undefined) awards.set(need.award, [need]);
    else group.push(need);
  }
  return Array.from(awards, ([award, group]) => {
    const name = names[award] ?? award.replace(/\..*/, "").toUpperCase();
    return awardText(name, group);
  }).join(", ");
}

function awardText(name: string, group: readonly Need[]): string {
  const general = group.find(({ key, award }) => GENERAL.has(key.slice(award.length + 1)));
  if (general?.state === "new") return name;
  const details = (state: Need["state"]) =>
    Array.from(new Set(group.flatMap((need) => (need.state === state ? detailOf(need) : []))));
  const fresh = details("new");
  if (fresh.length > 0) return `${name} ${fresh.join(" ")}`;
  if (general !== undefined) return `(${name})`;
  const old = details("unconfirmed");
  return `(${[name, ...old].join(" ")})`;
}

/** The band or mode of a count: `20m` of `dxcc.band.20m`, `cw` of `dxcc.cw.current`. */
function detailOf({ key, award, unit }: Need): string {
  const [first = "", second] = key.slice(award.length + 1).split(".");
  const slot =
    typeof unit === "string" && /^\S+ \S+$/.test(unit) ? unit.slice(unit.indexOf(" ") + 1) : undefined;
  return slot ?? (first === "band" || first === "continent" ? (second ?? first) : first);
}
