/** Counts awards, contact by contact. */
import type { AdifRecord } from "../adif/parse-adif.js";
import { ArgumentTypeError, ValueError } from "../errors.js";
import { requireTable } from "../lookup/identify.js";
import type { TableSource } from "../lookup/source.js";
import type { AwardRule } from "./rules/award-rule.js";
import { checkAwardRules } from "./rules/check-award-rules.js";
import { compileAward, type CompiledAward } from "./rules/compiled-award.js";
import { readContact, type LoggedContact } from "./contacts/contact.js";
import { creditBits, creditsIn } from "./contacts/confirmations.js";
import {
  createContradictionCollector,
  type ContradictionList,
  type ContradictionSink,
} from "./contacts/contradictions.js";
import { createEntityReader } from "./units/entities.js";
import {
  countFacet,
  neededUnits,
  type AwardCount,
  type CountFilter,
  type NeededUnits,
} from "./counts/facet-count.js";
import { AWARD_RULES } from "./generated/award-rules.js";
import { createNeedIndex, type Need, type NeedIndex } from "./needs/need-index.js";
import { createOwnStationFilter, type OwnStation } from "./contacts/own-station.js";
import { createPlaceReader, type ZonesAt } from "./units/places.js";
import { createProfileRegister } from "./contacts/profiles.js";

/** Options of `countAwards` and `createAwardCounter`. */
export interface CountAwardsOptions {
  /** The awards to count; `AWARD_RULES` when left out. */
  readonly rules?: readonly AwardRule[] | undefined;
  /** Identifies calls whose entity the log lacks, and finds contradictions with those that it has. */
  readonly table?: TableSource | undefined;
  /** Only contacts from this station. */
  readonly own?: OwnStation | undefined;
  /** The zones at a place, such as `zonesAt` of hamkit/zones; compared with the zones of the log. */
  readonly zonesAt?: ZonesAt | undefined;
}

/** The counts of awards by key, such as `dxcc.mixed.current`, `was.band.20m`, `vucc.6m` or `iota`. */
export type AwardCounts = Readonly<Record<string, AwardCount>>;

/** A class of an award, and how far the log is. */
export interface ClassProgress {
  readonly award: string;
  readonly name: string;
  readonly isReached: boolean;
  /** All of these are needed, by key. */
  readonly needs: Readonly<Record<string, ClassNeed>>;
  /** One of these in addition; empty if none is. */
  readonly oneOf: Readonly<Record<string, ClassNeed>>;
}

/** What a class needs of a count. */
export interface ClassNeed {
  readonly confirmed: number;
  readonly needed: number;
}

/** Counts the awards of a log, contact by contact, in bounded memory. */
export interface AwardCounter {
  /** Counts a contact. */
  add(record: AdifRecord): void;
  /** The contacts that were added. */
  readonly contacts: number;
  /** Contacts that another station made, and that were ignored. */
  readonly ignored: number;
  /** All counts. */
  counts(): AwardCounts;
  /**
   * One count; `filter` narrows it to a band and modes.
   *
   * @throws {ValueError} No award has the key.
   */
  count(key: string, filter?: CountFilter): AwardCount;
  /**
   * What is missing from a count.
   *
   * @throws {ValueError} No award has the key.
   */
  needed(key: string, filter?: CountFilter): NeededUnits;
  /**
   * What a contact would be: see `needs`.
   */
  needs(contact: AdifRecord): readonly Need[];
  /** Classes that need several counts, such as those of WAE. */
  classes(): readonly ClassProgress[];
  /** Where the log contradicts itself, or the table, by kind. */
  contradictions(): readonly ContradictionList[];
}

/**
 * Counts the awards of a log.
 *
 * A unit is worked by any contact that the rules accept, and confirmed by the ways that the award accepts, or by a credit that the
 * sponsor granted. The entity is that of the field DXCC, else of the table.
 *
 * @param records Records of ADIF: values by field name in upper case, as of `parseAdif`.
 * @returns The counts by key. Keys of awards with several counts are as `was.mixed`, `was.cw`, `was.band.20m`.
 * @throws {AwardRuleError} A rule is malformed.
 * @throws {ArgumentTypeError} The records are not iterable, or one of them is no object.
 * @example
 * const { records } = parseAdif("<CALL:4>W1AW<QSO_DATE:8>20240630<BAND:3>20m<MODE:2>CW<DXCC:3>291<STATE:2>CT<LOTW_QSL_RCVD:1>Y<EOR>");
 * const counts = countAwards(records);
 * counts["was.mixed"]?.units; // => ["CT"]
 * counts["dxcc.band.20m"]?.confirmed; // => 1
 */
export function countAwards(records: Iterable<AdifRecord>, options: CountAwardsOptions = {}): AwardCounts {
  if (typeof records !== "object" || records === null || !(Symbol.iterator in records))
    throw new ArgumentTypeError({ argument: "records", value: records, expected: "an iterable of records" });
  const counter = createAwardCounter(options);
  for (const record of records) counter.add(record);
  return counter.counts();
}

/**
 * Counts awards contact by contact, for logs that are read as a stream, and for questions beyond the counts.
 *
 * Memory is bounded by the number of different units, and of contacts with parks and summits, not by the length of the log.
 *
 * @throws {AwardRuleError} A rule is malformed.
 * @throws {ArgumentTypeError} The table is none, or another option has a wrong type.
 * @example
 * const counter = createAwardCounter();
 * for await (const { record } of readAdif(["<CALL:5>JA1AA<BAND:3>20m<MODE:3>FT8<DXCC:3>339<CQZ:2>25<QSO_DATE:8>20240630<EOR>"]))
 *   counter.add(record);
 * counter.needed("waz.mixed").unconfirmed; // => [25]
 * counter.needed("waz.mixed").unworked?.length; // => 39
 */
