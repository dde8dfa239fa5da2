/** Credentials: fields, schemas, table and errors. Blobs are sealed with the master key. */
import { Type, type Static } from "typebox";

import type { Attributes } from "../platform/attributes.js";
import type { Queries } from "../platform/database/database.js";
import { declareFields, type ItemOf } from "../platform/database/fields.js";
import { json, tableOf, type ListQuery } from "../platform/database/table.js";
import {
  ConflictError,
  errorClass,
  ForbiddenError,
  InvalidError,
  NotFoundError,
} from "../platform/errors.js";
import { bodyOf, nullable, openObject, SelfLink } from "../platform/http/validation/schema-parts.js";
import type { SealedSecret } from "../platform/secrets/sealing.js";
import { userIdsOfDomain } from "../users/user-store.js";

export class CredentialNotFoundError extends errorClass(
  NotFoundError,
  "credentials/not-found",
  (id: string) => `Could not find credential: ${id}.`,
) {}

/** The access key of an EC2 credential is unique in the cloud. */
export class CredentialExistsError extends errorClass(
  ConflictError,
  "credentials/exists",
  (id: string) => `Conflict occurred attempting to store credential - Duplicate entry found with ID ${id}.`,
) {}

export class CredentialLimitError extends errorClass(
  ForbiddenError,
  "credentials/limit",
  (limit: number) =>
    `Unable to create additional credentials, maximum of ${limit} already exceeded for user.`,
) {}

/** A credential names a project that does not exist. */
export class CredentialProjectError extends errorClass(
  NotFoundError,
  "credentials/project-not-found",
  (id: string) => `Could not find project: ${id}.`,
) {}

/** The blob of an EC2 credential is not a JSON object. */
export class Ec2BlobError extends errorClass(
  InvalidError,
  "credentials/ec2-blob",
  "Invalid blob in credential",
) {}

/** An EC2 credential lacks a part. */
export class Ec2PartError extends errorClass(
  InvalidError,
  "credentials/ec2-part",
  (part: string) =>
    `Expecting to find ${part} in credential. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.`,
) {}

/** A change of what is fixed: the owner of a credential, or the delegation to which an EC2 credential is bound. */
export class FixedMemberError extends errorClass(
  InvalidError,
  "credentials/fixed-member",
  (member: string) => `${member} can not be updated for credential`,
) {}

/** The type of credentials that hold secrets of authenticators, in base32. */
export const TOTP_TYPE = "totp";

export const credentialFields = declareFields({
  id: Type.String(),
  user_id: Type.String(),
  type: Type.String(),
  project_id: nullable(Type.String()),
});

/** What a sealed blob is bound to: it can't be moved to another user or project. */
export type CredentialPlace = ItemOf<typeof credentialFields>;

export interface StoredCredential extends CredentialPlace {
  readonly sealedBlob: Buffer;
  /** Attributes that only clients know. */
  readonly extra: Attributes;
  /** The time step of the last accepted one-time code. */
  readonly lastStep: number | null;
}

export const credentialTable = tableOf<StoredCredential>()(
  "credential",
  {
    ...credentialFields.columns,
    sealedBlob: "sealed_blob",
    extra: json("extra"),
    lastStep: "last_step",
  },
  CredentialNotFoundError,
  { resource: "credential", without: ["updated"] },
);

interface Tables {
  readonly credential: {
    id: string;
    user_id: string;
    type: string;
    sealed_blob: Buffer;
    last_step: number | null;
  };
}

export const CREDENTIAL_FILTERS = ["user_id", "type"] as const;

/** The credentials that a caller may see. */
export type CredentialVisibility =
  | { readonly kind: "all" }
  /** Those of the domain's users, and the caller's own. */
  | { readonly kind: "domain"; readonly domainId: string; readonly userId: string }
  | { readonly kind: "own"; readonly userId: string };

export interface CredentialQuery extends ListQuery<(typeof CREDENTIAL_FILTERS)[number]> {
  readonly visibility: CredentialVisibility;
}

