/** What a key has: one value for all times, as most have, or several, each with its period. */
import { ALWAYS, holds, type Moment, type Period } from "./period.js";
import type { TableEntry } from "./ports.js";

/** One of several values. */
export interface DatedValue<Value> extends Period {
  readonly value: Value;
  readonly id?: number | undefined;
}

/**
 * A single one of these stands in place of a list of one: databases have ten thousands of them, and many share their period.
 */
class Dated<Value> implements DatedValue<Value> {
  readonly value: Value;
  readonly id: number | undefined;
  readonly period: Period;

  constructor(value: Value, id: number | undefined, period: Period) {
    this.value = value;
    this.id = id;
    this.period = period;
  }

  get start(): Moment | undefined {
    return this.period.start;
  }

  get end(): Moment | undefined {
    return this.period.end;
  }

  holds(at: Moment): boolean {
    return holds(this.period, at);
  }
}

/** A value to be added. The period is kept as it is, so that it may be shared. */
export function datedValue<Value>(value: Value, id: number | undefined, period: Period): DatedValue<Value> {
  return new Dated(value, id, period);
}

/** Values are no arrays: those mark several. */
export type Entry<Value> = Value | Dated<Value> | Dated<Value>[];

/**
 * With one more value. Where several hold at the same moment the one with the lowest number counts, or the first one added
 * where they have none: a store gives back its entries in any order, and has to choose the same.
 */
export function withValue<Value>(present: Entry<Value> | undefined, added: DatedValue<Value>): Entry<Value> {
  const dated = added instanceof Dated ? (added as Dated<Value>) : new Dated(added.value, added.id, added);
  if (present === undefined) return dated;
  const entries = [...datedOf(present)];
  let place = entries.length;
  while (place > 0 && rankOf(entries[place - 1]) > rankOf(dated)) place--;
  entries.splice(place, 0, dated);
  return entries;
}

function rankOf(dated: Dated<unknown> | undefined): number {
  return dated?.id ?? Number.POSITIVE_INFINITY;
}

function datedOf<Value>(entry: Entry<Value>): readonly Dated<Value>[] {
  if (Array.isArray(entry)) return entry;
  return [entry instanceof Dated ? entry : new Dated(entry, undefined, ALWAYS)];
}

/** The value at a moment. */
export function valueAt<Value>(entry: Entry<Value> | undefined, at: Moment): Value | undefined {
  if (entry instanceof Dated) return entry.holds(at) ? entry.value : undefined;
  if (!Array.isArray(entry)) return entry;
  for (const dated of entry) if (dated.holds(at)) return dated.value;
  return undefined;
}

/** The entries of many keys, one by one. */
export function* entriesOf<Value>(
  keyed: Iterable<readonly [key: string, entry: Entry<Value>]>,
): Generator<TableEntry<Value>> {
  for (const [key, entry] of keyed) {
    for (const { value, id, start, end } of datedOf(entry)) yield { key, value, id, start, end };
  }
}
