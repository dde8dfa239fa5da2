/** Which rule is in force for each name: those of files over the built-in defaults, with regard to the names that rules had before. */
import { parseRule } from "./parse-rule.js";
import type { PolicyRule } from "./rule.js";

export interface DefaultRule {
  readonly name: string;
  readonly check: string;
  /** The rule as it was before a release of Keystone, under the same or another name. */
  readonly deprecated?: { readonly name: string; readonly check: string } | undefined;
}

/** @param isStrict Without the former rule beside the new one: `enforce_new_defaults`. */
export function effectiveRules(
  defaults: readonly DefaultRule[],
  written: ReadonlyMap<string, PolicyRule>,
  { isStrict }: { readonly isStrict: boolean },
): Map<string, PolicyRule> {
  const rules = new Map(written);
  for (const rule of defaults)
    if (!written.has(rule.name)) rules.set(rule.name, unwritten(rule, written, isStrict));
  return rules;
}

/** A rule that no file has by its name; maybe one has it by its former name. */
function unwritten(
  { name, check, deprecated }: DefaultRule,
  written: ReadonlyMap<string, PolicyRule>,
  isStrict: boolean,
): PolicyRule {
  const rule = parseRule(check);
  if (deprecated === undefined) return rule;
  const former = parseRule(deprecated.check);
  const renamed = deprecated.name === name ? undefined : written.get(deprecated.name);
  const isOverride =
    renamed !== undefined && !isSame(renamed, former) && !(renamed.kind === "rule" && renamed.name === name);
  if (isOverride) return renamed;
  return isStrict || isSame(rule, former) ? rule : { kind: "any", of: [rule, former] };
}

export function isSame(a: PolicyRule, b: PolicyRule): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
