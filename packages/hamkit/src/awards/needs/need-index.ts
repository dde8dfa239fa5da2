/**
 * What a contact would be new for: an index of the tallies by unit and count, kept up to date with them.
 *
 * A count of an award unites the contacts of many bands and modes. The index has for each unit how far each count is, so that a
 * question looks up a few bytes; the tallies stay the only place where contacts are counted.
 */
import type { AdifRecord } from "../../adif/parse-adif.js";
import { readContact, BAND_NAMES, type LoggedContact } from "../contacts/contact.js";
import { createProfileRegister, isCounted, facetSlot, type Profile } from "../contacts/profiles.js";
import type { AwardUnit } from "../counts/contact-tally.js";
import type { AwardUnitKind } from "../rules/award-rule.js";
import type { CompiledAward, CompiledFacet } from "../rules/compiled-award.js";
import { entityByCode } from "../units/entities.js";
import type { PlaceReader } from "../units/places.js";

/** What a contact would add to a count. */
export interface Need {
  /** The count, such as `dxcc.band.20m`. */
  readonly key: string;
  /** Id of the award's rule: `dxcc`. */
  readonly award: string;
  /** What the award counts: `entity`, `cqz`, `grid`... */
  readonly kind: AwardUnitKind;
  /** As in `AwardCount`: a code, a zone, a text. A slot has its band or mode behind the unit: `291 20m`. */
  readonly unit: AwardUnit;
  /** `new`: not worked. `unconfirmed`: worked, but not confirmed as the award demands. */
  readonly state: "new" | "unconfirmed";
}

export interface NeedIndex {
  /** Takes note of what was tallied. */
  add(award: number, units: AwardUnit | readonly AwardUnit[], profile: Profile, bits: number): void;
  /** What a contact would be. */
  ask(record: AdifRecord): readonly Need[];
}

interface NeedIndexOptions {
  readonly awards: readonly CompiledAward[];
  readonly places: PlaceReader;
  /** As of the counter's profiles. */
  readonly firstDays: readonly number[];
  /** The counter's. */
  readonly profiles: readonly Profile[];
}

/** One number of an award: that of a facet, or of one slot of it. */
interface Cell {
  readonly key: string;
  readonly facet: CompiledFacet;
  readonly slot: string | undefined;
  /** The cells of the facet. */
  readonly from: number;
  readonly until: number;
}

/** How far the counts are with a unit. */
interface UnitState {
  readonly unit: AwardUnit;
  /** By cell: 0, `IS_WORKED` or `IS_CONFIRMED`. */
  readonly cells: Uint8Array;
  readonly isDeleted: boolean;
  /** Counts up when a cell changes. */
  version: number;
  /** By cell, and whether it is unconfirmed: made when they are needed first. */
  readonly needs: (Need | undefined)[];
  /** By profile: contacts of many calls share them. */
  readonly places: Map<Profile, Place>;
}

/** A unit that a contact has, and the cells that it counts in. */
interface Place {
  readonly part: AwardIndex;
  readonly state: UnitState;
  readonly cells: readonly number[];
  /** What is needed there, as of a version of the state. */
  needs: readonly Need[];
  version: number;
}

/** A contact that was asked for. */
interface KnownContact {
  readonly names: readonly string[];
  readonly values: readonly (string | undefined)[];
  readonly places: readonly Place[];
}

type AwardIndex = ReturnType<typeof createAwardIndex>;

const IS_WORKED = 1;
const IS_CONFIRMED = 2;

/** Contacts whose places are kept, and the length of their fields together. */
const MAX_CONTACTS = 20_000;
const MAX_LENGTH = 1000;
/** Bands, modes and places of one call. */
const MAX_PER_CALL = 100;

const DAY_MS = 24 * 60 * 60 * 1000;

