/** Identity providers: fields, schemas and table. */
import type { SelectQueryBuilder } from "kysely";
import { Type, type Static } from "typebox";

import type { Queries } from "../platform/database/database.js";
import { declareFields, type ItemOf } from "../platform/database/fields.js";
import { pageOf, json, tableOf, type ListQuery, type RowOf } from "../platform/database/table.js";
import { bodyOf, Id, nullable, SelfLink } from "../platform/http/validation/schema-parts.js";
import { IdentityProviderNotFoundError } from "./identity-provider-errors.js";

export const providerFields = declareFields({
  id: Type.String(),
  enabled: Type.Boolean(),
  description: nullable(Type.String()),
  /** The domain of its users. */
  domain_id: Type.String(),
  /** Minutes for which a login makes users members of groups. */
  authorization_ttl: nullable(Type.Integer()),
});

/** Asserts the identity of users. */
export interface IdentityProvider extends ItemOf<typeof providerFields> {
  /** Its own ids, such as an issuer or entity ID; unique among providers. */
  readonly remoteIds: readonly string[];
  /** Ids of the domains of groups, projects and local users that a login may refer to; `null` for all domains. */
  readonly authorizedDomains: readonly string[] | null;
  /** What of a user whom the provider pushes by SCIM is its unique id at logins; `null` without SCIM. */
  readonly scimUniqueId: "userName" | "externalId" | null;
}

/** Its protocols are deleted with it. */
export const providerTable = tableOf<Omit<IdentityProvider, "remoteIds">>()(
  "identity_provider",
  {
    ...providerFields.columns,
    authorizedDomains: json("authorized_domains"),
    scimUniqueId: "scim_unique_id",
  },
  IdentityProviderNotFoundError,
);

type ProviderRow = RowOf<typeof providerTable>;

interface Tables {
  readonly identity_provider: ProviderRow;
  readonly identity_provider_remote_id: { remote_id: string; idp_id: string; position: number };
}

type Selection = SelectQueryBuilder<Tables, "identity_provider", ProviderRow>;

export interface IdentityProviderQuery extends ListQuery<"id"> {
  /** Values that `enabled` has to have, all of them. */
  readonly enabled: readonly boolean[];
}

/** A page of the providers, and one more if there is another page. */
export function listProviders(
  queries: Queries,
  { enabled, ...query }: IdentityProviderQuery,
): Promise<IdentityProvider[]> {
  return readProviders(queries, (every) =>
    pageOf(
      enabled.reduce((providers, value) => providers.where("enabled", "=", value), every),
      "identity_provider.id",
      query,
    ),
  );
}

export async function findProvider(queries: Queries, id: string): Promise<IdentityProvider | undefined> {
  const [provider] = await readProviders(queries, (all) => all.where("id", "=", id));
  return provider;
}

/** The provider that has a remote id. */
export async function findProviderByRemoteId(
  queries: Queries,
  remoteId: string,
): Promise<IdentityProvider | undefined> {
  const [provider] = await readProviders(queries, (all) =>
    all.where("id", "in", (eb) =>
      eb
        .selectFrom("identity_provider_remote_id")
        .select("identity_provider_remote_id.idp_id")
        .where("identity_provider_remote_id.remote_id", "=", remoteId),
    ),
  );
  return provider;
}

export async function insertProvider(queries: Queries, provider: IdentityProvider): Promise<void> {
  await providerTable.insert(queries, provider);
  await insertRemoteIds(queries, provider);
}

export async function updateProvider(queries: Queries, provider: IdentityProvider): Promise<void> {
  await providerTable.update(queries, provider);
  await queries
    .tables<Tables>()
    .deleteFrom("identity_provider_remote_id")
    .where("idp_id", "=", provider.id)
    .execute();
  await insertRemoteIds(queries, provider);
}

/** The first of the provider's remote ids that another provider has. */
export async function takenRemoteId(
  queries: Queries,
  { id, remoteIds }: Pick<IdentityProvider, "id" | "remoteIds">,
): Promise<string | undefined> {
  for (const some of parts(remoteIds)) {
    const row = await queries
      .tables<Tables>()
      .selectFrom("identity_provider_remote_id")
      .select("remote_id")
      .where("remote_id", "in", some)
      .where("idp_id", "<>", id)
      .orderBy("remote_id")
      .executeTakeFirst();
    if (row !== undefined) return row.remote_id;
  }
  return undefined;
}

