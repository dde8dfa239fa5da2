/** Options of users, in requests and stored. */
import { Type, type Static } from "typebox";

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
