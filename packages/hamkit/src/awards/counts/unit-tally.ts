/** How each unit of an award was worked and confirmed, by profile. */

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
