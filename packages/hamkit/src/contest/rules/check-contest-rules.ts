/** Checks rules of contests that a user supplies. */
import { ADIF_BANDS } from "../../bands/band-edges.js";
import { ContestRuleError } from "../../errors.js";
import {
  integer,
  arrayOf,
  checkRuleList,
  mapOf,
  matching,
  oneOf,
  record,
  required,
  type Check,
} from "../../rule-form.js";
import { showValue } from "../../show-value.js";
import type { ContestProperty, ContestRule } from "./contest-rule.js";
import { wordTest } from "./exchange-words.js";
import { patternCost } from "./pattern-cost.js";
import { PROPERTY_NAMES } from "./properties.js";

/** The check of a rule. Made on use: what it is made of would be loaded with each part of the module otherwise. */
function ruleCheck(): Check {
  const id = matching(/^[A-Z\d][A-Z\d-]{0,39}$/, "a name of upper-case letters, digits and hyphens");
  const text = matching(/^[^\p{Cc}]{1,400}$/u, "a text of 1 to 400 characters on one line");
  const property = matching(/^[a-z][a-z\d_]{0,39}$/, "a name of lower-case letters, digits and _");
  const names = ADIF_BANDS.map(({ adif }) => adif as string);
  const bands = arrayOf(oneOf(names, "a band of ADIF, such as 20m"));
  const modes = arrayOf(oneOf(["CW", "PH", "RY", "DG"], "CW, PH, RY or DG"));
  const per = oneOf(["contest", "band", "mode", "band-mode"], '"contest", "band", "mode" or "band-mode"');
  const values = arrayOf(text);
  const condition: Check = (value) =>
    Array.isArray(value)
      ? values(value)
      : record({
          not: values,
          min: integer(-1_000_000, 1_000_000),
          max: integer(-1_000_000, 1_000_000),
          known: (known) => (typeof known === "boolean" ? undefined : "true or false"),
        })(value);
  const station = mapOf(condition, property);
  const conditions = { my: station, their: station, bands, modes };
  const definitions = mapOf((value) => definition(value, text), property);

  return record({
    id: required(id),
    name: required(text),
    sponsor: required(text),
    contests: required(arrayOf(id)),
    checked: required(record({ against: text, open: required(arrayOf(text)) })),
    notes: arrayOf(text),
    bands: required(bands),
    modes: required(modes),
    durationHours: integer(1, 10_000),
    properties: definitions,
    exchange: required(
      arrayOf(record({ from: station, to: station, fields: required(arrayOf(arrayOf(property))) })),
    ),
    qsoPer: required(per),
    points: required(
      arrayOf(
        record({
          ...conditions,
          points: required((value) =>
            typeof value === "number"
              ? amount(value)
              : record({ perKm: required(integer(1, 100_000)), plus: required(amount) })(value),
          ),
        }),
      ),
    ),
    multipliers: required(
      arrayOf(
        record({
          ...conditions,
          property: required(property),
          per: required(per),
          value: amount,
          except: values,
        }),
      ),
    ),
    total: oneOf(["product", "sum"], '"product" or "sum"'),
    qtcs: arrayOf(
      record({
        ...conditions,
        direction: required(oneOf(["sent", "received"], '"sent" or "received"')),
        points: required(amount),
      }),
    ),
    factors: arrayOf(record({ header: required(mapOf(values)), by: required(amount) })),
  });
}

function amount(value: unknown): string | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0
    ? undefined
    : "a number of 0 or more";
}

/** The form of a property depends on its members. */
function definition(value: unknown, text: Check): string | undefined {
  if (typeof value !== "object" || value === null) return "an object";
  if ("values" in value) return record({ values: required(arrayOf(text)) })(value);
  if ("pattern" in value) return record({ pattern: required(pattern) })(value);
  if ("list" in value) return record({ list: required(text) })(value);
  if ("callAreas" in value)
    return record({
      of: required(oneOf(["dxcc_entity", "cq_country"], '"dxcc_entity" or "cq_country"')),
      callAreas: required(arrayOf(text)),
    })(value);
  if ("of" in value) return record({ of: required(text), part: required(pattern) })(value);
  return "an object with values, pattern, of or list";
}

const MAX_PATTERN = 200;
/** Attempts on a word: a millisecond. */
const MAX_COST = 100_000;

function pattern(value: unknown): string | undefined {
  const expected = `a regular expression of at most ${MAX_PATTERN} characters without nested or many repetitions`;
  if (typeof value !== "string" || value.length > MAX_PATTERN) return expected;
  try {
    RegExp(value, "iu");
  } catch {
    return expected;
  }
  return patternCost(value) > MAX_COST ? expected : undefined;
}

/**
 * The rules, if they have the form of `ContestRule`.
 *
 * @param rules What was read from a JSON file: one rule, or a list of them.
 * @throws {ContestRuleError} A member is missing, unknown or has another value than expected; the error names it.
 * @example
 * const [sprint] = checkContestRules({
 *   id: "SPRINT",
 *   name: "A sprint",
 *   sponsor: "A club",
 *   contests: ["SPRINT-CW"],
 *   checked: { open: ["everything"] },
 *   bands: ["80m", "40m"],
 *   modes: ["CW"],
 *   exchange: [{ fields: [["serial"], ["name"]] }],
 *   qsoPer: "band",
 *   points: [{ points: 1 }],
 *   multipliers: [{ property: "dxcc_entity", per: "band" }],
 * });
 * sprint?.contests; // => ["SPRINT-CW"]
 */
export function checkContestRules(rules: unknown): readonly ContestRule[] {
  return checkRuleList<ContestRule>(rules, {
    kind: "contest rule",
    form: ruleCheck(),
    contradiction,
    error: ContestRuleError,
  });
}

/** Members that need each other. */
function contradiction(rule: ContestRule): string | undefined {
  const { properties = {}, exchange, multipliers, points, qtcs = [] } = rule;
  const isKnown = (name: string) => PROPERTY_NAMES.includes(name) || Object.hasOwn(properties, name);
  const expected = `one of ${[...PROPERTY_NAMES, ...Object.keys(properties)].join(", ")}`;
  const unknown = (where: string, name: string) => `${where}: ${showValue(name)} is not ${expected}`;
  for (const { fields, from = {}, to = {} } of exchange) {
    for (const name of Object.keys({ ...from, ...to })) if (!isKnown(name)) return unknown("exchange", name);
    for (const name of fields.flat()) {
      if (!isKnown(name)) return unknown("exchange", name);
      if (wordTest(rule, name) === undefined) return `exchange: ${showValue(name)} is no word of an exchange`;
    }
  }
  for (const { property } of multipliers) if (!isKnown(property)) return unknown("multipliers", property);
  for (const { my = {}, their = {} } of [...points, ...multipliers, ...qtcs])
    for (const name of Object.keys({ ...my, ...their }))
      if (!isKnown(name)) return unknown("conditions", name);
  for (const [name, own] of Object.entries(properties))
    if (isEndless(name, own, properties)) return `properties: ${showValue(name)} is of itself`;
  return undefined;
}

function isEndless(
  name: string,
  own: ContestProperty,
  properties: Readonly<Record<string, ContestProperty>>,
): boolean {
  const seen = new Set([name]);
  let source = "part" in own ? own.of : undefined;
  while (source !== undefined && Object.hasOwn(properties, source)) {
    if (seen.has(source)) return true;
    seen.add(source);
    const next = properties[source];
    source = next !== undefined && "part" in next ? next.of : undefined;
  }
  return false;
}
