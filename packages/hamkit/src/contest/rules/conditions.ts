/** Conditions of rules, compiled to functions. */
import type { KnownStation } from "../contest-station.js";
import type {
  ContestCondition,
  ContestConditions,
  ContestMode,
  ContestRule,
  StationConditions,
} from "./contest-rule.js";
import { propertyReader, type CallLists } from "./properties.js";

/** Where and between whom a contact is. */
export interface ContestSituation {
  readonly my: KnownStation;
  readonly their: KnownStation;
  readonly band: string;
  readonly mode: ContestMode;
}

/** Whether a station meets conditions. */
export type StationTest = (station: KnownStation, other: KnownStation) => boolean;

/** Whether a contact meets conditions. */
export type SituationTest = (situation: ContestSituation) => boolean;

export function stationTest(
  rule: ContestRule,
  conditions: StationConditions | undefined,
  lists: CallLists,
): StationTest | undefined {
  const tests = Object.entries(conditions ?? {}).map(([name, condition]) => {
    const read = propertyReader(rule, name, lists);
    const fits = valueTest(condition);
    return (station: KnownStation, other: KnownStation) =>
      fits(read(station, other), () => read(other, station));
  });
  if (tests.length === 0) return undefined;
  const [first] = tests;
  if (tests.length === 1) return first;
  return (station, other) => tests.every((test) => test(station, other));
}

export function situationTest(
  rule: ContestRule,
  { my, their, bands, modes }: ContestConditions,
  lists: CallLists,
): SituationTest {
  const mine = stationTest(rule, my, lists);
  const theirs = stationTest(rule, their, lists);
  return (situation) =>
    (bands === undefined || bands.includes(situation.band)) &&
    (modes === undefined || modes.includes(situation.mode)) &&
    (mine === undefined || mine(situation.my, situation.their)) &&
    (theirs === undefined || theirs(situation.their, situation.my));
}

type ValueTest = (value: string | undefined, other: () => string | undefined) => boolean;

function valueTest(condition: ContestCondition): ValueTest {
  if (isList(condition)) {
    const values = new Set(condition.map((value) => value.toUpperCase()));
    const [isSame, isOther] = [values.delete("SAME"), values.delete("OTHER")];
    return (value, other) => {
      if (value === undefined) return false;
      if (values.has(value)) return true;
      if (!isSame && !isOther) return false;
      const compared = other();
      return compared !== undefined && (isSame ? compared === value : compared !== value);
    };
  }
  const { min = -Infinity, max = Infinity, known } = condition;
  const not = new Set(condition.not?.map((value) => value.toUpperCase()));
  const isNumber = condition.min !== undefined || condition.max !== undefined;
  return (value) => {
    if (known !== undefined && known !== (value !== undefined)) return false;
    if (value !== undefined && not.has(value)) return false;
    return !isNumber || (value !== undefined && Number(value) >= min && Number(value) <= max);
  };
}

function isList(condition: ContestCondition): condition is readonly string[] {
  return Array.isArray(condition);
}
