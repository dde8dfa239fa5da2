/** Reads the rules of a mapping once, so that each login only runs them. */
import { setImmediate as nextTurn } from "node:timers/promises";

import { compileCondition, type Condition, type ReadPattern } from "./condition.js";
import { compileLocal, type LocalTemplate } from "./local-template.js";
import { MappingRulesError, type RuleProblem, type RuleWarning } from "../mapping-errors.js";
import { compileRegex, READING_BUDGET, type Regex } from "../regex/regex.js";
import type { StepBudget } from "../python/step-budget.js";
import { checkRules, SCHEMA_VERSIONS, show, TESTS, type Rule, type SchemaVersion } from "./rule-schema.js";

/** Rules that are known to be in order, ready to be run. Only `compileMapping` makes one. */
export interface Mapping {
  readonly schemaVersion: SchemaVersion;
  readonly rules: readonly CompiledRule[];
  /** Whether all users are of one domain, whatever an assertion says of them. */
  readonly hasOneDomain: boolean;
  /** Where rules leave the choice of a domain to the assertion, so that who makes it is trusted with every domain. */
  readonly warnings: readonly RuleWarning[];
  /** There in type alone, so that nobody writes a mapping by hand. */
  readonly [isCompiled]?: true;
}

declare const isCompiled: unique symbol;

export interface CompiledRule {
  readonly conditions: readonly Condition[];
  readonly locals: readonly LocalTemplate[];
}

export interface MappingSource {
  /** The `rules` of a mapping, as they came in: JSON of any shape. */
  readonly rules: unknown;
  /** One of 1.0, 2.0 and 3.0; empty, `null` and absent mean 1.0. */
  readonly schemaVersion?: unknown;
}

/**
 * The rules of a mapping, ready to be run.
 *
 * Refused is what Keystone refuses to store, and what it stores although it fails at each login that comes by:
 * a pattern that is none, `{2}` where there are two values, a group by name without a domain.
 *
 * @throws {MappingRulesError} The rules can't be stored. `problems` tells each fault and its place.
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
  return { schemaVersion: version, rules: compiled, hasOneDomain: hasOneDomain(checked, version), warnings };
}

/** How long patterns are read before other requests get their turn. */
const MAX_TURN_MS = 10;

/**
 * {@link compileMapping} for a process that serves requests: reading all patterns of some rules may take a second, so it is done in
 * slices.
 */
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

/** Reads a pattern now. @returns Gives what was read, or throws why it can't be. */
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
 * The schema version that a mapping asks for; 1.0, if it asks for none.
 *
 * @throws {MappingRulesError} There is no such version.
 */
export function readSchemaVersion(version: unknown): SchemaVersion {
  if (version === undefined || version === null || version === "") return "1.0";
  const known = SCHEMA_VERSIONS.find((candidate) => candidate === version);
  if (known !== undefined) return known;
  const fault = `expected one of "${SCHEMA_VERSIONS.join('", "')}", found ${show(version)}`;
  throw new MappingRulesError([{ place: "schema_version", fault }]);
}

/** Domains of groups are not told from those of users where both are said in one place: then there may be several. */
function hasOneDomain(rules: readonly Rule[], version: SchemaVersion): boolean {
  const domains = new Set<string>();
  for (const { local } of rules)
    for (const { user, domain } of local) {
      const said = user?.domain ?? (version === "1.0" ? undefined : domain);
      if (said !== undefined || user !== undefined) domains.add(JSON.stringify(said ?? null));
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
  const screens = giving.map(({ screen }) => screen);
  const locals = rule.local.map((item, index) =>
    compileLocal(item, {
      count: giving.length,
      screens,
      place: `${place}.local[${index}]`,
      problems,
      warnings,
    }),
  );
  return { conditions, locals };
}
