/** The values of a key: usually one without a period, or several, each with its period. */
import { ALWAYS, includes, type Moment, type Period, type TableEntry } from "./source.js";

/** A value with its period. */
export interface DatedValue<Value> extends Period {
  readonly value: Value;
  readonly id?: number | undefined;
}

/**
 * Used without a list where it is the only one: tables have tens of thousands of them, and many share their period.
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

  get isAlways(): boolean {
    return this.period.start === undefined && this.period.end === undefined;
  }

  isValid(at: Moment): boolean {
    return includes(this.period, at);
  }
}

/** A value to add. The period is not copied, so that entries may share it. */
export function datedValue<Value>(value: Value, id: number | undefined, period: Period): DatedValue<Value> {
  return new Dated(value, id, period);
}

/** An array stands for several values, so a value is never an array. */
export type Entry<Value> = Value | Dated<Value> | Dated<Value>[];

/**
 * The entry with one more value. Of several that are valid at the same moment one with a period counts before one without,
 * because it is about that time; then the one with the lowest number, or the first one added where they have none: a store returns
 * its entries in any order and must choose the same.
 */
export function withValue<Value>(present: Entry<Value> | undefined, added: DatedValue<Value>): Entry<Value> {
  const dated = added instanceof Dated ? (added as Dated<Value>) : new Dated(added.value, added.id, added);
  if (present === undefined) return dated;
  const entries = [...datedOf(present)];
  let place = entries.length;
  while (place > 0 && isBefore(dated, entries[place - 1])) place--;
  entries.splice(place, 0, dated);
  return entries;
}

function isBefore(added: Dated<unknown>, present: Dated<unknown> | undefined): boolean {
  if (present === undefined) return false;
  if (added.isAlways !== present.isAlways) return present.isAlways;
  return (added.id ?? Number.POSITIVE_INFINITY) < (present.id ?? Number.POSITIVE_INFINITY);
}

function datedOf<Value>(entry: Entry<Value>): readonly Dated<Value>[] {
  if (Array.isArray(entry)) return entry;
  return [entry instanceof Dated ? entry : new Dated(entry, undefined, ALWAYS)];
}

/** The value that is valid at a moment. */
export function valueAt<Value>(entry: Entry<Value> | undefined, at: Moment): Value | undefined {
  if (entry instanceof Dated) return entry.isValid(at) ? entry.value : undefined;
  if (!Array.isArray(entry)) return entry;
  for (const dated of entry) if (dated.isValid(at)) return dated.value;
  return undefined;
}

/** The entries of many keys, a value each. */
export function* entriesOf<Value>(
  keyed: Iterable<readonly [key: string, entry: Entry<Value>]>,
): Generator<TableEntry<Value>> {
  for (const [key, entry] of keyed) yield* entriesOfKey(key, entry);
}

/** The entries of a key, those that count first in front. */
export function entriesOfKey<Value>(key: string, entry: Entry<Value>): TableEntry<Value>[] {
  return datedOf(entry).map(({ value, id, start, end }) => ({ key, value, id, start, end }));
}
