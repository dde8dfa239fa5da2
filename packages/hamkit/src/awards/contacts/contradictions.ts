/** What a log contradicts itself in, and what awards therefore don't count. */

/** A kind of contradiction. */
export type ContradictionRule =
  | "call-missing"
  | "date-missing"
  | "band-unknown"
  | "entity-unknown"
  | "entity-date-conflict"
  | "entity-call-conflict"
  | "entity-missing"
  | "entity-at-sea"
  | "own-entity-conflict"
  | "region-entity-conflict"
  | "continent-unknown"
  | "continent-entity-conflict"
  | "continent-call-conflict"
  | "state-unknown"
  | "state-entity-conflict"
  | "zone-unknown"
  | "zone-state-conflict"
  | "zone-grid-conflict"
  | "zone-call-conflict"
  | "zone-entity-conflict"
  | "grid-unknown"
  | "grid-conflict"
  | "grid-entity-conflict"
  | "prefix-conflict"
  | "county-unknown"
  | "county-independent-city"
  | "reference-unknown"
  | "reference-renamed"
  | "reference-entity-conflict"
  | "too-many-units";

/** One contradiction. */
export interface AwardContradiction {
  readonly rule: ContradictionRule;
  /** Index of the record, from 0. */
  readonly record: number;
  readonly call: string;
  readonly field: string;
  /** Field, value and what is wrong with it. */
  readonly message: string;
}

/** All contradictions of one kind. */
export interface ContradictionList {
  readonly rule: ContradictionRule;
  readonly count: number;
  /** The first 20. */
  readonly examples: readonly AwardContradiction[];
}

/** The record that is read. */
export interface RecordPlace {
  readonly index: number;
  readonly call: string;
}

export interface ContradictionSink {
  /**
   * The message is only built, of its facts, for what is kept. It should capture nothing: where a function of the path of every
   * contact has closures, each of its calls allocates what they capture.
   */
  report<Facts extends readonly unknown[]>(
    rule: ContradictionRule,
    place: RecordPlace,
    field: string,
    message: (...facts: Facts) => string,
    ...facts: Facts
  ): void;
}

export interface ContradictionCollector extends ContradictionSink {
  /** By kind, the most frequent first. */
  lists(): readonly ContradictionList[];
}

const MAX_EXAMPLES = 20;
/** Characters of a call that are shown. */
const MAX_CALL = 40;

export function createContradictionCollector(): ContradictionCollector {
  const kinds = new Map<ContradictionRule, { count: number; last: number; examples: AwardContradiction[] }>();
  return {
    report(rule, { index, call }, field, message, ...facts) {
      let kind = kinds.get(rule);
      if (kind === undefined) kinds.set(rule, (kind = { count: 0, last: -1, examples: [] }));
      // Awards that ask for the same unit report it once.
      if (kind.last === index) return;
      kind.last = index;
      kind.count++;
      if (kind.examples.length < MAX_EXAMPLES)
        kind.examples.push({
          rule,
          record: index,
          call: call.slice(0, MAX_CALL),
          field,
          message: message(...facts),
        });
    },
    lists: () =>
      Array.from(kinds, ([rule, { count, examples }]) => ({ rule, count, examples })).sort(
        (a, b) => b.count - a.count,
      ),
  };
}
