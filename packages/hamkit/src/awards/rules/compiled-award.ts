/** A rule, prepared for counting. */
import type { AwardFacet, AwardRule } from "./award-rule.js";
import { confirmationMask, creditMasks } from "../contacts/confirmations.js";
import {
  createContactTally,
  type ContactTally,
  createUnitTally,
  type AwardUnit,
  type UnitTally,
} from "../counts/contact-tally.js";
import { dayNumberOfDate, exclusionMask, upperCase, type LoggedContact } from "../contacts/contact.js";
import type { ContradictionSink } from "../contacts/contradictions.js";
import { CURRENT_ENTITIES } from "../units/entities.js";
import { isCounted, MAX_PROFILES, type Profile } from "../contacts/profiles.js";
import { referenceReader } from "../units/references.js";
import { showValue } from "../../show-value.js";
import { unitReader, type AwardReaders } from "../units/unit-readers.js";
import { WAE_COUNTRIES } from "../units/wae-countries.js";

/** A facet with what is computed from it once. */
export interface CompiledFacet extends AwardFacet {
  /** Number of its first day, `undefined` for none. */
  readonly fromDay: number | undefined;
  readonly confirmMask: number;
  readonly submittedMask: number;
  readonly grantedMask: number;
}

export interface CompiledAward {
  readonly rule: AwardRule;
  /** By key, with the rule's id: `was.band.20m`. */
  readonly facets: ReadonlyMap<string, CompiledFacet>;
  readonly firstDays: readonly number[];
  /** Numbers of the credits that have bits. */
  readonly credits: ReadonlyMap<string, number>;
  /** All units, where they are known. */
  readonly units: readonly AwardUnit[] | undefined;
  readonly tally: UnitTally;
  /** For awards that count contacts. */
  readonly contacts: ContactTally | undefined;
  /** Whether any facet counts contacts of a profile. */
  appliesTo(profile: Profile, firstDays: readonly number[]): boolean;
  /** Whether the rule counts a contact, whatever its unit. */
  accepts(contact: LoggedContact): boolean;
  /** What a contact counts for, by the rule's list, map and dates. */
  unitsOf(contact: LoggedContact): AwardUnit | readonly AwardUnit[] | undefined;
  /** Tallies a contact with its units. `false` if the tally is full. */
  add(
    units: AwardUnit | readonly AwardUnit[],
    contact: LoggedContact,
    profile: number,
    bits: number,
  ): boolean;
}

