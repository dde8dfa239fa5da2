/**
 * Multi-factor rules of users (`multi_factor_auth_rules`): each lists authentication methods, and a login has to use all methods of
 * one of the rules.
 */
import { errorClass, InvalidError } from "../platform/errors.js";
import type { Queries } from "../platform/database/database.js";
import type { UserOptions } from "./user-options.js";

export type MultiFactorRules = readonly (readonly string[])[];

/** Methods that rules may name although they are not offered: those of Keystone. */
const KEYSTONE_METHODS: ReadonlySet<string> = new Set(["fingerprint"]);

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

/** A rule names a method that does not exist. */
export class UnknownMethodError extends errorClass(
  InvalidError,
  "users/unknown-method",
  (method: string, names: readonly string[]) =>
    `Invalid input for field/attribute multi_factor_auth_rules. Value: ${method}. ` +
    `No such authentication method, expected the id of a protocol or one of ${names.join(", ")}`,
) {}

/**
 * Checks new rules. Stored rules are not checked again.
 *
 * @throws {UnknownMethodError}
 */
export async function checkNewRules(
  queries: Queries,
  { multi_factor_auth_rules: rules }: UserOptions,
  { known, methods }: { readonly known: UserOptions; readonly methods: OfferedMethods },
): Promise<void> {
  const stored = new Set((known.multi_factor_auth_rules ?? []).map((rule) => JSON.stringify(rule)));
  const added = (rules ?? []).filter((rule) => !stored.has(JSON.stringify(rule)));
  for (const method of new Set(added.flat())) {
    if (methods.names.includes(method) || KEYSTONE_METHODS.has(method)) continue;
    if (!(await methods.isProtocol(queries, method))) throw new UnknownMethodError(method, methods.names);
  }
}
