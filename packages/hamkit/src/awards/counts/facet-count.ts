/** The counts of an award's facets. */
import type { ConfirmationSource } from "../rules/award-rule.js";
import { CONFIRMATION_BITS, CONFIRMATION_SOURCES } from "../contacts/confirmations.js";
import type { CompiledAward, CompiledFacet } from "../rules/compiled-award.js";
import type { PlaceDay, AwardUnit } from "./contact-tally.js";
import { entityByCode } from "../units/entities.js";
import { hasMode, isCounted, facetSlot, type Profile } from "../contacts/profiles.js";

/** How much of an award was worked and confirmed. */
export interface AwardCount {
  readonly worked: number;
  /** By the ways that the award accepts, or by credits that the sponsor granted. */
  readonly confirmed: number;
  /** Worked units in ascending order: codes, zones, or texts. A slot has its band or mode behind the unit: `291 20m`. */
  readonly units: readonly AwardUnit[];
  readonly confirmedUnits: readonly AwardUnit[];
  /** Units by the way they were confirmed, also by ways that the award does not accept. */
  readonly bySource: Readonly<Partial<Record<ConfirmationSource, number>>>;
  /** The ways that the award accepts. */
  readonly accepted: readonly ConfirmationSource[];
  /** Units with credits that were submitted, or granted. */
  readonly submitted: number;
  readonly granted: number;
  /** The highest level that the confirmed units reach, and the next one; absent where there is none. */
  readonly level?: number;
  readonly nextLevel?: number;
  /** Of hunters: places, contacts with them without duplicates, and the places in order. */
  readonly parks?: number;
  readonly references?: number;
  readonly qsos?: number;
  readonly list?: readonly string[];
  /** Of chasers: summits, and contacts that score. */
  readonly summits?: number;
  readonly scoringQsos?: number;
  /** Of activators of parks: contacts without duplicates by `DE-0001 20250501` (reference, UTC day). */
  readonly qsosByParkDay?: Readonly<Record<string, number>>;
  /** The park days with enough contacts. */
  readonly validActivations?: readonly string[];
  /** Contacts with stations in parks. */
  readonly parkToPark?: number;
  /** Of activators of summits: different stations by `G/LD-001 20250501`. */
  readonly stationsBySummitDay?: Readonly<Record<string, number>>;
  /** The summit days with enough stations, the first of each calendar year. */
  readonly scoring?: readonly string[];
  /** Contacts with stations on summits. */
  readonly summitToSummit?: number;
  /** Of activators of reserves: contacts by reference. */
  readonly qsosByReference?: Readonly<Record<string, number>>;
}

/** What is missing from a count. */
export interface NeededUnits {
  /** Units that were not worked; absent where not all units are known. */
  readonly unworked?: readonly AwardUnit[];
  /** Units that were worked, but not confirmed as the award demands. */
  readonly unconfirmed: readonly AwardUnit[];
}

/** Narrows a count. */
export interface CountFilter {
  /** ADIF's name of the band. */
  readonly band?: string;
  /** `phone`, `cw`, `data`, `image`, `digital`, or modes of ADIF. */
  readonly modes?: readonly string[];
}

export interface CountContext {
  readonly profiles: readonly Profile[];
  readonly firstDays: readonly number[];
}

export function countFacet(
  award: CompiledAward,
  key: string,
  context: CountContext,
  filter: CountFilter = {},
): AwardCount {
  const facet = award.facets.get(key);
  if (facet === undefined) throw new Error(`no facet ${key}`); // callers have looked it up
  const bits = unitBits(award, facet, context, filter);
  const isConfirmed = (each: number) => (each & (facet.confirmMask | facet.grantedMask)) !== 0;
  const units = limited(Array.from(bits.keys()), facet).sort(compareUnits);
  const confirmedUnits = limited(
    Array.from(bits).flatMap(([unit, each]) => (isConfirmed(each) ? [unit] : [])),
    facet,
  ).sort(compareUnits);
  const having = (mask: number) =>
    units.reduce<number>((sum, unit) => sum + (((bits.get(unit) ?? 0) & mask) === 0 ? 0 : 1), 0);
  const bySource: Partial<Record<ConfirmationSource, number>> = {};
  for (const source of CONFIRMATION_SOURCES) {
    const number = having(CONFIRMATION_BITS[source]);
    if (number > 0) bySource[source] = number;
  }
  const contacts = contactCounts(award);
  // What no confirmation in a log counts for is counted by the contacts themselves.
  const valid = contacts.validActivations?.length;
  return {
    worked: units.length,
    confirmed: confirmedUnits.length,
    units,
    confirmedUnits,
    bySource,
    accepted: facet.confirm ?? award.rule.confirm,
    submitted: having(facet.submittedMask),
    granted: having(facet.grantedMask),
    ...levelsOf(facet, facet.confirmMask === 0 ? (valid ?? units.length) : confirmedUnits.length),
    ...contacts,
  };
}

