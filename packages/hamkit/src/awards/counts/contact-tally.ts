/** Contacts with places, and activations of the own: without duplicates, and by UTC day; how units were worked, by profile. */
import { normalizeCallsign, withoutSsid } from "../../callsign/normalize.js";
import { parseCallsign } from "../../callsign/parse-callsign.js";
import type { LoggedContact } from "../contacts/contact.js";
import type { AwardRule } from "../rules/award-rule.js";

/** Contacts with a place on one day. */
export interface PlaceDay {
  readonly place: string;
  /** As in QSO_DATE. */
  readonly day: string;
  readonly contacts: number;
}

export interface ContactTally {
  /** Counts a contact once by the rule's `dupe`. `false` if the tally is full. */
  add(place: string, contact: LoggedContact): boolean;
  /** Counts a contact from these places with a place, once by `dupe` and the set of places. `false` if the tally is full. */
  addBoth(places: readonly string[], contact: LoggedContact): boolean;
  /** Places with their days, in order. */
  days(): readonly PlaceDay[];
  /** Contacts from one place of the program with another. */
  both(): number;
}

/** Contacts that are told apart; each takes about 100 bytes. Above it, nothing more is counted. */
const MAX_CONTACTS = 2_000_000;

export function createContactTally(rule: AwardRule): ContactTally {
  const places = new Map<string, Map<number, Set<string>>>();
  const worked = new Set<string>();
  let size = 0;
  return {
    add(place, contact) {
      if (size >= MAX_CONTACTS) return false;
      let days = places.get(place);
      if (days === undefined) places.set(detached(place), (days = new Map()));
      let contacts = days.get(contact.day);
      if (contacts === undefined) days.set(contact.day, (contacts = new Set()));
      const key = dupeKey(rule, contact);
      if (contacts.has(key)) return true;
      contacts.add(key);
      size++;
      return true;
    },
    addBoth(own, contact) {
      if (worked.size >= MAX_CONTACTS) return false;
      // From several parks at once a contact is one; from another park on the same day it is another.
      worked.add(`${contact.day} ${own.toSorted().join()} ${dupeKey(rule, contact)}`);
      return true;
    },
    days: () =>
      Array.from(places, ([place, days]) =>
        Array.from(days, ([day, contacts]) => ({ place, day: String(day), contacts: contacts.size })),
      )
        .flat()
        .sort((a, b) => compare(a.place, b.place) || compare(a.day, b.day)),
    both: () => worked.size,
  };
}

function dupeKey({ dupe = [], unit }: AwardRule, { call, band, mode }: LoggedContact): string {
  let key = "";
  // SOTA asks for different stations: G4ABC, G4ABC/P and G4ABC/M are one. Programs of parks compare the calls.
  if (dupe.includes("CALL")) key += unit === "sota" ? stationOf(call) : call;
  if (dupe.includes("BAND")) key += ` ${band}`;
  if (dupe.includes("MODE")) key += ` ${groupOf(mode.group)}`;
  return key;
}

/** The call without prefixes and suffixes: G4ABC of G4ABC/P. */
function stationOf(call: string): string {
  if (!call.includes("/")) return call;
  const normalized = normalizeCallsign(call);
  return (normalized === undefined ? undefined : parseCallsign(withoutSsid(normalized))?.call) ?? call;
}

/** Programs of parks know three modes. */
function groupOf(group: string): string {
  return group === "image" ? "data" : group;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A unit of an award: an entity's code, a zone, a state, a square. */
export type AwardUnit = number | string;

export interface UnitTally {
  /** Adds bits of `confirmations.ts`. `false` if the tally is full. */
  add(unit: AwardUnit, profile: number, bits: number): boolean;
  entries(): Iterable<readonly [unit: AwardUnit, profile: number, bits: number]>;
}

/** More units than any award has, and more combinations with profiles than a log of a lifetime: what hostile logs may use. */
const MAX_UNITS = 100_000;
const MAX_CELLS = 2_000_000;

/** @param profiles The most profiles there can be. */
export function createUnitTally(profiles: number): UnitTally {
  const numbers = new Map<AwardUnit, number>();
  const units: AwardUnit[] = [];
  const cells = new Map<number, number>();
  return {
    add(unit, profile, bits) {
      let number = numbers.get(unit);
      if (number === undefined) {
        if (units.length >= MAX_UNITS) return false;
        number = units.length;
        const kept = typeof unit === "string" ? detached(unit) : unit;
        units.push(kept);
        numbers.set(kept, number);
      }
      const cell = number * profiles + profile;
      const before = cells.get(cell);
      if (before === undefined && cells.size >= MAX_CELLS) return false;
      const after = (before ?? 0) | bits;
      if (after !== before) cells.set(cell, after);
      return true;
    },
    *entries() {
      for (const [cell, bits] of cells) {
        const unit = units[Math.floor(cell / profiles)];
        if (unit !== undefined) yield [unit, cell % profiles, bits];
      }
    },
  };
}

/** A copy. A part of a long text keeps all of it in memory: the piece of a file that a county was read from. */
export function detached(text: string): string {
  return text.length < 13 ? text : Array.from(text).join("");
}
