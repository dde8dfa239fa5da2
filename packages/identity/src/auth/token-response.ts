/** Responses with a token: what they show, and the steps that all logins share. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type, type Static } from "typebox";

import type { Catalog } from "../catalog/catalog.js";
import { formatSeconds, formatWithoutZone } from "../platform/clock.js";
import { andThen } from "../platform/concurrency/and-then.js";
import { nullable, openObject } from "../platform/http/validation/schema-parts.js";
import { shortened } from "../platform/text/quoted-value.js";
import { outcomeOf, writeAudit } from "../policy/audit.js";
import type { Credentials } from "../policy/caller.js";
import type { ShowToken } from "../policy/held-policy.js";
import { auditIdsOf } from "../tokens/audit-ids.js";
import type { ShownDelegation } from "../tokens/delegations.js";
import type { ShownRole, ShownScope } from "../tokens/token-facts.js";
import type { TokenFederation } from "../tokens/token-payload.js";
import type { Token } from "../tokens/token-service.js";
import { userIdOf } from "./failed-login-reports.js";
import type { IssuedToken, Login } from "./login.js";

const Named = Type.Object({ id: Type.String(), name: Type.String() });
const InDomain = Type.Object({ id: Type.String(), name: Type.String(), domain: Named });

export const TokenResponse = Type.Object({
  token: Type.Object({
    methods: Type.Array(Type.String()),
    user: Type.Object({
      id: Type.String(),
      name: Type.String(),
      domain: Named,
      password_expires_at: Type.Optional(nullable(Type.String())),
      "OS-FEDERATION": Type.Optional(
        Type.Object({
          groups: Type.Array(Type.Object({ id: Type.String() })),
          identity_provider: Type.Object({ id: Type.String() }),
          protocol: Type.Object({ id: Type.String() }),
        }),
      ),
    }),
    audit_ids: Type.Array(Type.String()),
    issued_at: Type.String(),
    expires_at: Type.String(),
    project: Type.Optional(InDomain),
    is_domain: Type.Optional(Type.Boolean()),
    domain: Type.Optional(Named),
    system: Type.Optional(Type.Object({ all: Type.Literal(true) })),
    roles: Type.Optional(
      Type.Array(
        Type.Object({
          ...Named.properties,
          domain_id: Type.Optional(nullable(Type.String())),
          description: Type.Optional(nullable(Type.String())),
          options: Type.Optional(openObject({})),
        }),
      ),
    ),
    "OS-TRUST:trust": Type.Optional(
      Type.Object({
        id: Type.String(),
        impersonation: Type.Boolean(),
        trustor_user: Type.Object({ id: Type.String() }),
        trustee_user: Type.Object({ id: Type.String() }),
      }),
    ),
    application_credential: Type.Optional(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        restricted: Type.Boolean(),
        access_rules: Type.Optional(
          Type.Array(
            Type.Object({
              id: Type.String(),
              service: Type.String(),
              method: Type.String(),
              path: Type.String(),
            }),
          ),
        ),
      }),
    ),
    "OS-OAUTH1": Type.Optional(Type.Object({ access_token_id: Type.String(), consumer_id: Type.String() })),
    oauth2_credential: Type.Optional(Type.Object({ "x5t#S256": Type.String() })),
    catalog: Type.Optional(Type.Array(Type.Object({}, { additionalProperties: true }))),
    service_providers: Type.Optional(
      Type.Array(Type.Object({ id: Type.String(), auth_url: Type.String(), sp_url: Type.String() })),
    ),
  }),
});
export type TokenResponse = Static<typeof TokenResponse>;

type ShownServiceProviders = Readonly<NonNullable<TokenResponse["token"]["service_providers"]>>;

export interface TokenCatalogDeps {
  readonly catalog: Pick<Catalog, "of" | "json">;
}

export interface TokenResponseDeps extends TokenCatalogDeps {
  readonly serviceProviders: {
    readonly listEnabled: () => ShownServiceProviders | Promise<ShownServiceProviders>;
  };
}

export interface LoginResponseDeps extends TokenResponseDeps {
  readonly login: Login;
}

/** @returns The reply: hooks of some routes send it later, and without it an empty response would be sent. */
export async function sendIssued(
  sendToken: SendToken,
  reply: FastifyReply,
  { token, wantsCatalog }: { readonly token: IssuedToken } & TokenResponseOptions,
): Promise<FastifyReply> {
  await sendToken(reply.code(201), { token, text: token.text, wantsCatalog });
  return reply;
}

