/** Compiles the rules of a mapping, once for all logins. */
import { setImmediate as nextTurn } from "node:timers/promises";

import { compileCondition, type Condition, type ReadPattern } from "./condition.js";
import { compileLocal, type LocalTemplate } from "./local-template.js";
import { MappingRulesError, type RuleProblem, type RuleWarning } from "../mapping-errors.js";
import { compileRegex, READING_BUDGET, type Regex } from "../regex/regex.js";
import type { StepBudget } from "../python/step-budget.js";
import { checkRules, SCHEMA_VERSIONS, show, TESTS, type Rule, type SchemaVersion } from "./rule-schema.js";

/** Valid, compiled rules. Only `compileMapping` returns one. */
export interface Mapping {
  readonly schemaVersion: SchemaVersion;
  readonly rules: readonly CompiledRule[];
  /** Whether all users belong to one domain, whatever the assertion. */
  readonly hasOneDomain: boolean;
  /** The rules as written. */
  readonly source: readonly Rule[];
  /** Places where the assertion chooses the domain, so that the provider is trusted with every domain. */
  readonly warnings: readonly RuleWarning[];
  /** Type brand: a literal can't be a mapping. */
  readonly [isCompiled]?: true;
}

declare const isCompiled: unique symbol;

export interface CompiledRule {
  readonly conditions: readonly Condition[];
  readonly locals: readonly LocalTemplate[];
}

export interface MappingSource {
  /** The `rules` of a mapping, unchecked: any JSON. */
  readonly rules: unknown;
  /** One of 1.0, 2.0 and 3.0; empty, `null` and absent mean 1.0. */
  readonly schemaVersion?: unknown;
}

/**
 * Compiles the rules of a mapping.
 *
 * Rejects what Keystone rejects, and what Keystone stores although every login fails with it: an invalid pattern, `{2}` where
 * there are two values, a group by name without a domain.
 *
 * @throws {MappingRulesError} The rules are invalid. `problems` lists each fault and its place.
 * @example
 * const rules = [{ local: [{ user: { name: "{0}" } }], remote: [{ type: "MAIL" }] }];
 * compileMapping({ rules }).schemaVersion; // => "1.0"
 */
export function compileMapping(
  { rules, schemaVersion }: MappingSource,
  readPattern: ReadPattern = compileRegex,
): Mapping {
  const version = readSchemaVersion(schemaVersion);
  const problems = checkRules(rules, version);
  if (problems.length > 0) throw new MappingRulesError(problems);
  const budget = { left: READING_BUDGET };
  const checked = rules as readonly Rule[];
  const warnings: RuleWarning[] = [];
  const compiled = checked.map((rule, index) =>
    compileRule(rule, { place: `rules[${index}]`, problems, warnings, budget, readPattern }),
  );
  if (problems.length > 0) throw new MappingRulesError(problems);
  return {
    schemaVersion: version,
    rules: compiled,
    hasOneDomain: hasOneDomain(checked, version),
    source: checked,
    warnings,
  };
}

/** How long patterns are compiled before the event loop gets a turn. */
const MAX_TURN_MS = 10;

/** {@link compileMapping} in slices, for a process that serves requests: compiling all patterns may take a second. */
export async function compileMappingInSlices(source: MappingSource): Promise<Mapping> {
  const isSound = checkRules(source.rules, readSchemaVersion(source.schemaVersion)).length === 0;
  if (!isSound) return compileMapping(source);
  const readings = new Map<string, () => Regex>();
  const budget = { left: READING_BUDGET };
  let turnBeganAt = performance.now();
  for (const pattern of patternsIn(source.rules as readonly Rule[])) {
    if (!readings.has(pattern)) readings.set(pattern, readingOf(pattern, budget));
    if (performance.now() - turnBeganAt < MAX_TURN_MS) continue;
    await nextTurn();
    turnBeganAt = performance.now();
  }
  return compileMapping(source, (pattern, left) => (readings.get(pattern) ?? readingOf(pattern, left))());
}

/** Compiles a pattern now. @returns Returns the result, or throws the error. */
function readingOf(pattern: string, budget: StepBudget): () => Regex {
  try {
    const regex = compileRegex(pattern, budget);
    return () => regex;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function patternsIn(rules: readonly Rule[]): string[] {
  return rules.flatMap(({ remote }) =>
    remote
      .filter(({ regex }) => regex === true)
      .flatMap((item) => TESTS.flatMap((test) => item[test] ?? []))
      .filter((pattern) => typeof pattern === "string"),
  );
}

/**
 * The schema version of a mapping, 1.0 by default.
 *
 * @throws {MappingRulesError} The version does not exist.
 */
export function readSchemaVersion(version: unknown): SchemaVersion {
  if (version === undefined || version === null || version === "") return "1.0";
  const known = SCHEMA_VERSIONS.find((candidate) => candidate === version);
  if (known !== undefined) return known;
  const fault = `expected one of "${SCHEMA_VERSIONS.join('", "')}", found ${show(version)}`;
  throw new MappingRulesError([{ place: "schema_version", fault }]);
}

/** Where users and groups share one `domain` they are not distinguished: then there may be several domains. */
function hasOneDomain(rules: readonly Rule[], version: SchemaVersion): boolean {
  const domains = new Set<string>();
  for (const { local } of rules)
    for (const { user, domain } of local) {
      const named = user?.domain ?? (version === "1.0" ? undefined : domain);
      if (named !== undefined || user !== undefined) domains.add(JSON.stringify(named ?? null));
    }
  return domains.size <= 1 && ![...domains].some((domain) => /\{\d+\}/.test(domain));
}

interface Context {
  readonly place: string;
  readonly problems: RuleProblem[];
  readonly warnings: RuleWarning[];
  readonly budget: StepBudget;
  readonly readPattern: ReadPattern;
}

function compileRule(rule: Rule, { place, problems, warnings, budget, readPattern }: Context): CompiledRule {
  const conditions = rule.remote.map((item, index) =>
    compileCondition(item, { place: `${place}.remote[${index}]`, problems, budget, readPattern }),
  );
  const giving = conditions.filter(({ givesValues }) => givesValues);
  const filters = giving.map(({ filter }) => filter);
  const locals = rule.local.map((item, index) =>
    compileLocal(item, {
      count: giving.length,
      filters,
      place: `${place}.local[${index}]`,
      problems,
      warnings,
    }),
  );
  return { conditions, locals };
}
