/** Scores a contest, contact by contact. */
import { requireTable } from "../lookup/identify.js";
import type { TableSource } from "../lookup/source.js";
import { contestMode } from "./contest-mode.js";
import {
  createFactsReader,
  factsWith,
  wordOf,
  type ContestStation,
  type KnownStation,
} from "./contest-station.js";
import { countKey, createMultiplierFinder, NO_MULTIPLIERS } from "./new-multipliers.js";
import { checkContestRules } from "./rules/check-contest-rules.js";
import { situationTest, type ContestSituation } from "./rules/conditions.js";
import type { ContestRule } from "./rules/contest-rule.js";
import { createExchangeReader, NO_WORDS, type ExchangeFault, type ReadExchange } from "./rules/exchange.js";
import { propertyReader } from "./rules/properties.js";
import { createScoreTable, type ContestScore } from "./score-sums.js";
import type { FoundMultiplier } from "./score-sums.js";

/** Options of `createContest`. */
export interface ContestOptions {
  /** The own station. */
  readonly my: ContestStation;
  /** Identifies calls. Without it, entities, continents and zones are only what the caller gives. */
  readonly table?: TableSource | undefined;
  /** The day of the contest, on which the table is asked; today when left out. */
  readonly at?: Date | undefined;
  /** Calls of lists that the rule names, such as the members of a club. */
  readonly lists?: Readonly<Record<string, Iterable<string>>> | undefined;
}

/** A contact in a contest. */
export interface ContestContact {
  readonly call: string;
  /** ADIF's name of the band. */
  readonly band: string;
  /** A mode of Cabrillo (CW, PH, FM, RY, DG) or ADIF. */
  readonly mode: string;
  /** The words that were received; left out for a contact that may follow, such as a spot. */
  readonly received?: readonly string[] | undefined;
  /** What the caller knows of the other station, instead of the table. */
  readonly their?: Partial<ContestStation> | undefined;
}

/** What a contact counts, or would count. */
export interface ContactScore {
  /** The station was worked before, where a contact with it counts once. */
  readonly isDupe: boolean;
  /** 0 for a dupe. */
  readonly points: number;
  /** New ones only. */
  readonly multipliers: readonly FoundMultiplier[];
  /** Why it does not count: another band or mode than the contest's. */
  readonly excluded?: "band" | "mode";
  /** Words that are not what the contest exchanges. The contact counts by the others. */
  readonly faults: readonly ExchangeFault[];
}

/** QTCs: contacts that are reported to another station. */
export interface ContestQtc {
  readonly call: string;
  readonly band: string;
  readonly mode: string;
  readonly direction: "sent" | "received";
  /** 1 when left out. */
  readonly count?: number;
  readonly their?: Partial<ContestStation> | undefined;
}

/** The score of a contest that goes on. */
export interface Contest {
  readonly rule: ContestRule;
  /** What a contact would count: is it a dupe, is it a multiplier? */
  ask(contact: ContestContact): ContactScore;
  /** Counts a contact. */
  add(contact: ContestContact): ContactScore;
  /** Counts QTCs; returns their points. */
  addQtc(qtc: ContestQtc): number;
  /** The exchange that a station sends here: the properties that each word may be. */
  fieldsFrom(station: "my" | ContestStation): readonly (readonly string[])[];
  /** Reads what the own station sent. */
  readSent(words: readonly string[], their?: Partial<ContestStation>): readonly ExchangeFault[];
  /** The sums so far. */
  score(): ContestScore;
}

/** Stations that are kept: those of a long contest. */
const MAX_STATIONS = 100_000;

const NO_FAULTS: readonly ExchangeFault[] = Object.freeze([]);

/**
 * Starts to score a contest by its rules.
 *
 * @throws {ContestRuleError} The rule is malformed.
 * @throws {ArgumentTypeError} The table is none.
 * @example
 * const table = await loadEmbeddedCountryFile();
 * const rule = CONTEST_RULES.find(({ id }) => id === "CQ-WW")!;
 * const contest = createContest(rule, { my: { call: "DH1TW" }, table });
 * contest.add({ call: "W1AW", band: "20m", mode: "CW", received: ["599", "05"] }).points; // => 3
 * contest.ask({ call: "W1AW", band: "20m", mode: "CW" }).isDupe; // => true
 * contest.ask({ call: "K6AA", band: "20m", mode: "CW" }).multipliers.map(({ property }) => property); // => ["cq_zone"]
 * contest.score().total; // => 6
 */
