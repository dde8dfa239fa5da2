/** Login requests: their schema, and the references to users, projects and domains in them. */
import { Type, type Static } from "typebox";

import { AssertionResponse } from "../passkeys/passkey.js";
import { nullable } from "../platform/http/validation/schema-parts.js";
import type { DomainReference, QualifiedReference } from "../platform/database/domain-scoped-names.js";
import { FailedLoginError, MissingPartError, UnnamedError } from "./auth-errors.js";

const ReferenceSchema = Type.Object({
  id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
});
const UserReference = Type.Object({
  id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  domain: Type.Optional(ReferenceSchema),
  password: Type.Optional(Type.String()),
});

/** A code that is no text is rejected like a wrong one. */
const CodeOfUser = Type.Object({
  id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  domain: Type.Optional(ReferenceSchema),
  passcode: Type.Optional(Type.Unknown()),
});

/** Other methods have their own members. */
const Identity = Type.Object({
  methods: Type.Array(Type.String()),
  password: Type.Optional(Type.Object({ user: Type.Optional(UserReference) })),
  token: Type.Optional(Type.Object({ id: Type.String() })),
  application_credential: Type.Optional(
    Type.Object({
      id: Type.Optional(Type.String()),
      name: Type.Optional(Type.String()),
      secret: Type.Optional(nullable(Type.String())),
      user: Type.Optional(UserReference),
    }),
  ),
  totp: Type.Optional(Type.Object({ user: Type.Optional(CodeOfUser) })),
  webauthn: Type.Optional(Type.Object({ assertion: Type.Optional(AssertionResponse) })),
});

export const Scope = Type.Object({
  project: Type.Optional(
    Type.Object({
      id: Type.Optional(Type.String()),
      name: Type.Optional(Type.String()),
      domain: Type.Optional(ReferenceSchema),
    }),
  ),
  domain: Type.Optional(ReferenceSchema),
  system: Type.Optional(Type.Object({ all: Type.Optional(Type.Boolean()) })),
  "OS-TRUST:trust": Type.Optional(Type.Object({ id: Type.Optional(Type.String()) })),
  unscoped: Type.Optional(Type.Object({})),
});

export const AuthBody = Type.Object({
  auth: Type.Object({
    identity: Identity,
    scope: Type.Optional(Type.Union([Scope, Type.String()])),
  }),
});
export type Auth = Static<typeof AuthBody>["auth"];
export type Reference = Static<typeof ReferenceSchema>;
export type ScopeSection = Auth["scope"];

/** The scope that a login requests. */
export type ScopeRequest =
  /** None requested: the user's default project, or unscoped. */
  | { readonly kind: "any" }
  | { readonly kind: "unscoped" }
  | { readonly kind: "system" }
  | { readonly kind: "project"; readonly project: QualifiedReference }
  | { readonly kind: "domain"; readonly domain: DomainReference }
  | { readonly kind: "trust"; readonly trustId: string };

const KINDS = ["system", "project", "domain", "OS-TRUST:trust", "unscoped"];

/**
 * Reads the member `scope` of a request for a token.
 *
 * @throws {MissingPartError} None of the scopes, or several.
 * @throws {FailedLoginError} A scope that is not supported.
 */
export function readScope(scope: ScopeSection): ScopeRequest {
  if (scope === undefined) return { kind: "any" };
  if (scope === "unscoped") return { kind: "unscoped" };
  const sections = typeof scope === "string" ? {} : scope;
  const [kind, ...others] = KINDS.filter((name) => name in sections);
  if (kind === undefined || others.length > 0)
    throw new MissingPartError("system, project, domain, OS-TRUST:trust or unscoped", "scope");
  if (kind === "unscoped") return { kind };
  if (kind === "project") return { kind, project: readNamed(sections.project ?? {}, "scope/project") };
  if (kind === "domain") return { kind, domain: readDomain(sections.domain ?? {}, "scope/domain") };
  if (kind === "system" && sections.system?.all !== false) return { kind };
  if (kind === "OS-TRUST:trust") return { kind: "trust", trustId: readTrustId(sections[kind]) };
  throw new FailedLoginError("scope-unsupported", {
    detail: `scope ${kind} is not supported, or its value is not allowed`,
  });
}

/** @throws {MissingPartError} */
function readTrustId({ id }: { readonly id?: string } = {}): string {
  if (id === undefined) throw new MissingPartError("trust_id", "trust");
  return id;
}

/**
 * Parses the reference to a project or a user.
 *
 * @param place Its place in the request, such as `scope/project`.
 * @throws {UnnamedError} Neither id nor name, or a domain with neither.
 * @throws {MissingPartError} A name without a domain.
 */
export function readNamed(
  { id, name, domain }: Reference & { readonly domain?: Reference },
  place: string,
): QualifiedReference {
  if (id !== undefined) return { id };
  if (name === undefined) throw new UnnamedError(place);
  if (domain === undefined) throw new MissingPartError("domain", place.slice(place.lastIndexOf("/") + 1));
  return { name, domain: readDomain(domain, `${place}/domain`) };
}

function readDomain({ id, name }: Reference, place: string): DomainReference {
  if (id !== undefined) return { id };
  if (name !== undefined) return { name };
  throw new UnnamedError(place);
}
