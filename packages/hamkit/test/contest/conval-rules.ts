/**
 * Reads rule files in the form of conval (github.com/ftl/conval), recorded in the shared folder, as rules of this package: their
 * worked examples are expected values from outside.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { parse } from "yaml";

import type {
  ContestCondition,
  ContestConditions,
  ContestMultiplier,
  ContestPoints,
  ContestProperty,
  ContestQtcs,
  ContestRule,
} from "../../src/contest.js";

export const RULE_FILES = fileURLToPath(
  new URL("../../../../../shared/hamkit/later/contest/rules/", import.meta.url),
);

type Json = null | string | number | boolean | readonly Json[] | { readonly [name: string]: Json };
type Node = Readonly<Record<string, Json>>;

/** The worked example of a rule file. */
export interface Example {
  readonly setup: Node;
  readonly qsos: readonly Node[];
  readonly qtcs?: readonly Node[];
  readonly score: Readonly<Partial<Record<"qsos" | "qtcs" | "points" | "multis" | "total", number>>>;
}

export interface ConvalContest {
  readonly rule: ContestRule;
  readonly examples: readonly Example[];
}

export function readContests(
  folder = RULE_FILES,
): readonly (readonly [name: string, contest: ConvalContest])[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => [name, toContest(parse(readFileSync(folder + name, "utf8")) as Node)]);
}

const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const nodes = (value: Json | undefined): readonly Node[] => list(value) as readonly Node[];
/** Of a scalar. */
const text = (value: Json | undefined): string =>
  typeof value === "string" || typeof value === "number" ? `${value}` : "";
const texts = (value: Json | undefined): string[] => list(value).map((each) => text(each).toUpperCase());

const MODES: Readonly<Record<string, "CW" | "PH" | "RY" | "DG">> = {
  CW: "CW",
  SSB: "PH",
  RTTY: "RY",
  DIGITAL: "DG",
};
const PER = { once: "contest", once_per_band: "band", once_per_band_and_mode: "band-mode" } as const;
type Per = keyof typeof PER;

/** Properties that conval knows, and this package has only as definitions. */
const DEFINED: Readonly<Record<string, ContestProperty>> = {
  // WAE: call areas of W, VE, VK, ZL, ZS, JA, BY, PY and Asiatic Russia. https://www.darc.de/der-club/referate/conteste/waedc
  wae_entity: { of: "cq_country", callAreas: ["291", "1", "150", "170", "462", "339", "318", "108", "15"] },
  // PACC: those of CE, JA, LU, PY, VE, VK, W, ZL, ZS and Asiatic Russia. https://pacc.veron.nl
  veron_entity: {
    of: "dxcc_entity",
    callAreas: ["112", "339", "100", "108", "1", "150", "291", "170", "462", "15"],
  },
  eu_region: { pattern: "[A-Z]{2}\\d{2}" },
  pa_province: { values: ["DR", "FL", "FR", "GD", "GR", "LB", "NB", "NH", "OV", "UT", "ZH", "ZL"] },
};

/** Codes of DXCC entities by the prefixes that rule files have. */
const ENTITIES: Readonly<Record<string, string>> =
  /* ADIF 3.1.7, enumeration DXCC_Entity_Code */ Object.fromEntries(
    (
      "K 291, VE 1, DL 230, F 227, JA 339, BY 318, PY 108, LU 100, G 223, I 248, HA 239, OK 503, XE 50, ZS 462, KH6 110, KL 6, " +
      "CY9 252, CY0 211, 3B8 165, FR 453, PA 263, OE 206, ON 209, LZ 212, 5B 215, 9A 497, OZ 221, ES 52, OH 224, SV 236, " +
      "EI 245, YL 145, LX 254, 9H 257, SP 269, CT 272, YO 275, OM 504, S5 499, EA 281, SM 284, FG 79, FJ 516, FH 169, FK 162, " +
      "FM 84, FO 175, FP 277, FW 298, FY 63, TK 214, LY 146, SM0 284"
    )
      .split(", ")
      .map((each) => each.split(" ") as [string, string]),
  );

export function entityOf(prefix: string): string {
  return ENTITIES[prefix.toUpperCase()] ?? prefix.toUpperCase();
}

