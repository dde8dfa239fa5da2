/** Credentials in the database. Blobs are sealed with the master key. */
import type { Attributes } from "../platform/attributes.js";
import type { Queries } from "../platform/database/database.js";
import type { ListQuery } from "../platform/database/list-query.js";
import { json, tableOf } from "../platform/database/table.js";
import type { SealedSecret } from "../platform/secrets/sealing.js";
import { userIdsOfDomain } from "../users/user-store.js";
import { CredentialNotFoundError } from "./credential-errors.js";

/** The type of credentials that hold secrets of authenticators, in base32. */
export const TOTP_TYPE = "totp";

/** What a sealed blob is bound to: it can't be moved to another user or project. */
export interface CredentialPlace {
  readonly id: string;
  readonly userId: string;
  readonly projectId: string | null;
  readonly type: string;
}

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
    id: "id",
    userId: "user_id",
    projectId: "project_id",
    type: "type",
    sealedBlob: "sealed_blob",
    extra: json("extra"),
    lastStep: "last_step",
  },
  CredentialNotFoundError,
);

interface Tables {
  readonly credential: { id: string; user_id: string; sealed_blob: Buffer; last_step: number | null };
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