export function createNeedIndex({ awards, places, firstDays, profiles }: NeedIndexOptions): NeedIndex {
  const parts = awards.map((award) => createAwardIndex(award, firstDays));
  let register = createProfileRegister(firstDays);
  let day = 0;
  /** As the number 20240630. */
  let dayNumber = 0;
  let known = createKnownContacts();

  for (const [index, { tally }] of awards.entries())
    for (const [unit, profile, bits] of tally.entries())
      parts[index]?.add(unit, profiles[profile] as Profile, bits);

  function placesOf(record: AdifRecord): readonly Place[] {
    const contact = dated(readContact(record, 0), dayNumber);
    const profile = register.profileOf(contact, places.continentOf(contact));
    if (profile === undefined) return [];
    const found: Place[] = [];
    for (const part of parts) {
      // What an own place is worked from is not a matter of the other station.
      if (part.award.rule.own === true || part.cellsOf(profile).length === 0) continue;
      if (!part.award.accepts(contact)) continue;
      const units = part.award.unitsOf(contact);
      if (units === undefined) continue;
      for (const unit of typeof units === "object" ? new Set(units) : [units])
        found.push(part.placeOf(unit, profile));
    }
    return found;
  }

  function forget(): void {
    known = createKnownContacts();
    register = createProfileRegister(firstDays);
    for (const part of parts) part.forget();
  }

  return {
    add(award, units, profile, bits) {
      if (typeof units === "object") for (const unit of units) parts[award]?.add(unit, profile, bits);
      else parts[award]?.add(units, profile, bits);
    },
    ask(record) {
      const today = Math.floor(Date.now() / DAY_MS);
      if (today !== day) {
        day = today;
        dayNumber = Number(new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll("-", ""));
        forget();
      }
      let found = known.find(record);
      if (found === undefined) {
        if (known.isFull()) forget();
        found = placesOf(record);
        known.add(record, found);
      }
      const needs: Need[] = [];
      for (const place of found) {
        if (place.version !== place.state.version) readNeeds(place);
        if (place.needs.length > 0) needs.push(...place.needs);
      }
      return needs;
    },
  };
}

/** Most questions come between two contacts that change nothing there. */
function readNeeds(place: Place): void {
  const { part, state, cells } = place;
  place.version = state.version;
  const needs: Need[] = [];
  for (const cell of cells) {
    if ((state.cells[cell] as number) >= (part.enough[cell] as number)) continue;
    const need = part.needOf(state, cell);
    if (need !== undefined) needs.push(need);
  }
  place.needs = needs;
}

/** Without a date it is one of today. */
function dated(contact: LoggedContact, day: number): LoggedContact {
  const { QSO_DATE: date } = contact.record;
  return date !== undefined && date !== "" ? contact : { ...contact, day };
}

/** The places of contacts by call: a text of all fields would have to be made for each question. */
function createKnownContacts() {
  const byCall = new Map<string | undefined, KnownContact[]>();
  let count = 0;
  return {
    find(record: AdifRecord): readonly Place[] | undefined {
      const contacts = byCall.get(record["CALL"]);
      if (contacts === undefined) return undefined;
      for (const contact of contacts) if (hasFields(record, contact)) return contact.places;
      return undefined;
    },
    add(record: AdifRecord, places: readonly Place[]): void {
      // Those that are too long to be kept leave units and places behind, too.
      count++;
      const names = Object.keys(record);
      const values = Object.values(record);
      if (names.join("").length + values.join("").length > MAX_LENGTH) return;
      const contacts = byCall.get(record["CALL"]);
      if (contacts === undefined || contacts.length >= MAX_PER_CALL)
        byCall.set(record["CALL"], [{ names, values, places }]);
      else contacts.push({ names, values, places });
    },
    isFull: () => count >= MAX_CONTACTS,
  };
}

/** In the same order. */
function hasFields(record: AdifRecord, { names, values }: KnownContact): boolean {
  let index = 0;
  for (const name in record) {
    if (name !== names[index] || record[name] !== values[index]) return false;
    index++;
  }
  return index === names.length;
}

