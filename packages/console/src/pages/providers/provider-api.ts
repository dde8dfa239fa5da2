/** Providers and their protocols, as the pages read and write them. */
import { api, ask, type paths } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";

export interface Provider {
  readonly id: string;
  readonly domain_id: string;
  readonly enabled: boolean;
  readonly description: string | null;
  readonly remote_ids: readonly string[];
}

export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warning" | "failure";
  readonly message: string;
  /** A change that would mend or complete it. */
  readonly proposal?: {
    readonly remote_id?: string;
    readonly settings?: Readonly<Record<string, unknown>>;
  };
}

export interface Protocol {
  readonly id: string;
  readonly mapping_id: string;
  readonly settings?: {
    readonly type: string;
    readonly secrets_set: readonly string[];
    readonly [name: string]: unknown;
  };
  readonly checks?: readonly Finding[];
  readonly register?: Readonly<Record<string, string>>;
}

export interface ProtocolHealth {
  readonly id: string;
  readonly type: string | null;
  readonly status: "healthy" | "attention" | "disabled" | "unknown";
  readonly problems: readonly string[];
  readonly reads_documents: boolean;
  readonly documents: readonly { readonly kind: string; readonly read_at: string }[];
  readonly failures: readonly {
    readonly kind: string;
    readonly reason: string;
    readonly failed_at: string;
    readonly failing_since: string;
  }[];
  readonly keys: readonly {
    readonly id: string;
    readonly algorithm: string;
    readonly expires_at: string | null;
    readonly fault: string | null;
    /** Whose it is, where the provider has several entities. */
    readonly entity: string | null;
  }[];
  readonly metadata_valid_until: string | null;
  readonly last_login_at: string | null;
  readonly last_refused: {
    readonly id: string;
    readonly step: string;
    readonly reason: string;
    readonly refused_at: string;
  } | null;
  /** Of the settings in force. */
  readonly last_check: { readonly checked_at: string; readonly checks: readonly Finding[] } | null;
  readonly logins: readonly { readonly day: string; readonly succeeded: number; readonly refused: number }[];
}

export interface Health {
  readonly id: string;
  readonly enabled: boolean;
  readonly user_count: number;
  readonly protocols: readonly ProtocolHealth[];
}

const ofProvider = (idpId: string) => ({ params: { path: { idp_id: idpId } } });
const ofProtocol = (idpId: string, id: string) => ({ params: { path: { idp_id: idpId, protocol_id: id } } });

export async function readHealth(idpId: string): Promise<Health> {
  return (await ask(api.GET("/v3/OS-FEDERATION/identity_providers/{idp_id}/health", ofProvider(idpId))))
    .health;
}

export async function readProvider(idpId: string): Promise<Provider> {
  return (await ask(api.GET("/v3/OS-FEDERATION/identity_providers/{idp_id}", ofProvider(idpId))))
    .identity_provider;
}

export async function listProtocols(idpId: string): Promise<readonly Protocol[]> {
  return (await ask(api.GET("/v3/OS-FEDERATION/identity_providers/{idp_id}/protocols", ofProvider(idpId))))
    .protocols;
}

type Entities =
  paths["/v3/OS-FEDERATION/identity_providers/{idp_id}/protocols/{protocol_id}/entities"]["get"]["responses"]["200"]["content"]["application/json"];
export type Entity = Entities["entities"][number];

/** Some of the providers that the metadata of a protocol describes, by words of their names, domains or ids. */
export function findEntities(
  { idpId, protocolId }: { readonly idpId: string; readonly protocolId: string },
  search: string,
): Promise<Entities> {
  const params = { path: { idp_id: idpId, protocol_id: protocolId }, query: { search } };
  return ask(
    api.GET("/v3/OS-FEDERATION/identity_providers/{idp_id}/protocols/{protocol_id}/entities", { params }),
  );
}

/** Creates a provider, or changes one that exists. */
export async function putProvider(
  idpId: string,
  provider: Partial<Omit<Provider, "id">>,
  exists: boolean,
): Promise<void> {
  const { domain_id: domainId, remote_ids: wanted, ...change } = provider;
  const path = "/v3/OS-FEDERATION/identity_providers/{idp_id}";
  const attributes = { ...change, ...(wanted === undefined ? {} : { remote_ids: [...wanted] }) };
  if (exists) await ask(api.PATCH(path, { ...ofProvider(idpId), body: { identity_provider: attributes } }));
  else
    await ask(
      api.PUT(path, {
        ...ofProvider(idpId),
        body: {
          identity_provider: { ...attributes, ...(domainId === undefined ? {} : { domain_id: domainId }) },
        },
      }),
    );
}

export async function putMapping(id: string, rules: readonly object[], exists: boolean): Promise<void> {
  const request = { params: { path: { mapping_id: id } }, body: { mapping: { rules } } } as never;
  const path = "/v3/OS-FEDERATION/mappings/{mapping_id}";
  await (exists ? ask(api.PATCH(path, request)) : ask(api.PUT(path, request)));
}

export interface ProtocolDraft {
  readonly mapping_id?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** Creates a protocol, or changes one that exists. @returns With the findings of its checks. */
export async function putProtocol(
  idpId: string,
  id: string,
  draft: ProtocolDraft,
  exists: boolean,
): Promise<Protocol> {
  const request = { ...ofProtocol(idpId, id), body: { protocol: draft } } as never;
  const path = "/v3/OS-FEDERATION/identity_providers/{idp_id}/protocols/{protocol_id}";
  const body = exists ? await ask(api.PATCH(path, request)) : await ask(api.PUT(path, request));
  return (body as { protocol: Protocol }).protocol;
}

/** The issuer or entity ID of the provider's assertions, where its remote ids lack it. */
export function proposedRemoteId({ checks = [] }: Protocol): string | undefined {
  return checks.map(({ proposal }) => proposal?.remote_id).find((id) => id !== undefined);
}

/** Makes the change that a check proposes. @returns With the findings afterwards. */
export async function acceptProposal(
  idpId: string,
  id: string,
  { remote_id: remoteId, settings }: NonNullable<Finding["proposal"]>,
): Promise<Protocol> {
  if (settings !== undefined) return putProtocol(idpId, id, { settings }, true);
  if (remoteId !== undefined) {
    const { remote_ids: known } = await readProvider(idpId);
    await putProvider(idpId, { remote_ids: [...known, remoteId] }, true);
  }
  return refreshProtocol(idpId, id);
}

/** Reads the provider again. @returns With the findings of its checks. */
export async function refreshProtocol(idpId: string, id: string): Promise<Protocol> {
  const path = "/v3/OS-FEDERATION/identity_providers/{idp_id}/protocols/{protocol_id}/refresh";
  return (await ask(api.POST(path, ofProtocol(idpId, id)))).protocol;
}

export async function deleteProvider(idpId: string): Promise<void> {
  await ask(api.DELETE("/v3/OS-FEDERATION/identity_providers/{idp_id}", ofProvider(idpId)));
}

/** The rules of a mapping; `undefined` if it does not exist. */
export async function readRules(id: string): Promise<readonly object[] | undefined> {
  const params = { path: { mapping_id: id } };
  return orMissing(
    ask(api.GET("/v3/OS-FEDERATION/mappings/{mapping_id}", { params })).then(({ mapping }) => mapping.rules),
  );
}

/** `undefined` for what does not exist. */
export async function orMissing<Found>(request: Promise<Found>): Promise<Found | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