type SendToken = ReturnType<typeof createTokenSender>;

/** A validated token is the same object as long as it shows the same: its JSON is written once. */
export function createTokenSender({ serviceProviders, catalog }: TokenResponseDeps) {
  const known = new WeakMap<Token, ShownToken>();
  function jsonOf(token: Token, providers: ShownServiceProviders): string {
    let shown = known.get(token);
    if (shown?.providers !== providers) {
      shown = { providers, json: `{"token":${JSON.stringify(viewOf(token, providers)).slice(0, -1)}` };
      known.set(token, shown);
    }
    return shown.json;
  }

  return (
    reply: FastifyReply,
    { token, text, wantsCatalog }: { readonly token: Token; readonly text: string } & TokenResponseOptions,
  ): void | Promise<void> =>
    andThen(serviceProviders.listEnabled(), (providers) =>
      andThen(
        showsCatalog(token, { wantsCatalog }) ? catalog.json(catalogReader(token)) : undefined,
        (shownCatalog) => {
          const json = jsonOf(token, providers);
          // Not returned: a promise would ask the reply, which is one too, when it is sent.
          reply
            .header("x-subject-token", text)
            .type("application/json; charset=utf-8")
            .send(shownCatalog === undefined ? `${json}}}` : `${json},"catalog":${shownCatalog}}}`);
        },
      ),
    );
}

interface ShownToken {
  readonly providers: ShownServiceProviders;
  /** The response up to the catalog, which follows if it is shown, and the braces at the end. */
  readonly json: string;
}

/**
 * @param target How the request names the user.
 * @param outcome That of the status, if left out.
 */
export function auditLogin(
  request: FastifyRequest,
  { statusCode }: FastifyReply,
  target: Readonly<Record<string, string>>,
  outcome: ReturnType<typeof outcomeOf> = outcomeOf(statusCode),
): void {
  // Unset after a failed login, and before the browser has been at the provider.
  const caller = request.caller as Credentials | undefined;
  writeAudit(request, statusCode, {
    action: "authenticate",
    user: caller?.userId ?? userIdOf(request),
    scope: caller?.scope,
    delegation: caller?.delegation?.by,
    // Any client chooses how long these are.
    target: Object.fromEntries(
      Object.entries(target).map(([name, value]) => [name, shortened(value, MAX_NAME_CHARACTERS)]),
    ),
    outcome,
  });
}

/** Of a name in the audit log: no user's is longer. */
const MAX_NAME_CHARACTERS = 255;

export interface TokenResponseOptions {
  readonly wantsCatalog: boolean;
}

export async function tokenResponse(
  deps: TokenResponseDeps,
  token: Token,
  options: TokenResponseOptions,
): Promise<TokenResponse> {
  const catalog = showsCatalog(token, options) ? await catalogOf(deps, token) : undefined;
  const view = viewOf(token, await deps.serviceProviders.listEnabled());
  return { token: { ...view, ...(catalog !== undefined && { catalog }) } };
}

function showsCatalog({ facts }: Token, { wantsCatalog }: TokenResponseOptions): boolean {
  return wantsCatalog && facts.scope.kind !== "unscoped";
}

