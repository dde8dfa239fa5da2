/** Options of users: their schema, and the multi-factor rules that they hold. */
import { Type, type Static } from "typebox";

import type { Queries } from "../platform/database/database.js";
import { nullable } from "../platform/http/validation/schema-parts.js";

const flag = Type.Optional(nullable(Type.Boolean()));

/** Options in requests: `null` removes one. */
export const UserOptionChanges = Type.Object(
  {
    ignore_change_password_upon_first_use: flag,
    ignore_password_expiry: flag,
    ignore_lockout_failure_attempts: flag,
    lock_password: flag,
    ignore_user_inactivity: flag,
    multi_factor_auth_rules: Type.Optional(
      nullable(
        Type.Array(Type.Array(Type.String(), { minItems: 1, uniqueItems: true }), { uniqueItems: true }),
      ),
    ),
    multi_factor_auth_enabled: flag,
  },
  { additionalProperties: false },
);
export type UserOptionChanges = Static<typeof UserOptionChanges>;

/** Options that are set. */
export type UserOptions = {
  readonly [Name in keyof UserOptionChanges]?: NonNullable<UserOptionChanges[Name]>;
};

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
