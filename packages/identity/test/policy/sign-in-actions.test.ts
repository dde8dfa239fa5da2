/** Who may reach passkeys, sessions and resets, as docs/identity/passkeys.md and docs/identity/sessions.md have it. */
import { describe, expect, it } from "vitest";

import type { Credentials } from "../../src/policy/caller.js";
import { isAllowed, type Action } from "../../src/policy/is-allowed.js";

const USER = { id: "u1", domainId: "acme" };
const ADMIN = ["admin", "manager", "member", "reader"];
const caller = (roles: readonly string[], scope: Credentials["scope"], userId = "other"): Credentials => ({
  userId,
  roles,
  scope,
});
const acme = { kind: "domain", domainId: "acme" } as const;
const elsewhere = { kind: "domain", domainId: "umbrella" } as const;

const PERSONAS = {
  "system admin": caller(ADMIN, { kind: "system" }),
  "admin of the domain": caller(ADMIN, acme),
  "admin of a project in it": caller(ADMIN, { kind: "project", projectId: "p", projectDomainId: "acme" }),
  "admin of another domain": caller(ADMIN, elsewhere),
  "manager of the domain": caller(["manager", "member", "reader"], acme),
  "manager of another domain": caller(["manager", "member", "reader"], elsewhere),
  "system reader": caller(["reader"], { kind: "system" }),
  "member of the domain": caller(["member", "reader"], acme),
  "the user": caller([], { kind: "unscoped" }, "u1"),
} as const;
type Persona = keyof typeof PERSONAS;

const ADMINS: readonly Persona[] = ["system admin", "admin of the domain", "admin of a project in it"];
const MANAGERS: readonly Persona[] = [...ADMINS, "manager of the domain"];
const READERS: readonly Persona[] = [...MANAGERS, "system reader", "the user"];

const ALLOWED: readonly (readonly [Action, readonly Persona[]])[] = [
  ["identity:list_passkeys", READERS],
  ["identity:create_passkey", ["the user"]],
  ["identity:update_passkey", ["the user"]],
  ["identity:delete_passkey", [...MANAGERS, "the user"]],
  ["identity:reset_passkeys", MANAGERS],
  ["identity:reset_one_time_codes", MANAGERS],
  // As update_user, which sets passwords.
  ["identity:reset_password", [...MANAGERS, "admin of another domain"]],
  ["identity:list_sessions", READERS],
  ["identity:end_session", [...MANAGERS, "the user"]],
  ["identity:end_sessions", [...MANAGERS, "the user"]],
];

describe.each(ALLOWED)("%s", (action, allowed) => {
  it.each(Object.keys(PERSONAS) as Persona[])("by %s", (persona) => {
    expect(isAllowed(action, PERSONAS[persona], { user: USER })).toBe(allowed.includes(persona));
  });
});
