/** Checks rules of awards that a user supplies. */
import { AwardRuleError } from "../../errors.js";
import { isContinent } from "../../lookup/record.js";
import {
  flag,
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
import { CONFIRMATION_SOURCES, MAX_CREDITS } from "../contacts/confirmations.js";
import { BAND_NAMES, dayNumberOfDate, EXCLUSIONS } from "../contacts/contact.js";
import { isModeName } from "../contacts/mode-group.js";
import type { AwardRule, AwardUnitKind, DupeField } from "./award-rule.js";

const UNIT_KINDS: readonly AwardUnitKind[] = [
  "entity",
  "state",
  "cqz",
  "ituz",
  "continent",
  "grid",
  "prefix",
  "iota",
  "pota",
  "sota",
  "wwff",
  "county",
  "wae",
  "field",
];
const DUPE_FIELDS: readonly DupeField[] = ["CALL", "BAND", "MODE", "DAY"];
const MODE_GROUPS = ["phone", "cw", "data", "image", "digital"];

/** The check of a rule. Made on use: what it is made of would be loaded with each part of the module otherwise. */
function ruleCheck(): Check {
  const id = matching(
    /^[a-z][a-z0-9]{0,31}(?:\.[a-z0-9]{1,31}){0,3}$/i,
    "a name of letters, digits and dots",
  );
  const text = matching(/^[^\p{Cc}]{1,400}$/u, "a text of 1 to 400 characters on one line");
  const fieldName = matching(/^[A-Z][A-Z0-9_]{0,49}$/, "a field name of ADIF in upper case");
  const count = integer(1, 1_000_000);
  const band = oneOf(BAND_NAMES, "a band of ADIF, such as 20m");
  const bands = arrayOf(band);
  const confirm = arrayOf(oneOf(CONFIRMATION_SOURCES, `one of ${CONFIRMATION_SOURCES.join(", ")}`));
  const levels: Check = (value) =>
    arrayOf(count)(value) ??
    ((value as number[]).every((level, index, all) => index === 0 || level > (all[index - 1] ?? 0))
      ? undefined
      : "ascending numbers");
  const units: Check = (value) => {
    if (value === "current-entities" || value === "wae-countries") return undefined;
    if (Array.isArray(value)) return arrayOf(text)(value);
    return record({
      from: required(integer(0, 9999)),
      to: required(integer(0, 9999)),
      also: arrayOf(integer(0, 9999)),
    })(value);
  };
  const numbers = mapOf(count, (key) => (key === "" ? undefined : id(key)));

  const FACET = record({
    key: required((value) => (value === "" ? undefined : id(value))),
    eachBand: bands,
    bands,
    excludedBands: bands,
    modes: arrayOf(mode),
    exceptModes: arrayOf(mode),
    satellite: flag,
    propagation: oneOf(["EME"], '"EME"'),
    continents: arrayOf((value) => (isContinent(value) ? undefined : "a continent such as EU")),
    maxPowerW: (value) => (value === 5 ? undefined : "5"),
    from: date,
    confirm,
    deleted: flag,
    slots: oneOf(["band", "mode"], '"band" or "mode"'),
    maxPerUnit: count,
    levels,
    credits: arrayOf(text),
  });

  return record({
    id: required(id),
    name: required(text),
    sponsor: required(text),
    checked: required(record({ against: text, open: required(arrayOf(text)) })),
    notes: arrayOf(text),
    unit: required(oneOf(UNIT_KINDS, `one of ${UNIT_KINDS.join(", ")}`)),
    fields: arrayOf(fieldName),
    split: matching(/^.$/, "one character"),
    own: flag,
    units,
    unitCount: count,
    map: mapOf(text),
    where: mapOf(arrayOf(text), fieldName),
    counting: oneOf(["units", "contacts", "activations"], '"units", "contacts" or "activations"'),
    dupe: arrayOf(oneOf(DUPE_FIELDS, `one of ${DUPE_FIELDS.join(", ")}`)),
    min: count,
    minOver: oneOf(["DAY", "EVER"], '"DAY" or "EVER"'),
    scoresOncePer: oneOf(["YEAR"], '"YEAR"'),
    from: date,
    fromByUnit: mapOf(date),
    excludes: required(arrayOf(oneOf(EXCLUSIONS, `one of ${EXCLUSIONS.join(", ")}`))),
    excludedBands: bands,
    satellites: required(oneOf(["separate", "together", "none"], '"separate", "together" or "none"')),
    confirm: required(confirm),
    ownStation: oneOf(["entity"], '"entity"'),
    facets: required(arrayOf(FACET)),
    classes: arrayOf(record({ name: required(text), needs: required(numbers), oneOf: numbers })),
  });
}

/**
 * The rules, if they have the form of `AwardRule`.
 *
 * @param rules What was read from a JSON file: one rule, or a list of them.
 * @throws {AwardRuleError} A member is missing, unknown or has another value than expected; the error names it.
 * @example
 * const rules = checkAwardRules({
 *   id: "dok",
 *   name: "DLD",
 *   sponsor: "DARC",
 *   checked: { open: ["everything"] },
 *   unit: "field",
 *   fields: ["DARC_DOK"],
 *   excludes: ["repeater"],
 *   satellites: "together",
 *   confirm: ["card", "dcl"],
 *   facets: [{ key: "mixed", levels: [100, 200] }],
 * });
 * countAwards([{ CALL: "DL1ABC", DARC_DOK: "p11", DCL_QSL_RCVD: "Y" }], { rules })["dok.mixed"]?.units; // => ["P11"]
 */
export function checkAwardRules(rules: unknown): readonly AwardRule[] {
  return checkRuleList<AwardRule>(rules, {
    kind: "award rule",
    form: ruleCheck(),
    contradiction,
    error: AwardRuleError,
  });
}

/** Members that need each other. */
function contradiction(rule: AwardRule): string | undefined {
  const { unit, fields, counting = "units", dupe, min, facets, classes = [] } = rule;
  if (unit === "field" && (fields === undefined || fields.length === 0))
    return 'fields: required with unit "field"';
  if (unit !== "field" && fields !== undefined) return 'fields: only with unit "field"';
  if (facets.length === 0) return "facets: expected at least one";
  if (counting !== "units" && (dupe === undefined || facets.length !== 1))
    return `counting: "${counting}" needs dupe, and one facet`;
  if (counting === "activations" && min === undefined) return 'min: required with counting "activations"';
  const credits = new Set(facets.flatMap((facet) => facet.credits ?? []));
  if (credits.size > MAX_CREDITS) return `credits: more than ${MAX_CREDITS} in one rule`;
  for (const { key, slots, modes } of facets)
    if (slots === "mode" && modes === undefined) return `facets: "${key}": slots "mode" needs modes`;
  const keys = new Set(
    facets.flatMap(({ key, eachBand }) => (eachBand ?? [""]).map((each) => join(key, each))),
  );
  for (const { name, needs, oneOf: some = {} } of classes)
    for (const key of [...Object.keys(needs), ...Object.keys(some)])
      if (!keys.has(key)) return `classes: ${showValue(name)} needs ${showValue(key)}, which is no facet`;
  return undefined;
}

function join(...parts: string[]): string {
  return parts.filter((part) => part !== "").join(".");
}

function date(value: unknown): string | undefined {
  return typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && dayNumberOfDate(value) > 0
    ? undefined
    : "a date as 1945-11-15";
}

function mode(value: unknown): string | undefined {
  return typeof value === "string" && (MODE_GROUPS.includes(value) || isModeName(value))
    ? undefined
    : `${MODE_GROUPS.join(", ")}, or a mode of ADIF`;
}