export function createContest(rule: ContestRule, options: ContestOptions): Contest {
  checkContestRules(rule);
  const table = options.table === undefined ? undefined : requireTable(options.table);
  const factsOf = createFactsReader(table, options.at);
  const lists = new Map(
    Object.entries(options.lists ?? {}).map(([name, calls]) => [
      name,
      new Set(Array.from(calls, (call) => call.toUpperCase())),
    ]),
  );
  const exchange = createExchangeReader(rule, lists);
  const stations = new Map<string, KnownStation>();
  const my = stationOf(options.my.call, options.my);
  const points = rule.points.map((entry) => ({ entry, fits: situationTest(rule, entry, lists) }));
  const distance = propertyReader({ ...rule, properties: {} }, "distance", lists);
  const newMultipliers = createMultiplierFinder(rule.multipliers, {
    read: (name) => propertyReader(rule, name, lists),
    fits: (each) => situationTest(rule, each, lists),
  });
  const qtcs = (rule.qtcs ?? []).map((entry) => ({ entry, fits: situationTest(rule, entry, lists) }));
  const scores = createScoreTable(rule);
  const worked = new Map<string, Set<string>>();

  function stationOf(text: string, known: Partial<ContestStation> | undefined): KnownStation {
    const call = text.trim().toUpperCase();
    if (known === undefined) {
      let station = stations.get(call);
      if (station === undefined) {
        if (stations.size >= MAX_STATIONS) stations.clear();
        stations.set(call, (station = { call, facts: factsOf(call), words: NO_WORDS.words }));
      }
      return station;
    }
    const words = Object.entries(known.exchange ?? {}).map(([name, word]) => [name, wordOf(word) ?? ""]);
    return { call, facts: factsWith(factsOf(call), known), words: Object.fromEntries(words) };
  }

  function pointsOf(situation: ContestSituation): number {
    const value = points.find(({ fits }) => fits(situation))?.entry.points ?? 0;
    if (typeof value === "number") return value;
    const km = Number(distance(situation.their, situation.my) ?? 0);
    return Math.floor(km / value.perKm) + value.plus;
  }

  function evaluate(contact: ContestContact, counts: boolean): ContactScore {
    const { call, band, received, their: known } = contact;
    const mode = contestMode(contact.mode);
    const excluded = rule.bands.includes(band) ? (rule.modes.includes(mode) ? undefined : "mode") : "band";
    let their = stationOf(call, known);
    let read: ReadExchange = NO_WORDS;
    if (received !== undefined) {
      read = exchange.read(received, their, my);
      their = { ...their, words: { ...their.words, ...read.words } };
    }
    const { faults } = read;
    if (excluded !== undefined) {
      if (counts) scores.exclude();
      return { isDupe: false, points: 0, multipliers: NO_MULTIPLIERS, excluded, faults };
    }
    const key = countKey(rule.qsoPer, band, mode);
    let calls = worked.get(key);
    if (calls?.has(their.call) === true) {
      if (counts) scores.addDupe(band);
      return { isDupe: true, points: 0, multipliers: NO_MULTIPLIERS, faults };
    }
    const situation = { my, their, band, mode };
    const answer = {
      isDupe: false,
      points: pointsOf(situation),
      multipliers: newMultipliers(situation, counts),
      faults: faults.length === 0 ? NO_FAULTS : faults,
    };
    if (counts) {
      if (calls === undefined) worked.set(key, (calls = new Set()));
      calls.add(their.call);
      scores.add(band, answer);
    }
    return answer;
  }

  return {
    rule,
    ask: (contact) => evaluate(contact, false),
    add: (contact) => evaluate(contact, true),
    addQtc({ call, band, mode, direction, count = 1, their }) {
      const situation = { my, their: stationOf(call, their), band, mode: contestMode(mode) };
      const found = qtcs.find(({ entry, fits }) => entry.direction === direction && fits(situation));
      const value = (found?.entry.points ?? 0) * count;
      scores.addQtcs(count, value);
      return value;
    },
    fieldsFrom(station) {
      const anyone = stationOf("", {});
      return exchange.fieldsOf(station === "my" ? my : stationOf(station.call, station), anyone);
    },
    readSent: (words, their) => exchange.read(words, my, stationOf(their?.call ?? "", their)).faults,
    score: () => scores.score(),
  };
}