/** The index of one award. */
function createAwardIndex(award: CompiledAward, firstDays: readonly number[]) {
  const { rule } = award;
  const layout = layoutOf(award);
  /** The state of a cell in which nothing is needed. */
  const enough = Uint8Array.from(layout, ({ facet }) => (facet.confirmMask === 0 ? IS_WORKED : IS_CONFIRMED));
  const hasEntities = rule.unit === "entity" || rule.unit === "wae";
  const states = new Map<AwardUnit, UnitState>();
  const cellsByProfile = new Map<Profile, readonly number[]>();
  const cellsOfDeleted = new Map<Profile, readonly number[]>();

  function cellsOf(profile: Profile): readonly number[] {
    let cells = cellsByProfile.get(profile);
    if (cells !== undefined) return cells;
    const { satellites, excludedBands } = rule;
    cells = layout.flatMap(({ facet, slot }, cell) => {
      if (excludedBands?.includes(profile.band) === true) return [];
      if (!isCounted(profile, facet, { satellites, firstDays, fromDay: facet.fromDay })) return [];
      return slot === undefined || slot === facetSlot(facet, profile) ? [cell] : [];
    });
    cellsByProfile.set(profile, cells);
    cellsOfDeleted.set(
      profile,
      cells.filter((cell) => layout[cell]?.facet.deleted === true),
    );
    return cells;
  }

  function stateOf(unit: AwardUnit): UnitState {
    let state = states.get(unit);
    if (state === undefined) {
      const isDeleted = hasEntities && entityByCode(Number(unit))?.deleted === true;
      states.set(
        unit,
        (state = {
          unit,
          cells: new Uint8Array(layout.length),
          isDeleted,
          version: 0,
          needs: [],
          places: new Map(),
        }),
      );
    }
    return state;
  }

  /** The cells of a unit that contacts of a profile count in. */
  function countedCells({ isDeleted }: UnitState, profile: Profile): readonly number[] {
    const cells = cellsOf(profile);
    return isDeleted ? (cellsOfDeleted.get(profile) ?? []) : cells;
  }

  /** At most so many slots of one unit count. */
  function isFull({ cells }: UnitState, { from, until, facet }: Cell, least: number): boolean {
    const { maxPerUnit = Infinity } = facet;
    let count = 0;
    for (let cell = from; cell < until; cell++) if ((cells[cell] as number) >= least) count++;
    return count >= maxPerUnit;
  }

  return {
    award,
    enough,
    cellsOf,
    add(unit: AwardUnit, profile: Profile, bits: number): void {
      const state = stateOf(unit);
      for (const cell of countedCells(state, profile)) {
        const { confirmMask, grantedMask } = (layout[cell] as Cell).facet;
        const reached = (bits & (confirmMask | grantedMask)) === 0 ? IS_WORKED : IS_CONFIRMED;
        if ((state.cells[cell] as number) >= reached) continue;
        state.cells[cell] = reached;
        state.version++;
      }
    },
    placeOf(unit: AwardUnit, profile: Profile): Place {
      const state = stateOf(unit);
      let place = state.places.get(profile);
      if (place === undefined) {
        place = { part: this, state, cells: countedCells(state, profile), needs: [], version: -1 };
        state.places.set(profile, place);
      }
      return place;
    },
    /** What a contact would be in a cell where something is needed. */
    needOf(state: UnitState, cell: number): Need | undefined {
      const each = layout[cell] as Cell;
      let isNew = state.cells[cell] === 0;
      if (each.facet.maxPerUnit !== undefined) {
        if (isNew && isFull(state, each, IS_WORKED)) isNew = false;
        if (!isNew && ((enough[cell] as number) < IS_CONFIRMED || isFull(state, each, IS_CONFIRMED)))
          return undefined;
      }
      const { unit } = state;
      return (state.needs[cell * 2 + (isNew ? 0 : 1)] ??= Object.freeze({
        key: each.key,
        award: rule.id,
        kind: rule.unit,
        unit: each.slot === undefined ? unit : `${unit} ${each.slot}`,
        state: isNew ? "new" : "unconfirmed",
      }));
    },
    /** Forgets what was only asked for. */
    forget(): void {
      cellsByProfile.clear();
      cellsOfDeleted.clear();
      for (const [unit, { cells, places }] of states) {
        places.clear();
        if (cells.every((cell) => cell === 0)) states.delete(unit);
      }
    },
  };
}

function layoutOf({ facets }: CompiledAward): readonly Cell[] {
  const cells: Cell[] = [];
  for (const [key, facet] of facets) {
    const slots = facet.slots === undefined ? [undefined] : slotsOf(facet);
    const from = cells.length;
    for (const slot of slots) cells.push({ key, facet, slot, from, until: from + slots.length });
  }
  return cells;
}

function slotsOf({ slots, bands = BAND_NAMES, modes = [] }: CompiledFacet): readonly string[] {
  return slots === "band" ? bands : modes;
}