/** What a response shows of a token, without its catalog. */
function viewOf({ payload, facts }: Token, providers: ShownServiceProviders): TokenResponse["token"] {
  const { user, scope, roles } = facts;
  const federation = payload.federation?.isLocalUser === true ? undefined : payload.federation;
  return {
    methods: [...payload.methods],
    user: {
      domain: user.domain,
      id: user.id,
      name: user.name,
      // Federated users have no password that could expire.
      ...(federation === undefined && {
        password_expires_at:
          user.passwordExpiresAt === null ? null : formatWithoutZone(user.passwordExpiresAt),
      }),
      ...(federation !== undefined && { "OS-FEDERATION": federationView(federation) }),
    },
    audit_ids: auditIdsOf(payload),
    expires_at: formatSeconds(payload.expiresAt),
    issued_at: formatSeconds(payload.issuedAt),
    ...scopeView(scope, facts.delegation),
    ...(scope.kind !== "unscoped" && { roles: roles.map(tokenRoleView) }),
    ...delegationView(facts.delegation),
    ...(providers.length > 0 && { service_providers: [...providers] }),
  };
}

/** Tokens of callers as rules of policy files see them. */
export function createShownTokens(tokenOf: (caller: Credentials) => Token | undefined): ShowToken {
  const known = new WeakMap<Credentials, object>();
  return (caller) => {
    let shown = known.get(caller);
    const token = shown === undefined ? tokenOf(caller) : undefined;
    if (token !== undefined) known.set(caller, (shown = tokenForRules(token)));
    return shown;
  };
}

/** As responses show a token, but for the catalog and service providers, which no rule names. */
export function tokenForRules(token: Pick<Token, "payload" | "facts">): object {
  return viewOf(token, []);
}

/** The catalog for a token's user and project. */
export async function catalogOf({ catalog }: TokenCatalogDeps, token: Token): Promise<object[]> {
  return [...(await catalog.of(catalogReader(token)))];
}

function catalogReader({ payload, facts: { scope, delegation } }: Token) {
  return {
    // Of a trust, also without impersonation, it is the trustor's.
    userId: delegation?.trust?.trustorId ?? payload.userId,
    projectId: scope.kind === "project" ? scope.project.id : undefined,
  };
}

function federationView({ identityProviderId, protocolId, groupIds }: TokenFederation) {
  return {
    groups: groupIds.map((id) => ({ id })),
    identity_provider: { id: identityProviderId },
    protocol: { id: protocolId },
  };
}

function tokenRoleView({ id, name, details }: ShownRole) {
  if (details === undefined) return { id, name };
  const { domainId, description, options } = details;
  return { id, name, domain_id: domainId, description, options };
}

function delegationView(facts: ShownDelegation = {}): Partial<TokenResponse["token"]> {
  const { applicationCredential, trust, accessToken, certificateThumbprint } = facts;
  if (trust !== undefined) return { "OS-TRUST:trust": trustedView(trust) };
  if (accessToken !== undefined)
    return { "OS-OAUTH1": { access_token_id: accessToken.id, consumer_id: accessToken.consumerId } };
  if (certificateThumbprint !== undefined)
    return { oauth2_credential: { "x5t#S256": certificateThumbprint } };
  if (applicationCredential === undefined) return {};
  const { id, name, isRestricted, accessRules } = applicationCredential;
  return {
    application_credential: {
      id,
      name,
      restricted: isRestricted,
      ...(accessRules !== undefined && { access_rules: [...accessRules] }),
    },
  };
}

function trustedView({ id, impersonation, trustorId, trusteeId }: NonNullable<ShownDelegation["trust"]>) {
  return { id, impersonation, trustor_user: { id: trustorId }, trustee_user: { id: trusteeId } };
}

function scopeView(scope: ShownScope, { trust }: ShownDelegation = {}): Partial<TokenResponse["token"]> {
  if (scope.kind === "unscoped") return {};
  if (scope.kind === "system") return { system: { all: true } };
  if (scope.kind === "domain") return { domain: scope.domain };
  const { id, name, domain, isDomain } = scope.project;
  // As in Keystone, tokens of trusts lack `is_domain`.
  return { project: { domain, id, name }, ...(trust === undefined && { is_domain: isDomain }) };
}
