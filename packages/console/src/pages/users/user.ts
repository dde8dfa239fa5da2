/** A user as the API returns it. */
import type { operations } from "../../api/client.ts";

export type User =
  operations["get_v3_users"]["responses"][200]["content"]["application/json"]["users"][number];

/** A change of a user, as the API takes it. */
export type UserChange =
  operations["patch_v3_users_user_id"]["requestBody"]["content"]["application/json"]["user"];

/** For a user who needs further factors, and has no rules: a passkey verifies its user itself. */
export const FIRST_RULES: string[][] = [["webauthn"], ["password", "totp"], ["password", "webauthn"]];

/** What the API calls the options of a user, in words. */
export const OPTION_TEXTS: Readonly<Record<string, string>> = {
  ignore_change_password_upon_first_use: "needn't change the first password",
  ignore_password_expiry: "password doesn't expire",
  ignore_lockout_failure_attempts: "isn't locked out after failed logins",
  ignore_user_inactivity: "isn't disabled for inactivity",
  lock_password: "may not change the password",
  multi_factor_auth_enabled: "further factors are required",
};
