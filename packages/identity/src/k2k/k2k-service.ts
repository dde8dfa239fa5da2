/** The service as an identity provider for other clouds, and what it tells everybody about itself. */
import type { Clock } from "../platform/clock.js";
import { isHeaderText } from "../platform/http/header-text.js";
import type { Links } from "../platform/http/links.js";
import type { NewId } from "../platform/ids.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import type { ServiceProvider } from "../service-providers/service-provider-store.js";
import type { Token, TokenService } from "../tokens/token-service.js";
import { keystoneResponse, type KeystoneUser } from "./keystone-assertion.js";
import { xmlId } from "../saml/xml-writing.js";
import {
  ProjectTokenNeededError,
  ServiceProviderAddressError,
  ServiceProviderDisabledError,
} from "./k2k-errors.js";
import { samlMetadata } from "../saml/service-metadata.js";
import type { SamlKeys } from "../saml/saml-keys.js";
import { entityIdOf, type SamlSettings } from "../saml/saml-settings.js";

interface Named {
  readonly name: string;
}

export interface SamlProviderDeps {
  readonly settings: SamlSettings;
  readonly keys: Pick<SamlKeys, "current">;
  readonly tokens: Pick<TokenService, "read">;
  readonly serviceProviders: { readonly get: (id: string) => Promise<ServiceProvider> };
  readonly users: { readonly groupIdsOf: (userId: string) => Promise<readonly string[]> };
  readonly groups: {
    readonly findGroup: (reference: {
      readonly id: string;
    }) => Promise<(Named & { readonly domainId: string }) | undefined>;
  };
  readonly projects: {
    readonly findDomain: (reference: { readonly id: string }) => Promise<Named | undefined>;
  };
  /** Where users of the protocols of SAML come in. */
  readonly consumerUrls: () => Promise<readonly string[]>;
  /** Another number as soon as keys or protocols may have changed. */
  readonly revision: () => number;
  readonly links: Links;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** A response for a service provider, who is asked for where to take it. */
export interface ResponseForProvider {
  readonly response: string;
  readonly provider: ServiceProvider;
}

export type SamlProvider = ReturnType<typeof createSamlProvider>;

export function createSamlProvider(deps: SamlProviderDeps) {
  const { settings, keys, tokens, serviceProviders, links, clock, newId, revision } = deps;
  const entityId = entityIdOf(settings, links);
  const listConsumerUrls = createRevisionCache<readonly string[]>({ revision, maxEntries: 1 });
  let document: { readonly facts: string; readonly xml: string } | undefined;

  return {
    entityId,

    /** Signed when keys or protocols have changed, and not for each who asks, which is anybody. */
    async metadata(): Promise<string> {
      const consumerUrls = await listConsumerUrls.get("urls", () => deps.consumerUrls());
      const ring = await keys.current();
      const facts = JSON.stringify([
        consumerUrls,
        ring.keys.map(({ number }) => number),
        ring.signing.number,
      ]);
      if (document?.facts !== facts) {
        const xml = samlMetadata({
          entityId,
          settings,
          ring,
          signOnUrl: links.to("/v3/auth/OS-FEDERATION/saml2"),
          // A service provider must say some place, and where nobody has been let in yet it is this one that says no.
          consumerUrls:
            consumerUrls.length > 0 ? consumerUrls : [links.to("/v3/auth/OS-FEDERATION/websso/saml2")],
          id: xmlId(newId),
        });
        document = { facts, xml };
      }
      return document.xml;
    },

    /**
     * What a service provider is told of the user of a token.
     *
     * @throws {ProjectTokenNeededError} {@link ServiceProviderDisabledError} {@link ServiceProviderAddressError}
     *   {@link NotFoundError}
     */
    async respond(tokenText: string, providerId: string): Promise<ResponseForProvider> {
      const token = await tokens.read(tokenText);
      const provider = await serviceProviders.get(providerId);
      if (!provider.enabled) throw new ServiceProviderDisabledError(providerId);
      requireSendable(provider);
      const user = await describe(token, deps);
      const { signing } = await keys.current();
      const response = keystoneResponse(user, {
        issuer: entityId,
        recipient: provider.spUrl,
        key: signing,
        newId,
        now: clock.now(),
        lifetimeMs: settings.samlAssertionSeconds * 1000,
      });
      return { response, provider };
    },
  };
}

/** The answer names both addresses in headers. */
function requireSendable({ id, authUrl, spUrl }: ServiceProvider): void {
  if (!isHeaderText(authUrl)) throw new ServiceProviderAddressError(id, "auth_url");
  if (!isHeaderText(spUrl)) throw new ServiceProviderAddressError(id, "sp_url");
}

async function describe({ payload, facts }: Token, deps: SamlProviderDeps): Promise<KeystoneUser> {
  const { user, scope, roles } = facts;
  if (scope.kind !== "project") throw new ProjectTokenNeededError();
  const groupIds = new Set([
    ...(payload.federation?.groupIds ?? []),
    ...(await deps.users.groupIdsOf(payload.userId)),
  ]);
  return {
    user: user.name,
    userDomain: user.domain.name,
    roles: roles.map(({ name }) => name),
    project: scope.project.name,
    projectDomain: scope.project.domain.name,
    groups: await describeGroups([...groupIds], deps),
  };
}

/** Those that end meanwhile are left out. */
async function describeGroups(ids: readonly string[], { groups, projects }: SamlProviderDeps) {
  const described: { name: string; domain: string }[] = [];
  for (const id of ids) {
    const group = await groups.findGroup({ id });
    const domain = group && (await projects.findDomain({ id: group.domainId }));
    if (group !== undefined && domain !== undefined)
      described.push({ name: group.name, domain: domain.name });
  }
  return described;
}