/** A page of the credentials, and one more if there is another page. */
export function listCredentials(
  queries: Queries,
  { visibility, ...query }: CredentialQuery,
): Promise<StoredCredential[]> {
  return credentialTable.list(queries, query, (every) => {
    if (visibility.kind === "all") return every;
    const { userId } = visibility;
    if (visibility.kind === "own") return every.where("user_id", "=", userId);
    const ofDomain = userIdsOfDomain(visibility.domainId);
    return every.where((eb) => eb.or([eb("user_id", "=", userId), eb("user_id", "in", ofDomain)]));
  });
}

/** All credentials of a user that have a type. */
export function listCredentialsOf(
  queries: Queries,
  { userId, type }: { readonly userId: string; readonly type: string },
): Promise<StoredCredential[]> {
  return credentialTable.all(
    credentialTable.select(queries).where("user_id", "=", userId).where("type", "=", type).orderBy("id"),
  );
}

/** Deletes all credentials of a user that have a type. */
export async function deleteCredentialsOf(
  queries: Queries,
  { userId, type }: { readonly userId: string; readonly type: string },
): Promise<void> {
  await queries
    .tables<Tables>()
    .deleteFrom("credential")
    .where("user_id", "=", userId)
    .where("type", "=", type)
    .execute();
}

export async function countCredentials(queries: Queries, userId: string): Promise<number> {
  const { count } = await queries
    .tables<Tables>()
    .selectFrom("credential")
    .select((eb) => eb.fn.countAll().as("count"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * Records the step of an accepted one-time code for the credentials whose code it is.
 *
 * @returns Whether no one has used a code of that step, or of a later one, before.
 */
export async function recordStep(
  transaction: Queries,
  { ids, step }: { readonly ids: readonly string[]; readonly step: number },
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .tables<Tables>()
    .updateTable("credential")
    .set({ last_step: step })
    .where("id", "in", ids)
    .where((eb) => eb.or([eb("last_step", "is", null), eb("last_step", "<", step)]))
    .executeTakeFirst();
  return numUpdatedRows === BigInt(ids.length);
}

/** The name that a sealed blob is bound to. */
export function blobPlace({ id, userId, projectId, type }: CredentialPlace): string {
  return ["credential", ...[id, userId, projectId ?? "", type].map(encodeURIComponent)].join("/");
}

/** All blobs, to be sealed again with another master key. */
export async function credentialSecrets(queries: Queries): Promise<SealedSecret[]> {
  const credentials = await credentialTable.all(credentialTable.select(queries));
  return credentials.map((credential) => ({
    place: blobPlace(credential),
    sealed: credential.sealedBlob,
    replace: (transaction, sealed) =>
      transaction
        .tables<Tables>()
        .updateTable("credential")
        .set({ sealed_blob: sealed })
        .where("id", "=", credential.id)
        .execute(),
  }));
}

const Draft = openObject({
  blob: Type.String(),
  type: Type.String(),
  user_id: Type.String(),
  project_id: Type.Optional(nullable(Type.String())),
});
export type CredentialDraft = Static<typeof Draft>;

export const NewCredential = bodyOf("credential", Draft);

/** Members other than the blob may be sent with their current values. */
const Change = Type.Object(
  {
    blob: Type.String(),
    id: Type.Optional(Type.String()),
    type: Type.Optional(Type.String()),
    user_id: Type.Optional(Type.String()),
    project_id: Type.Optional(nullable(Type.String())),
  },
  { additionalProperties: false },
);
export type CredentialChange = Static<typeof Change>;

export const ChangedCredential = bodyOf("credential", Change);

export const CredentialView = openObject({
  ...credentialFields.shape,
  blob: Type.String(),
  links: SelfLink,
});

export const Ec2KeyView = Type.Object({
  user_id: Type.String(),
  tenant_id: nullable(Type.String()),
  access: Type.String(),
  secret: nullable(Type.String()),
  trust_id: nullable(Type.String()),
  links: SelfLink,
});

/** Members of a body that are not stored as attributes of the client. */
export const CREDENTIAL_MEMBERS = [...credentialFields.names, "blob", "links"];