export function neededUnits(
  award: CompiledAward,
  key: string,
  context: CountContext,
  filter: CountFilter = {},
): NeededUnits {
  const { units, confirmedUnits } = countFacet(award, key, context, filter);
  const confirmed = new Set(confirmedUnits);
  const unconfirmed = units.filter((unit) => !confirmed.has(unit));
  const all = slotsOf(award.units, award.facets.get(key));
  if (all === undefined) return { unconfirmed };
  const worked = new Set(units);
  return { unworked: all.filter((unit) => !worked.has(unit)), unconfirmed };
}

/** All units, or slots of units; `undefined` where not all are known. */
function slotsOf(
  units: readonly AwardUnit[] | undefined,
  facet: CompiledFacet | undefined,
): readonly AwardUnit[] | undefined {
  if (facet?.slots === undefined) return units;
  const names = facet.slots === "band" ? facet.bands : facet.modes;
  return names && units?.flatMap((unit) => names.map((name) => `${unit} ${name}`));
}

/** The bits of each unit, or slot, of the contacts that count for a facet. */
function unitBits(
  { rule, tally }: CompiledAward,
  facet: CompiledFacet,
  { profiles, firstDays }: CountContext,
  { band, modes }: CountFilter,
): Map<AwardUnit, number> {
  const { fromDay, slots, deleted = false } = facet;
  const counted = profiles.map((profile) => {
    if (rule.excludedBands?.includes(profile.band) || (band !== undefined && band !== profile.band))
      return false;
    if (modes !== undefined && !hasMode(modes, profile.mode)) return false;
    return isCounted(profile, facet, { satellites: rule.satellites, firstDays, fromDay });
  });
  const slotNames = profiles.map((profile) => facetSlot(facet, profile));
  const hasEntities = rule.unit === "entity" || rule.unit === "wae";
  const found = new Map<AwardUnit, number>();
  for (const [unit, profile, bits] of tally.entries()) {
    if (counted[profile] !== true) continue;
    if (hasEntities && !deleted && entityByCode(Number(unit))?.deleted === true) continue;
    const key = slots === undefined ? unit : `${unit} ${slotNames[profile]}`;
    found.set(key, (found.get(key) ?? 0) | bits);
  }
  return found;
}

/** At most so many slots of one unit. */
function limited(slots: AwardUnit[], { maxPerUnit }: CompiledFacet): AwardUnit[] {
  if (maxPerUnit === undefined) return slots;
  const numbers = new Map<string, number>();
  return slots.filter((slot) => {
    const [unit = ""] = String(slot).split(" ", 1);
    const number = (numbers.get(unit) ?? 0) + 1;
    numbers.set(unit, number);
    return number <= maxPerUnit;
  });
}

function levelsOf({ levels = [] }: CompiledFacet, confirmed: number): { level?: number; nextLevel?: number } {
  const level = levels.findLast((each) => each <= confirmed);
  const nextLevel = levels.find((each) => each > confirmed);
  return { ...(level !== undefined && { level }), ...(nextLevel !== undefined && { nextLevel }) };
}

function contactCounts({ rule, contacts }: CompiledAward): Partial<AwardCount> {
  if (contacts === undefined) return {};
  const days = contacts.days();
  if (rule.counting === "contacts") {
    const list = Array.from(new Set(days.map(({ place }) => place)));
    const qsos = days.reduce((sum, day) => sum + day.contacts, 0);
    if (rule.unit === "sota") return { summits: list.length, scoringQsos: qsos, list };
    return { [rule.unit === "pota" ? "parks" : "references"]: list.length, qsos, list };
  }
  const { min = 1 } = rule;
  if (rule.minOver === "EVER") {
    const byReference = new Map<string, number>();
    for (const { place, contacts: number } of days)
      byReference.set(place, (byReference.get(place) ?? 0) + number);
    const valid = Array.from(byReference).flatMap(([place, number]) => (number >= min ? [place] : []));
    return { qsosByReference: Object.fromEntries(byReference), validActivations: valid };
  }
  const byDay = Object.fromEntries(days.map((day) => [keyOf(day), day.contacts]));
  const valid = days.filter((day) => day.contacts >= min);
  const scoring = rule.scoresOncePer === "YEAR" ? firstOfYear(valid) : valid;
  if (rule.unit === "sota")
    return { stationsBySummitDay: byDay, scoring: scoring.map(keyOf), summitToSummit: contacts.both() };
  return { qsosByParkDay: byDay, validActivations: scoring.map(keyOf), parkToPark: contacts.both() };
}

function keyOf({ place, day }: PlaceDay): string {
  return `${place} ${day}`;
}

function firstOfYear(days: readonly PlaceDay[]): readonly PlaceDay[] {
  const seen = new Set<string>();
  return days.filter(({ place, day }) => {
    const key = `${place} ${day.slice(0, 4)}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Numbers ascending, before texts by their characters. */
function compareUnits(a: AwardUnit, b: AwardUnit): number {
  if (a === b) return 0;
  return typeof a === typeof b ? (a < b ? -1 : 1) : typeof a === "number" ? -1 : 1;
}
