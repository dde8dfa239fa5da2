/** A token as it is shown. */
import { formatTimestamp } from "../platform/text/timestamp.js";
import type { Moment } from "../platform/clock.js";
import type { TokenAnswer } from "./auth-schema.js";
import type { ScopeFacts } from "../tokens/token-facts.js";
import type { TokenFederation } from "../tokens/token-payload.js";
import type { Token } from "../tokens/token-service.js";

export type Catalog = NonNullable<TokenAnswer["token"]["catalog"]>;

export type ShownServiceProvider = NonNullable<TokenAnswer["token"]["service_providers"]>[number];

/** What a token shows besides itself. */
export interface Surroundings {
  /** Left out where none is asked for. */
  readonly catalog: Catalog | undefined;
  readonly serviceProviders: readonly ShownServiceProvider[];
}

export function tokenView(
  { payload, facts }: Token,
  { catalog, serviceProviders }: Surroundings,
): TokenAnswer {
  const { user, scope, roles } = facts;
  const { auditId, auditChainId } = payload;
  const federation = payload.federation?.isLocalUser === true ? undefined : payload.federation;
  return {
    token: {
      methods: [...payload.methods],
      user: {
        domain: user.domain,
        id: user.id,
        name: user.name,
        // Users of a federation have no password that could expire.
        ...(federation === undefined && { password_expires_at: inSeconds(user.passwordExpiresAt) }),
        ...(federation !== undefined && { "OS-FEDERATION": federationView(federation) }),
      },
      audit_ids: auditChainId === undefined ? [auditId] : [auditId, auditChainId],
      expires_at: inSeconds(payload.expiresAt),
      issued_at: inSeconds(payload.issuedAt),
      ...scopeView(scope),
      ...(scope.kind !== "unscoped" && { roles: [...roles] }),
      ...(scope.kind !== "unscoped" && catalog !== undefined && { catalog }),
      ...(serviceProviders.length > 0 && { service_providers: [...serviceProviders] }),
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

function scopeView(scope: ScopeFacts): Partial<TokenAnswer["token"]> {
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
