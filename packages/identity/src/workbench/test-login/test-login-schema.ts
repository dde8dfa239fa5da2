/** Schemas of test logins in requests and responses. */
import { Type, type Static, type TProperties } from "typebox";

import { PROVIDER_ANSWER } from "../../federation/provider-remedies.js";
import type { ProtocolType } from "../../federation/protocols/protocol-type.js";
import { bodyOf, nullable, openObject, SelfLink } from "../../platform/http/validation/schema-parts.js";

/** What is tested, by its only member: one that the protocol's type names; a browser's login, if it is empty. */
export type TestLoginDraft = Readonly<Record<string, string>>;

/** The body with what the types of protocols can test. */
export function newTestLogin(types: readonly Pick<ProtocolType, "testRequests">[]) {
  const members = types.flatMap(({ testRequests = {} }) => Object.entries(testRequests));
  const properties = members.map(([name, { maxLength }]) => [
    name,
    Type.Optional(Type.String({ minLength: 1, maxLength })),
  ]);
  const draft = Type.Object(Object.fromEntries(properties) as TProperties, {
    additionalProperties: false,
    maxProperties: 1,
  });
  return bodyOf("test_login", Type.Unsafe<TestLoginDraft>(draft));
}

export const STEP_STATUSES = ["passed", "failed", "not-reached"] as const;

const Step = Type.Object({
  step: Type.String(),
  status: Type.Enum([...STEP_STATUSES]),
  message: Type.String(),
  received: Type.Optional(Type.String()),
  expected: Type.Optional(Type.String()),
  ...PROVIDER_ANSWER,
});

const Role = Type.Object({ id: Type.String(), name: Type.String() });
const Scope = Type.Object({
  project: Type.Optional(
    Type.Object({ id: Type.String(), name: Type.String(), domain_id: nullable(Type.String()) }),
  ),
  domain: Type.Optional(Type.Object({ id: Type.String(), name: Type.String() })),
  system: Type.Optional(Type.Object({ all: Type.Literal(true) })),
});

export const TestLoginResult = Type.Object({
  steps: Type.Array(Step),
  /** With their values; `null` if the assertion was not verified. */
  attributes: nullable(Type.Record(Type.String(), Type.Unknown())),
  /** The mapping's trace, as `POST .../mappings/{id}/evaluate` has it; `null` if it was not reached. */
  mapping: nullable(openObject({ id: Type.String() })),
  /** The user who would have logged in; `null` if the login failed before. */
  user: nullable(
    Type.Object({
      id: Type.String(),
      name: nullable(Type.String()),
      email: nullable(Type.String()),
      domain_id: nullable(Type.String()),
      type: Type.Enum(["federated", "local", "unstored"]),
      exists: Type.Boolean(),
    }),
  ),
  groups: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), domain_id: Type.String() })),
  /** Projects that the mapping names, with the roles that it grants there. */
  projects: Type.Array(
    Type.Object({ name: Type.String(), domain_id: Type.String(), roles: Type.Array(Role) }),
  ),
  /** What the user could get a token for, without what the login would grant. */
  scopes: Type.Array(Type.Object({ scope: Scope, roles: Type.Array(Role) })),
  /** What the login would have changed. */
  changes: Type.Array(
    Type.Object({
      action: Type.Enum(["create", "update", "delete"]),
      resource: Type.String(),
      name: Type.Optional(Type.String()),
      role_id: Type.Optional(Type.String()),
      project_id: Type.Optional(Type.String()),
    }),
  ),
  /** Whether values were left out because there are too many. */
  truncated: Type.Boolean(),
});
export type TestLoginResult = Static<typeof TestLoginResult>;
export type TestLoginStep = TestLoginResult["steps"][number];

export const TestLoginView = Type.Object({
  id: Type.String(),
  idp_id: Type.String(),
  protocol_id: Type.String(),
  status: Type.Enum(["waiting", "begun", "passed", "failed"]),
  created_at: Type.String(),
  expires_at: Type.String(),
  /** Where the browser that sent the request begins the login; `null` if none may, or has. */
  login_url: nullable(Type.String()),
  result: nullable(TestLoginResult),
  links: SelfLink,
});
export type TestLoginView = Static<typeof TestLoginView>;