export function compileAward(rule: AwardRule, readers: AwardReaders): CompiledAward {
  const credits = new Map(
    Array.from(new Set(rule.facets.flatMap((facet) => facet.credits ?? [])), (credit, index) => [
      credit.toUpperCase(),
      index,
    ]),
  );
  const facets = new Map(rule.facets.flatMap((facet) => expanded(rule, facet, credits)));
  const units = unitList(rule);
  const tally = createUnitTally(MAX_PROFILES);
  const contacts = (rule.counting ?? "units") === "units" ? undefined : createContactTally(rule);
  const readOther =
    rule.counting === "activations" && isProgram(rule.unit)
      ? referenceReader(rule.unit, { own: false, sink: readers.sink })
      : undefined;
  const excluded = exclusionMask(rule.excludes);
  const fromDay = rule.from === undefined ? 0 : dayNumberOfDate(rule.from);
  const needsDay = fromDay > 0 || contacts !== undefined;
  const conditions = Object.entries(rule.where ?? {}).filter(([field]) => field !== "DXCC");
  const entityCodes = rule.where?.["DXCC"] && new Set(rule.where["DXCC"].map(Number));
  const read = unitReader(rule, readers);
  const unitDays = new Map(
    Object.entries(rule.fromByUnit ?? {}).map(([unit, date]) => [unit, dayNumberOfDate(date)]),
  );
  const allowed = Array.isArray(rule.units) || isRange(rule.units) ? new Set(units) : undefined;
  const map = new Map(Object.entries(rule.map ?? {}));

  /** The unit that a unit counts as; `undefined` if it does not count. */
  function countedUnit(unit: AwardUnit, contact: LoggedContact): AwardUnit | undefined {
    const counted = map.size === 0 ? unit : (map.get(String(unit)) ?? unit);
    if (allowed !== undefined && !allowed.has(counted)) return undefined;
    if (unitDays.size > 0 && contact.day < (unitDays.get(String(counted)) ?? 0)) return undefined;
    return counted;
  }

  function addUnit(unit: AwardUnit, contact: LoggedContact, profile: number, bits: number): boolean {
    if (contacts === undefined) return tally.add(unit, profile, bits);
    const place = String(unit);
    return contacts.add(place, contact) && tally.add(place, profile, bits);
  }

  /** Adds a contact from a place of the program with another, such as park to park. */
  function addBoth(own: readonly AwardUnit[], contact: LoggedContact): boolean {
    if (contacts === undefined || (readOther?.(contact)?.length ?? 0) === 0) return true;
    return own.length === 0 || contacts.addBoth(own.map(String), contact);
  }

  return {
    rule,
    facets,
    firstDays: Array.from(facets.values()).flatMap((facet) => facet.fromDay ?? []),
    credits,
    units,
    tally,
    contacts,
    appliesTo(profile, firstDays) {
      if (rule.excludedBands?.includes(profile.band)) return false;
      const { satellites } = rule;
      for (const facet of facets.values())
        if (isCounted(profile, facet, { satellites, firstDays, fromDay: facet.fromDay })) return true;
      return false;
    },
    accepts(contact) {
      if ((contact.exclusions & excluded) !== 0) return false;
      if (contact.day < fromDay || (needsDay && contact.day === 0)) {
        if (contact.day === 0) reportDay(contact, readers.sink);
        return false;
      }
      for (const [field, values] of conditions)
        if (!values.includes(upperCase(contact.record[field]))) return false;
      return entityCodes === undefined || entityCodes.has(readers.entities.entityOf(contact)?.code ?? 0);
    },
    unitsOf(contact) {
      const found = read(contact);
      if (found === undefined || typeof found !== "object") return found && countedUnit(found, contact);
      return found.flatMap((unit) => countedUnit(unit, contact) ?? []);
    },
    add(found, contact, profile, bits) {
      if (typeof found !== "object") return addUnit(found, contact, profile, bits);
      let fits = true;
      for (const unit of found) fits = addUnit(unit, contact, profile, bits) && fits;
      return addBoth(found, contact) && fits;
    },
  };
}

function reportDay(contact: LoggedContact, sink: ContradictionSink): void {
  const { QSO_DATE: date } = contact.record;
  const found = date === undefined ? "missing" : `${showValue(date)} is no date as 20240630`;
  sink.report("date-missing", contact, "QSO_DATE", () => `QSO_DATE: ${found}`);
}

function expanded(
  rule: AwardRule,
  facet: AwardFacet,
  credits: ReadonlyMap<string, number>,
): [string, CompiledFacet][] {
  const { submitted, granted } = creditMasks(
    credits,
    (facet.credits ?? []).map((credit) => credit.toUpperCase()),
  );
  const compiled = {
    ...facet,
    fromDay: facet.from === undefined ? undefined : dayNumberOfDate(facet.from),
    confirmMask: confirmationMask(facet.confirm ?? rule.confirm),
    submittedMask: submitted,
    grantedMask: granted,
  };
  const key = (...parts: string[]) => [rule.id, facet.key, ...parts].filter((part) => part !== "").join(".");
  if (facet.eachBand === undefined) return [[key(), compiled]];
  return facet.eachBand.map((band) => [key(band), { ...compiled, bands: [band] }]);
}

function unitList({ units, unit }: AwardRule): readonly AwardUnit[] | undefined {
  if (units === undefined) return undefined;
  if (units === "current-entities") return CURRENT_ENTITIES;
  if (units === "wae-countries") return WAE_COUNTRIES;
  if (isRange(units)) {
    const { from, to, also = [] } = units;
    return [...Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index), ...also];
  }
  return unit === "entity" || unit === "cqz" || unit === "ituz" ? units.map(Number) : units;
}

function isRange(units: AwardRule["units"]): units is Extract<AwardRule["units"], { from: number }> {
  return typeof units === "object" && "from" in units;
}

function isProgram(unit: AwardRule["unit"]): unit is "pota" | "sota" | "wwff" {
  return unit === "pota" || unit === "sota" || unit === "wwff";
}
