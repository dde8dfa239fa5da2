/** Multi-factor rules, which are options of users: the methods that a login has to use, and which of them are missing. */
import type { Queries } from "../platform/database/database.js";
import type { UserOptions } from "./user-options.js";

/** Each lists authentication methods (`multi_factor_auth_rules`): a login has to use all methods of one of the rules. */
export type MultiFactorRules = readonly (readonly string[])[];

/** The rules that logins of a user have to satisfy; none if disabled. */
export function activeRules(options: UserOptions): MultiFactorRules {
  if (options.multi_factor_auth_enabled === false) return [];
  return (options.multi_factor_auth_rules ?? []).filter((rule) => rule.length > 0);
}

/** Whether these methods satisfy a rule. A rule with a method that is not offered can't be satisfied. */
export function satisfiesRules(rules: MultiFactorRules, methods: readonly string[]): boolean {
  return rules.length === 0 || rules.some((rule) => rule.every((method) => methods.includes(method)));
}

/** The rules of which some methods were used: the possible continuations. */
export function rulesBegun(rules: MultiFactorRules, methods: readonly string[]): MultiFactorRules {
  return rules.filter((rule) => rule.some((method) => methods.includes(method)));
}

export interface OfferedMethods {
  /** The offered methods, without protocols. */
  readonly names: readonly string[];
  /** Whether any identity provider has a protocol of this id, which is a method too. */
  isProtocol(queries: Queries, id: string): Promise<boolean>;
}

/** The methods of rules that no login can use: neither offered nor the id of a protocol. They are stored, as by Keystone. */
export async function unavailableMethods(
  queries: Queries,
  { multi_factor_auth_rules: rules }: UserOptions,
  offered: OfferedMethods,
): Promise<string[]> {
  const found: string[] = [];
  for (const method of new Set((rules ?? []).flat()))
    if (!offered.names.includes(method) && !(await offered.isProtocol(queries, method))) found.push(method);
  return found;
}