function toContest(file: Node): ConvalContest {
  const scoring = file["scoring"] as Node;
  const sorted = (entries: readonly Node[]) =>
    entries.map((entry) => ({ entry, weight: weightOf(entry) })).toSorted((a, b) => b.weight - a.weight);
  const multipliers = nodes(scoring["multis"]);
  const named = [...new Set(multipliers.flatMap((each) => each["property"] ?? []))];
  const id = text(file["identifier"]).toUpperCase();
  const total = scoring["multi_operation"] === "add" ? { total: "sum" as const } : {};
  const rule: ContestRule = {
    id,
    name: text(file["name"]),
    sponsor: "a test",
    contests: [id],
    checked: { open: ["all"] },
    bands: texts(file["bands"]).map((band) => band.toLowerCase().replace(",", "")),
    modes: texts(file["modes"]).map((mode) => MODES[mode] ?? "DG"),
    properties: { ...DEFINED, ...definitions(nodes(file["properties"])) },
    exchange: nodes(file["exchange"]).map((each) => ({
      from: conditions(each).their ?? {},
      to: conditions(each).my ?? {},
      fields: list(each["fields"]).map((names) => list(names).map(nameOf)),
    })),
    qsoPer: PER[scoring["qso_band_rule"] as Per],
    points: sorted(nodes(scoring["qsos"])).map(({ entry }) => pointsOf(entry)),
    multipliers: sorted(multipliers).flatMap(({ entry }) =>
      (entry["property"] === undefined ? named : [entry["property"]]).map((property) =>
        multiplierOf(entry, nameOf(property)),
      ),
    ),
    qtcs: nodes(scoring["qtcs"]).map((each) => qtcsOf(each)),
    ...total,
  };
  return { rule, examples: (file["examples"] ?? []) as unknown as readonly Example[] };
}

function pointsOf(entry: Node): ContestPoints {
  return { ...conditions(entry), points: Number(entry["value"]) };
}

function multiplierOf(entry: Node, property: string): ContestMultiplier {
  const per = PER[(entry["band_rule"] ?? "once") as Per];
  const except = texts(entry["except"]).map((prefix) => entityOf(prefix));
  return { ...conditions(entry), property, per, value: Number(entry["value"]), except };
}

function qtcsOf(entry: Node): ContestQtcs {
  const direction = entry["kind"] as "sent" | "received";
  return { ...conditions(entry), direction, points: Number(entry["value"]) };
}

/** The entry with most conditions applies; `additional_weight` prefers others. */
function weightOf(entry: Node): number {
  const simple = CONDITIONS.filter((name) => entry[name] !== undefined).length;
  const constraints = nodes(entry["property_constraints"]).flatMap((each) =>
    Object.keys(each).filter((name) => name !== "name"),
  );
  const hasBands = entry["bands"] === undefined ? 0 : 1;
  return simple + constraints.length + hasBands + Number(entry["additional_weight"] ?? 0);
}

const CONDITIONS = [
  "my_continent",
  "their_continent",
  "my_country",
  "their_country",
  "my_working_condition",
  "their_working_condition",
];

function conditions(entry: Node): ContestConditions {
  const my: Record<string, ContestCondition> = {};
  const their: Record<string, ContestCondition> = {};
  for (const name of CONDITIONS) {
    if (entry[name] === undefined) continue;
    const [side, ...words] = name.split("_");
    const property = words.join("_").replace("country", "dxcc_entity");
    const values = texts(entry[name]).map((value) => (property === "dxcc_entity" ? entityOf(value) : value));
    (side === "my" ? my : their)[property] = values[0] === "NOT" ? { not: values.slice(1) } : values;
  }
  for (const each of nodes(entry["property_constraints"])) {
    const name = nameOf(each["name"] ?? "");
    if (each["my_value"] !== undefined) my[name] = [valueOf(each["my_value"])];
    if (each["their_value"] !== undefined) their[name] = [valueOf(each["their_value"])];
    if (each["their_value_not_empty"] === true) their[name] = { known: true };
    if (each["min"] !== undefined || each["max"] !== undefined)
      their[name] = {
        ...(each["min"] !== undefined && { min: Number(each["min"]) }),
        ...(each["max"] !== undefined && { max: Number(each["max"]) }),
      };
  }
  const bands =
    entry["bands"] === undefined ? {} : { bands: texts(entry["bands"]).map((band) => band.toLowerCase()) };
  return { my, their, ...bands };
}

function valueOf(value: Json): string {
  return value === true ? "YES" : text(value).toUpperCase();
}

function nameOf(name: Json): string {
  return text(name) === "their_call" ? "call" : text(name);
}

function definitions(properties: readonly Node[]): Readonly<Record<string, ContestProperty>> {
  return Object.fromEntries(properties.map((each) => [text(each["name"]), definition(each)]));
}

function definition({ values, expression, source, member_of: list_ }: Node): ContestProperty {
  if (values !== undefined) return { values: texts(values) };
  if (list_ !== undefined) return { list: text(list_) };
  const pattern = text(expression).replaceAll("[[:digit:]]", "\\d");
  return source === undefined ? { pattern } : { of: text(source), part: pattern };
}
