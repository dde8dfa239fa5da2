/** Assigns the words of an exchange to properties. */
import { showValue } from "../../show-value.js";
import { wordOf, type KnownStation } from "../contest-station.js";
import { stationTest, type StationTest } from "./conditions.js";
import type { ContestRule } from "./contest-rule.js";
import { wordTest, type WordTest } from "./exchange-words.js";
import { type CallLists } from "./properties.js";

/** A word that is not what the contest exchanges. */
export interface ExchangeFault {
  /** From 0. */
  readonly word: number;
  readonly message: string;
}

export interface ReadExchange {
  /** By property. */
  readonly words: Readonly<Record<string, string>>;
  readonly faults: readonly ExchangeFault[];
}

export interface ExchangeReader {
  /** Reads what a station sent to another one; its own words are not known yet. */
  read(words: readonly string[], from: KnownStation, to: KnownStation): ReadExchange;
  /** The properties of each word that a station sends to another one. */
  fieldsOf(from: KnownStation, to: KnownStation): readonly (readonly string[])[];
}

interface CompiledField {
  readonly names: readonly string[];
  readonly tests: readonly (readonly [name: string, test: WordTest])[];
}

interface CompiledExchange {
  readonly from: StationTest | undefined;
  readonly to: StationTest | undefined;
  readonly fields: readonly CompiledField[];
}

export const NO_WORDS: ReadExchange = Object.freeze({ words: Object.freeze({}), faults: [] });

export function createExchangeReader(rule: ContestRule, lists: CallLists): ExchangeReader {
  const exchanges: readonly CompiledExchange[] = rule.exchange.map(({ from, to, fields }) => ({
    from: stationTest(rule, from, lists),
    to: stationTest(rule, to, lists),
    fields: fields.map((names) => ({
      names,
      tests: names.flatMap((name) => {
        const test = wordTest(rule, name);
        return test === undefined ? [] : [[name, test] as const];
      }),
    })),
  }));

  function exchangeOf(from: KnownStation, to: KnownStation): CompiledExchange | undefined {
    return exchanges.find(
      (each) =>
        (each.from === undefined || each.from(from, to)) && (each.to === undefined || each.to(to, from)),
    );
  }

  return {
    read(given, from, to) {
      const fields = exchangeOf(from, to)?.fields;
      return fields === undefined ? NO_WORDS : assign(given, fields);
    },
    fieldsOf: (from, to) => exchangeOf(from, to)?.fields.map(({ names }) => names) ?? [],
  };
}

function assign(given: readonly string[], fields: readonly CompiledField[]): ReadExchange {
  const texts = withReport(given, fields);
  const words: Record<string, string> = {};
  const faults: ExchangeFault[] = [];
  for (const [index, { names, tests }] of fields.entries()) {
    const isLast = index === fields.length - 1;
    const text = isLast ? texts.slice(index).join(" ") : (texts[index] ?? "");
    const word = wordOf(text) ?? "";
    const found = word === "" ? undefined : tests.find(([, test]) => test(word));
    if (found !== undefined) words[found[0]] = word;
    else if (word !== "" || !names.includes("nothing")) {
      const expected = names.join(" or ");
      const message = word === "" ? `${expected} is missing` : `${showValue(text)} is not ${expected}`;
      faults.push({ word: index, message });
    }
  }
  return { words, faults };
}

/** With a place for the report, which some programs leave out. */
function withReport(given: readonly string[], fields: readonly CompiledField[]): readonly string[] {
  const [first] = fields;
  const isLacking = given.length === fields.length - 1 && first?.names[0] === "rst";
  return isLacking && !/^[1-5][1-9N][1-9N]?$/i.test(given[0] ?? "") ? ["599", ...given] : given;
}
