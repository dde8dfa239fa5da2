/** A user as the API returns it. */
import type { operations } from "../../api/client.ts";
import type { Domains } from "../../parts/domains.svelte.ts";
import { findProjects } from "../../parts/find-records.ts";
import type { Pick } from "../../ui/forms/Picker.svelte";
import type { RecordField } from "../../ui/forms/record-fields.ts";

export type User =
  operations["get_v3_users"]["responses"][200]["content"]["application/json"]["users"][number];

/** A change of a user, as the API takes it. */
export type UserChange =
  operations["patch_v3_users_user_id"]["requestBody"]["content"]["application/json"]["user"];

/** An attribute that the API takes as it comes, such as `email`; empty, if it isn't set. */
export function textOf(user: User | undefined, attribute: "email" | "description"): string {
  const value = user?.[attribute];
  return typeof value === "string" ? value : "";
}

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

/** The options that are set, by the API's names. */
export function optionsOf(user: User | undefined): readonly string[] {
  return Object.keys(OPTION_TEXTS).filter((key) => user?.options[key] === true);
}

/** The options as a request takes them: each that has a text, and rules for the first time that further factors are required. */
export function optionChanges(
  chosen: readonly string[],
  { hasRules }: { readonly hasRules: boolean },
): NonNullable<UserChange["options"]> {
  return {
    ...Object.fromEntries(Object.keys(OPTION_TEXTS).map((key) => [key, chosen.includes(key)])),
    ...(chosen.includes("multi_factor_auth_enabled") && !hasRules
      ? { multi_factor_auth_rules: FIRST_RULES }
      : {}),
  };
}

/** The options in a form. */
export const OPTIONS_FIELD: RecordField = {
  key: "options",
  kind: "choices",
  label: "Options",
  options: Object.entries(OPTION_TEXTS).map(([value, text]) => ({
    value,
    text: text.charAt(0).toUpperCase() + text.slice(1),
  })),
};

/** The default project in a form. @param known The one that is set. */
export function defaultProjectField(domains: Domains, known: readonly Pick[] = []): RecordField {
  return {
    key: "default_project",
    kind: "picks",
    label: "Default project",
    hint: "The scope of logins that ask for none.",
    max: 1,
    find: (text) => findProjects(text, domains),
    known,
  };
}
