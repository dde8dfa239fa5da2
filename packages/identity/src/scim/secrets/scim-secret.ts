/** The bearer secrets of SCIM clients: fields, schemas, table and errors. Only their digests are stored. */
import { Type, type Static } from "typebox";

import type { Moment } from "../../platform/clock.js";
import type { Queries } from "../../platform/database/database.js";
import { tableOf, type ListQuery } from "../../platform/database/table.js";
import { ConflictError, errorClass, notFoundClass } from "../../platform/errors.js";
import { bodyOf, nullable, SelfLink } from "../../platform/http/validation/schema-parts.js";

export class ScimSecretNotFoundError extends notFoundClass("SCIM secret", "scim-secret/not-found") {}

/** One to use, and one to replace it. */
export const MAX_SECRETS = 2;

export class TooManyScimSecretsError extends errorClass(
  ConflictError,
  "scim-secret/too-many",
  (idpId: string) =>
    `Identity provider ${idpId} has ${MAX_SECRETS} SCIM secrets: delete the one that is no longer used.`,
) {}

/** The provider does not say yet how its users are identified. */
export class ScimOffError extends errorClass(
  ConflictError,
  "scim-secret/scim-off",
  (idpId: string) =>
    `Identity provider ${idpId} has no scim_unique_id: set it to userName or externalId first.`,
) {}

/** A secret of an identity provider's SCIM client. */
export interface ScimSecret {
  readonly id: string;
  readonly idpId: string;
  readonly description: string | null;
  /** SHA-256 in base64url: a random secret of 256 bits needs no slow hash. */
  readonly hash: string;
  readonly createdAt: Moment;
  readonly expiresAt: Moment;
  /** Within the hour; `null` if never. */
  readonly lastUsedAt: Moment | null;
}

export const scimSecretTable = tableOf<ScimSecret>()(
  "scim_secret",
  {
    id: "id",
    idpId: "idp_id",
    description: "description",
    hash: "hash",
    createdAt: "created_at",
    expiresAt: "expires_at",
    lastUsedAt: "last_used_at",
  },
  ScimSecretNotFoundError,
);

export function listScimSecrets(
  queries: Queries,
  idpId: string,
  query: ListQuery<never>,
): Promise<ScimSecret[]> {
  return scimSecretTable.list(queries, query, (all) => all.where("idp_id", "=", idpId));
}

export async function countScimSecrets(queries: Queries, idpId: string): Promise<number> {
  return (await scimSecretTable.all(scimSecretTable.select(queries).where("idp_id", "=", idpId))).length;
}

export function findScimSecret(
  queries: Queries,
  { idpId, id }: Pick<ScimSecret, "idpId" | "id">,
): Promise<ScimSecret | undefined> {
  const secrets = scimSecretTable.select(queries);
  return scimSecretTable.first(secrets.where("id", "=", id).where("idp_id", "=", idpId));
}

interface Tables {
  readonly scim_secret: { id: string; last_used_at: Moment | null };
}

export async function setSecretUsed(queries: Queries, id: string, moment: Moment): Promise<void> {
  await queries
    .tables<Tables>()
    .updateTable("scim_secret")
    .set({ last_used_at: moment })
    .where("id", "=", id)
    .execute();
}

const Draft = Type.Object(
  {
    description: Type.Optional(nullable(Type.String({ maxLength: 255 }))),
    expires_at: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
export type ScimSecretDraft = Static<typeof Draft>;

export const NewScimSecret = bodyOf("scim_secret", Draft);

const view = {
  id: Type.String(),
  description: nullable(Type.String()),
  created_at: Type.String(),
  expires_at: Type.String(),
  last_used_at: nullable(Type.String()),
  links: SelfLink,
};

export const ScimSecretView = Type.Object(view);
/** After its creation alone. */
export const CreatedScimSecretView = Type.Object({ ...view, secret: Type.String() });
