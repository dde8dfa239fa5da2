/** Follows the lookup plan to its end, and records the entries that it passes: the one that decides, and those that don't. */
import { SEARCH } from "../identify.js";
import { followPlan, type PlanSteps } from "../lookup-plan.js";
import { includes, type Moment, type Period, type TableEntry, type TableSource } from "../source.js";
import type { PlaceOrigin } from "../prefix-searches.js";
import type { CallsignRecord } from "../record.js";
import type { ExplainedEntry, LostReason, PassedOverEntry } from "./explanation.js";

/** The course of the search of one table. */
export interface SearchTrace {
  /** The normalized callsign without SSID. */
  readonly callsign: string;
  readonly isInvalidOperation: boolean;
  readonly isMobile: boolean;
  /** The entry that decides. */
  readonly entry: ExplainedEntry | undefined;
  /** The part that it was found by; `undefined` for the entry of a call. */
  readonly from: PlaceOrigin | undefined;
  /** The text whose longest prefix it is; "" for the entry of a call. */
  readonly searched: string;
  readonly passedOver: readonly PassedOverEntry[];
}

/** The course of the search; `undefined` for a text that cannot be a callsign. */
export function traceSearch(text: string, table: TableSource, at: Moment): SearchTrace | undefined {
  return followPlan(text, at, RECORD, new Recorder(table, at));
}

class Recorder implements SearchTrace {
  callsign = "";
  isInvalidOperation = false;
  isMobile = false;
  entry: ExplainedEntry | undefined;
  from: PlaceOrigin | undefined;
  searched = "";
  readonly passedOver: PassedOverEntry[] = [];
  readonly table: TableSource;
  readonly at: Moment;

  constructor(table: TableSource, at: Moment) {
    this.table = table;
    this.at = at;
  }

  get isDecided(): boolean {
    return this.isInvalidOperation || this.entry !== undefined;
  }

  /**
   * Records the entries of a key. Of the valid ones the first counts, and it decides unless a step before did or it lost.
   *
   * @returns Whether it decides.
   */
  add(section: ExplainedEntry["section"], key: string, lost?: LostReason): boolean {
    // Two searches may ask for the same prefix. Had the first one found it, it would have decided.
    if (this.passedOver.some((entry) => entry.section === section && entry.key === key)) return false;
    let first: Period | undefined;
    let decides = false;
    for (const entry of this.#entries(section, key)) {
      if (!includes(entry, this.at)) this.#passOver(section, entry, "other-period");
      else if (first !== undefined) this.#passOver(section, entry, losesTo(first, entry));
      else {
        first = entry;
        decides = lost === undefined && !this.isDecided;
        if (decides) this.entry = explained(section, entry);
        else this.#passOver(section, entry, lost ?? this.#laterReason());
      }
    }
    return decides;
  }

  /** Records the valid entry of a prefix that a later search found. */
  addLater(prefix: string, record: CallsignRecord): void {
    const isKnown = (entry: ExplainedEntry | undefined): boolean =>
      entry?.section === "prefixes" && entry.key === prefix && entry.record === record;
    if (isKnown(this.entry) || this.passedOver.some(isKnown)) return;
    const entry = this.#entries("prefixes", prefix).find(({ value }) => value === record);
    this.#passOver("prefixes", entry ?? { key: prefix, value: record }, this.#laterReason());
  }

  #entries(section: ExplainedEntry["section"], key: string): readonly TableEntry<CallsignRecord>[] {
    const { table, at } = this;
    if (table.entries !== undefined) return table.entries(section, key);
    const value = section === "calls" ? table.exact(key, at) : table.prefix(key, at);
    return value === undefined ? [] : [{ key, value }];
  }

  #passOver(section: ExplainedEntry["section"], entry: TableEntry<CallsignRecord>, reason: LostReason): void {
    this.passedOver.push({ ...explained(section, entry), reason });
  }

  #laterReason(): LostReason {
    if (this.isInvalidOperation) return "invalid-operation";
    return this.entry?.section === "calls" ? "entry-first" : "other-part";
  }
}

/** Steps that find nothing see the whole plan. */
const RECORD: PlanSteps<Recorder, never, SearchTrace> = {
  invalidOperation(callsign, at, trace) {
    trace.callsign = callsign;
    trace.isInvalidOperation = trace.table.isInvalidOperation?.(callsign, at) ?? false;
    return undefined;
  },
  call(call, _at, trace) {
    trace.add("calls", call);
    return undefined;
  },
  station(call, mayBeAway, at, trace) {
    const counts = trace.isDecided || SEARCH.station(call, mayBeAway, at, trace.table) !== undefined;
    trace.add("calls", call, counts ? undefined : "may-be-away");
    return undefined;
  },
  prefix(search, at, trace) {
    const { text, from, minLength, requiresOneOf } = search;
    const found = SEARCH.prefix(search, at, trace.table);
    if (found === undefined && requiresOneOf !== undefined) return undefined;
    if (trace.isDecided) {
      if (found !== undefined) trace.addLater(found.match, found.record);
      return undefined;
    }
    let isDecided = false;
    for (let length = text.length; length >= minLength; length--) {
      if (!trace.add("prefixes", text.slice(0, length), isDecided ? "shorter-prefix" : undefined)) continue;
      isDecided = true;
      trace.from = from;
      trace.searched = text;
    }
    return undefined;
  },
  mobile(_kind, trace) {
    trace.isMobile = true;
    return undefined;
  },
  beacon: (found) => found,
  result: (_found, _callsign, _at, trace) => trace,
};

function losesTo(first: Period, entry: Period): LostReason {
  return isDated(first) && !isDated(entry) ? "undated" : "higher-number";
}

function isDated({ start, end }: Period): boolean {
  return start !== undefined || end !== undefined;
}

function explained(
  section: ExplainedEntry["section"],
  { key, value, id, start, end }: TableEntry<CallsignRecord>,
): ExplainedEntry {
  return { section, key, record: value, start: dateOf(start), end: dateOf(end), id };
}

function dateOf(moment: Moment | undefined): Date | undefined {
  return moment === undefined ? undefined : new Date(moment);
}
