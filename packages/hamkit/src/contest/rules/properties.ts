/** Properties of stations: what they send, and what follows from calls and places. */
import { wpxPrefix } from "../../awards/units/wpx-prefix.js";
import { parseCallsign } from "../../callsign/parse-callsign.js";
import { distanceKm } from "../../geo/great-circle.js";
import { locatorToPosition } from "../../geo/locator.js";
import type { Position } from "../../geo/position.js";
import type { KnownStation } from "../contest-station.js";
import type { ContestRule } from "./contest-rule.js";
import { ownProperty, PATTERNS } from "./exchange-words.js";
import { MAX_WORD } from "./pattern-cost.js";

/** Reads a property of a station; `other` is the station at the other end. */
export type PropertyReader = (station: KnownStation, other: KnownStation) => string | undefined;

/** Properties that all stations have, whatever they send. */
const FACTS: Readonly<Record<string, PropertyReader>> = {
  call: ({ call }) => call,
  dxcc_entity: ({ facts }) => facts.dxcc_entity,
  cq_country: ({ facts }) => facts.cq_country,
  continent: ({ facts, words }) => facts.continent ?? words["continent"],
  cq_zone: ({ facts, words }) => words["cq_zone"] ?? facts.cq_zone,
  itu_zone: ({ facts, words }) => words["itu_zone"] ?? facts.itu_zone,
  wpx_prefix: ({ call }) => wpxPrefix(call),
  /** P, M, MM, AM, A or QRP behind the call. */
  working_condition: ({ call }) => workingCondition(call),
  /** In whole kilometers. */
  distance: (station, other) => {
    const [from, to] = [positionOf(station), positionOf(other)];
    return from === undefined || to === undefined ? undefined : String(Math.round(distanceKm(from, to)));
  },
};

/** The names that every contest knows. */
export const PROPERTY_NAMES: readonly string[] = [
  ...new Set([...Object.keys(PATTERNS), ...Object.keys(FACTS)]),
];

function workingCondition(call: string): string | undefined {
  const slash = call.lastIndexOf("/");
  const suffix = slash < 0 ? "" : call.slice(slash + 1);
  return /^(?:P|M|MM|AM|A|QRP)$/.test(suffix) ? suffix : undefined;
}

function positionOf({ words, facts }: KnownStation): Position | undefined {
  const { locator } = words;
  return locator === undefined ? facts.position : locatorToPosition(locator, "locator", "center");
}

/** Calls by the name of a list. */
export type CallLists = ReadonlyMap<string, ReadonlySet<string>>;

/** The reader of a property. */
export function propertyReader(rule: ContestRule, name: string, lists: CallLists): PropertyReader {
  const own = ownProperty(rule, name);
  if (own !== undefined && "list" in own) {
    const calls = lists.get(own.list);
    return ({ call }) =>
      calls?.has(call) === true || calls?.has(ownCallOf(call)) === true ? "YES" : undefined;
  }
  if (own !== undefined && "callAreas" in own) {
    const divided = new Set(own.callAreas.map((code) => code.toUpperCase()));
    const country = propertyReader({ ...rule, properties: {} }, own.of, lists);
    return (station, other) => {
      const value = country(station, other);
      return value !== undefined && divided.has(value) ? `${value} ${callArea(station.call)}` : value;
    };
  }
  if (own !== undefined && "of" in own) {
    const source = propertyReader(rule, own.of, lists);
    const part = new RegExp(`^(?:${own.part})$`, "iu");
    return (station, other) => {
      const value = source(station, other);
      return value === undefined || value.length > MAX_WORD ? undefined : part.exec(value)?.[1] || undefined;
    };
  }
  const fact = own === undefined && Object.hasOwn(FACTS, name) ? FACTS[name] : undefined;
  return fact ?? (({ words }) => (Object.hasOwn(words, name) ? words[name] : undefined));
}

function ownCallOf(call: string): string {
  return call.includes("/") ? (parseCallsign(call)?.call ?? call) : call;
}

/** The letters of Canada that have call areas of their own. */
const PROVINCE_LETTERS = /^(V[OY])\d$/;
/** Prefixes of Japan whose digit is no call area: all of them are in the first. */
const KANTO = /^7[K-N]\d$/;

/** The call area: the digit of the prefix; in Canada VO1, VO2, VY0 to VY2 are areas beside the digits. */
function callArea(call: string): string {
  const prefix = wpxPrefix(call) ?? "";
  if (PROVINCE_LETTERS.test(prefix)) return prefix;
  return KANTO.test(prefix) ? "1" : prefix.slice(-1);
}
