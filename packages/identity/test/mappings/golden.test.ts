import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

import { describe, expect, it } from "vitest";

import { compileMapping, type Mapping } from "../../src/mappings/rules/compile-mapping.js";
import { evaluateMapping } from "../../src/mappings/rules/evaluate-mapping.js";
import { MappingRulesError } from "../../src/mappings/mapping-errors.js";
import { goldenLines, hasGolden } from "../golden.js";

interface Answer {
  /** "ok", if Keystone stores the rules. */
  readonly validate: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
}
interface Row {
  readonly name: string;
  readonly rules: unknown;
  readonly schema_version: unknown;
  readonly assertion: Readonly<Record<string, unknown>>;
  readonly head: Answer;
  readonly head_order_unstable: boolean;
  readonly head_other_outcomes?: readonly Answer[];
}

/** Patterns of messages for rules that Keystone stores and the service rejects. Each has a section in docs/identity/differences.md. */
const REFUSALS = {
  "no-attributes-in-templates": /attribute access/,
  "patterns-are-checked": /invalid pattern|expected a pattern/,
  "listed-values-are-plain": /expected a string, found (?:a list|an object)/,
  "placeholders-are-checked":
    /is out of range|"\{"|"\}"|has no value number|numbered fields|expected the number of a value/,
  "groups-have-domains": /the id or name of a domain/,
};

/** Rules that have something else come of a mapping, and what. Each has a section in docs/identity/differences.md. */
const OTHERWISE: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  "a-domain-beside-binds": {
    "groups JSON and domain": {
      group_names: [
        { name: "group1", domain: { id: "d" } },
        { name: "group2", domain: { id: "d" } },
      ],
    },
    "sv 3.0 projects_json ok": { projects: ["pj", "pk"].map(inDomainD) },
    "sv 3.0 projects_json no braces": { projects: ["pj", "pk"].map(inDomainD) },
    "sv 3.0 projects and projects_json": { projects: ["P", "pj", "pk"].map(inDomainD) },
  },
};

function inDomainD(name: string): object {
  return { name, roles: name === "pk" ? [] : [{ name: "member" }], domain: { id: "d" } };
}

/** Where Keystone's order depends on a set, lists are compared as sets, and so are lists inside of a text. */
function asSets(value: unknown): unknown {
  if (typeof value === "string")
    return value.replaceAll(/\[(.*?)\]/g, (_, list: string) => `[${list.split(", ").toSorted().join(", ")}]`);
  if (Array.isArray(value)) return value.map(asSets).toSorted((a, b) => (show(a) < show(b) ? -1 : 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, held]) => [key, asSets(held)]),
  );
}
const byText = (a: unknown, b: unknown): number => (String(a) < String(b) ? -1 : 1);
const show = (value: unknown): string => JSON.stringify(value);

const RULES = [...Object.keys(REFUSALS), ...Object.keys(OTHERWISE)];

/** "equal", the name of a rule, or what differs. */
function verdict(row: Row): string {
  const { head } = row;
  let mapping: Mapping;
  try {
    mapping = compileMapping({ rules: row.rules, schemaVersion: row.schema_version });
  } catch (error) {
    if (!(error instanceof MappingRulesError)) throw error;
    if (head.validate !== "ok") return "equal";
    const { message } = error;
    const known = Object.entries(REFUSALS).find(([, pattern]) => pattern.test(message));
    return known?.[0] ?? `refused: ${message}`;
  }
  if (head.validate !== "ok") return row.schema_version === "" ? "equal" : "stored";
  const outcome = evaluateMapping(mapping, row.assertion);
  if (outcome.kind === "failed")
    return head.error === undefined ? `failed: ${outcome.failure.message}` : "equal";
  const found = { ...outcome.identity, group_ids: outcome.identity.group_ids.toSorted(byText) };
  if (
    isDeepStrictEqual(found, {
      ...head.result,
      group_ids: ((head.result?.["group_ids"] ?? []) as unknown[]).toSorted(byText),
    })
  )
    return "equal";
  for (const [rule, changes] of Object.entries(OTHERWISE)) {
    const change = changes[row.name];
    if (change !== undefined && isDeepStrictEqual(found, { ...head.result, ...change })) return rule;
  }
  const isSame =
    row.head_order_unstable &&
    [head, ...(row.head_other_outcomes ?? [])].some(({ result }) =>
      isDeepStrictEqual(asSets(found), asSets(result)),
    );
  return isSame ? "equal" : `${show(found)} is not ${show(head.result ?? head.error)}`;
}

describe.runIf(hasGolden)("Keystone's recorded mappings", () => {
  it.each(["designed", "random"])("are mapped alike, or refused before: %s", (name) => {
    const rows = goldenLines<Row>(`mapping/${name}`);
    const verdicts = rows.map((row) => [row.name, verdict(row)] as const);
    const known = new Set(["equal", ...RULES]);
    expect(verdicts.filter(([, found]) => !known.has(found))).toStrictEqual([]);
    expect(rows.length).toBeGreaterThan(300);
  });

  it("differ by each of the rules in differences.md, and by no other", () => {
    const rows = ["designed", "random"].flatMap((name) => goldenLines<Row>(`mapping/${name}`));
    const used = new Set(rows.map(verdict).filter((found) => found !== "equal"));
    expect([...used].toSorted()).toStrictEqual(RULES.toSorted());
  });
});

interface Request {
  readonly name: string;
  readonly method: string;
  readonly status: number;
  readonly request_headers: Readonly<Record<string, string>>;
  readonly request_body: {
    readonly mapping?: { readonly rules?: unknown; readonly schema_version?: unknown };
  };
}

describe.runIf(hasGolden)("Keystone's recorded requests to store a mapping", () => {
  const REFUSED_HERE = new Set([
    "mapping create: invalid regex",
    "mapping create: direct map out of range",
    "mapping create: group domain empty",
    // Keystone does not catch an exception.
    "mapping create: schema_version '4.0'",
    "mapping create: schema_version 2",
    "mapping create: schema_version '2'",
  ]);

  it("are stored or refused alike, apart from what fails at each login", () => {
    const requests = goldenLines<Request>("head/04_mappings").filter(
      ({ method, status, request_body: body }) =>
        ["PUT", "PATCH"].includes(method) &&
        [200, 201, 400, 500].includes(status) &&
        typeof body?.mapping === "object" &&
        body.mapping !== null &&
        !Array.isArray(body.mapping),
    );
    const different = requests.filter(({ status, name, request_body: { mapping } }) => {
      if (name.includes("id 65")) return false; // the route's matter
      const { rules, schema_version: schemaVersion } = mapping ?? {};
      return isAccepted(rules, schemaVersion) !== status < 300;
    });
    const names = different.map(({ name }) => name).filter((name) => !name.includes("schema_version"));
    expect(requests.length).toBeGreaterThan(60);
    expect(names.filter((name) => !REFUSED_HERE.has(name))).toStrictEqual([]);
  });
});

function isAccepted(rules: unknown, schemaVersion: unknown): boolean {
  try {
    compileMapping({ rules, schemaVersion });
    return true;
  } catch (error) {
    if (error instanceof MappingRulesError) return false;
    throw error;
  }
}

describe("docs/identity/differences.md", () => {
  it("has a section for each rule by which a mapping is refused, or means something else", () => {
    const text = readFileSync(new URL("../../../../docs/identity/differences.md", import.meta.url), "utf8");
    const titles = [...text.matchAll(/^### (.+)$/gm)].map(([, title]) => title);
    expect(titles).toEqual(expect.arrayContaining(RULES));
  });
});