async function insertRemoteIds(
  queries: Queries,
  { id, remoteIds }: Pick<IdentityProvider, "id" | "remoteIds">,
): Promise<void> {
  const rows = remoteIds.map((remote_id, position) => ({ remote_id, idp_id: id, position }));
  for (const some of parts(rows))
    await queries.tables<Tables>().insertInto("identity_provider_remote_id").values(some).execute();
}

/** Databases limit the parameters of a statement. */
function parts<Item>(items: readonly Item[]): Item[][] {
  const size = 1000;
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** The chosen providers in the order of their ids, with their remote ids. */
async function readProviders(
  queries: Queries,
  choose: (all: Selection) => Selection,
): Promise<IdentityProvider[]> {
  const tables = queries.tables<Tables>();
  const rows = await tables
    .selectFrom(choose(tables.selectFrom("identity_provider").selectAll("identity_provider")).as("chosen"))
    .leftJoin("identity_provider_remote_id as remote", "remote.idp_id", "chosen.id")
    .selectAll("chosen")
    .select("remote.remote_id as remote_id")
    .orderBy("chosen.id")
    .orderBy("remote.position")
    .execute();
  return toProviders(rows);
}

/** @param rows One for each remote id; one for a provider without. */
function toProviders(rows: readonly (ProviderRow & { remote_id: string | null })[]): IdentityProvider[] {
  const providers = new Map<string, IdentityProvider & { remoteIds: string[] }>();
  for (const { remote_id, ...row } of rows) {
    const provider =
      providers.get(row.id) ?? Object.assign(providerTable.toItem(row), { remoteIds: [] as string[] });
    if (remote_id !== null) provider.remoteIds.push(remote_id);
    providers.set(row.id, provider);
  }
  return [...providers.values()];
}

const MAX_AUTHORIZED_DOMAINS = 1000;

const ScimUniqueIdName = Type.Enum(["userName", "externalId"]);

/** An issuer or entity ID: that of Entra ID has 75 characters. */
export const RemoteId = Type.String({ maxLength: 255 });

export const IdentityProviderAttributes = {
  enabled: Type.Optional(Type.Boolean()),
  description: Type.Optional(nullable(Type.String())),
  // Minutes; the column has 32 bits.
  authorization_ttl: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }))),
  remote_ids: Type.Optional(nullable(Type.Array(RemoteId, { uniqueItems: true }))),
  authorized_domains: Type.Optional(
    nullable(Type.Array(Id, { uniqueItems: true, maxItems: MAX_AUTHORIZED_DOMAINS })),
  ),
  scim_unique_id: Type.Optional(nullable(ScimUniqueIdName)),
};

const Draft = Type.Object(
  { domain_id: Type.Optional(nullable(Id)), ...IdentityProviderAttributes },
  { additionalProperties: false },
);
export type IdentityProviderDraft = Static<typeof Draft>;

/** All members are optional, the provider itself too. */
export const NewIdentityProvider = Type.Object(
  { identity_provider: Type.Optional(Draft) },
  { additionalProperties: false },
);

const Change = Type.Object(IdentityProviderAttributes, { additionalProperties: false, minProperties: 1 });
export type IdentityProviderChange = Static<typeof Change>;

export const ChangedIdentityProvider = bodyOf("identity_provider", Change);

const view = {
  ...providerFields.shape,
  remote_ids: Type.Array(Type.String()),
  // Left out for a provider of all domains: Keystone has no such attribute.
  authorized_domains: Type.Optional(Type.Array(Type.String())),
  scim_unique_id: Type.Optional(ScimUniqueIdName),
};

export const IdentityProviderView = Type.Object({ ...view, links: SelfLink });
/** In lists. */
export const ListedIdentityProvider = Type.Object({
  ...view,
  links: Type.Object({ self: Type.String(), protocols: Type.String() }),
});