export function createAwardCounter(options: CountAwardsOptions = {}): AwardCounter {
  const rules = options.rules === undefined ? AWARD_RULES : checkAwardRules(options.rules);
  const table = options.table === undefined ? undefined : requireTable(options.table);
  if (options.zonesAt !== undefined && typeof options.zonesAt !== "function")
    throw new ArgumentTypeError({ argument: "zonesAt", value: options.zonesAt, expected: "a function" });
  const collector = createContradictionCollector();
  let isAsking = false;
  const sink: ContradictionSink = {
    // What is only asked for is no contradiction of the log.
    report: (...found) => {
      if (!isAsking) collector.report(...found);
    },
  };
  const entities = createEntityReader(table, sink);
  const places = createPlaceReader({ entities, sink, zonesAt: options.zonesAt });
  const awards = rules.map((rule) => compileAward(rule, { entities, places, sink }));
  const firstDays = Array.from(new Set(awards.flatMap((award) => award.firstDays))).toSorted((a, b) => a - b);
  const register = createProfileRegister(firstDays);
  const applies = awards.map((): boolean[] => []);
  const ownStation = createOwnStationFilter(options.own, sink);
  const context = { profiles: register.profiles, firstDays };
  let contacts = 0;
  let ignored = 0;
  /** Made by the first question. */
  let index: NeedIndex | undefined;

  function tally(contact: LoggedContact): void {
    const profile = register.profileOf(contact, places.continentOf(contact));
    if (profile === undefined) return full(contact);
    const submitted = creditsIn(contact.record["CREDIT_SUBMITTED"]);
    const granted = creditsIn(contact.record["CREDIT_GRANTED"]);
    const hasCredits = submitted !== undefined || granted !== undefined;
    for (let number = 0; number < awards.length; number++) {
      const award = awards[number] as CompiledAward;
      const known = applies[number] as boolean[];
      if (!(known[profile.index] ??= award.appliesTo(profile, firstDays))) continue;
      if (!award.accepts(contact)) continue;
      const bits = hasCredits ? creditBits(award.credits, submitted, granted) : 0;
      const units = award.unitsOf(contact);
      if (units === undefined) continue;
      const confirmed = contact.confirmations | bits;
      if (award.add(units, contact, profile.index, confirmed)) index?.add(number, units, profile, confirmed);
      else full(contact);
    }
  }

  function full(contact: LoggedContact): void {
    sink.report("too-many-units", contact, "", () => "more different values than can be counted");
  }

  function awardOf(key: string): { award: CompiledAward; facet: string } {
    for (const award of awards) if (award.facets.has(key)) return { award, facet: key };
    throw unknownKey(key, awards);
  }

  return {
    add(record) {
      if (typeof record !== "object" || record === null)
        throw new ArgumentTypeError({
          argument: "record",
          value: record,
          expected: "an object of field values",
        });
      const contact = readContact(record, contacts++);
      if (!ownStation.accepts(contact)) ignored++;
      else tally(contact);
    },
    get contacts() {
      return contacts;
    },
    get ignored() {
      return ignored;
    },
    counts: () =>
      Object.fromEntries(
        awards.flatMap((award) =>
          Array.from(award.facets.keys(), (key) => [key, countFacet(award, key, context)] as const),
        ),
      ),
    count(key, filter) {
      const { award, facet } = awardOf(key);
      return countFacet(award, facet, context, filter);
    },
    needed(key, filter) {
      const { award, facet } = awardOf(key);
      return neededUnits(award, facet, context, filter);
    },
    needs(contact) {
      isAsking = true;
      try {
        index ??= createNeedIndex({ awards, places, firstDays, profiles: register.profiles });
        return index.ask(contact);
      } finally {
        isAsking = false;
      }
    },
    classes: () =>
      awards.flatMap((award) =>
        (award.rule.classes ?? []).map(({ name, needs, oneOf = {} }) => {
          const progress = (wanted: Readonly<Record<string, number>>) =>
            Object.entries(wanted).map(([facet, needed]) => {
              const key = facet === "" ? award.rule.id : `${award.rule.id}.${facet}`;
              return [key, { confirmed: countFacet(award, key, context).confirmed, needed }] as const;
            });
          const all = progress(needs);
          const some = progress(oneOf);
          return {
            award: award.rule.id,
            name,
            isReached:
              all.every(([, { confirmed, needed }]) => confirmed >= needed) &&
              (some.length === 0 || some.some(([, { confirmed, needed }]) => confirmed >= needed)),
            needs: Object.fromEntries(all),
            oneOf: Object.fromEntries(some),
          };
        }),
      ),
    contradictions: () => collector.lists(),
  };
}

function unknownKey(key: unknown, awards: readonly CompiledAward[]): ValueError {
  const award =
    typeof key === "string" ? awards.find(({ rule }) => `${key}.`.startsWith(`${rule.id}.`)) : undefined;
  if (award !== undefined) {
    // Without those of single bands, which are many and alike.
    const keys = Array.from(award.facets.keys()).filter((each) => !each.includes(".band."));
    return new ValueError({
      argument: "key",
      value: key,
      expected: `one of ${keys.join(", ")}, or of a band`,
    });
  }
  const ids = awards.map(({ rule }) => rule.id).join(", ");
  return new ValueError({
    argument: "key",
    value: key,
    expected: `a count such as was.mixed, of the awards ${ids}`,
  });
}
