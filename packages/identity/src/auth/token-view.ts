/** The response that shows a token. */
import { formatTimestamp } from "../platform/text/timestamp.js";
import type { Moment } from "../platform/clock.js";
import type { DelegationFacts } from "../tokens/delegations.js";
import type { ScopeFacts } from "../tokens/token-facts.js";
import type { TokenFederation } from "../tokens/token-payload.js";
import type { Token } from "../tokens/token-service.js";
import type { TokenResponse } from "./auth-schema.js";

export type ShownCatalog = NonNullable<TokenResponse["token"]["catalog"]>;

export type ShownServiceProvider = NonNullable<TokenResponse["token"]["service_providers"]>[number];

export interface TokenResponseDeps {
  /** The catalog for a token's user and scope. */
  readonly catalogOf: (token: Token) => Promise<ShownCatalog>;
  readonly serviceProviders: { readonly listEnabled: () => Promise<readonly ShownServiceProvider[]> };
}

export async function tokenResponse(
  { catalogOf, serviceProviders }: TokenResponseDeps,
  token: Token,
  { wantsCatalog }: { readonly wantsCatalog: boolean },
): Promise<TokenResponse> {
  const { payload, facts } = token;
  const { user, scope, roles } = facts;
  const isScoped = scope.kind !== "unscoped";
  const catalog = wantsCatalog && isScoped ? await catalogOf(token) : undefined;
  const providers = await serviceProviders.listEnabled();
  const { auditId, auditChainId } = payload;
  const federation = payload.federation?.isLocalUser === true ? undefined : payload.federation;
  return {
    token: {
      methods: [...payload.methods],
      user: {
        domain: user.domain,
        id: user.id,
        name: user.name,
        // Federated users have no password that could expire.
        ...(federation === undefined && { password_expires_at: inSeconds(user.passwordExpiresAt) }),
        ...(federation !== undefined && { "OS-FEDERATION": federationView(federation) }),
      },
      audit_ids: auditChainId === undefined ? [auditId] : [auditId, auditChainId],
      expires_at: inSeconds(payload.expiresAt),
      issued_at: inSeconds(payload.issuedAt),
      ...scopeView(scope),
      ...(isScoped && { roles: [...roles] }),
      ...delegationView(facts.delegation),
      ...(catalog !== undefined && { catalog }),
      ...(providers.length > 0 && { service_providers: [...providers] }),
    },
  };
}

function federationView({ identityProviderId, protocolId, groupIds }: TokenFederation) {
  return {
    groups: groupIds.map((id) => ({ id })),
    identity_provider: { id: identityProviderId },
    protocol: { id: protocolId },
  };
}

function delegationView({ applicationCredential }: DelegationFacts = {}): Partial<TokenResponse["token"]> {
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

function scopeView(scope: ScopeFacts): Partial<TokenResponse["token"]> {
  if (scope.kind === "unscoped") return {};
  if (scope.kind === "system") return { system: { all: true } };
  if (scope.kind === "domain") return { domain: scope.domain };
  const { id, name, domain, isDomain } = scope.project;
  return { project: { domain, id, name }, is_domain: isDomain };
}

function inSeconds(moment: Moment): string;
function inSeconds(moment: Moment | null): string | null;
function inSeconds(moment: Moment | null): string | null {
  return moment === null ? null : formatTimestamp(Math.floor(moment / 1000) * 1000);
}
