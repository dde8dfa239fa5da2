/** Passkeys, the credentials of WebAuthn: fields, schemas, table and errors. */
import { Type, type Static } from "typebox";

import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import { json, tableOf, type ConflictOf, type ListQuery } from "../platform/database/table.js";
import {
  ConflictError,
  errorClass,
  ForbiddenError,
  InvalidError,
  notFoundClass,
} from "../platform/errors.js";
import { bodyOf, Name, nullable, SelfLink } from "../platform/http/validation/schema-parts.js";

export class PasskeyNotFoundError extends notFoundClass("passkey", "passkeys/not-found") {}

/** The authenticator has registered it before, perhaps for another user. */
export class PasskeyExistsError extends errorClass(
  ConflictError,
  "passkeys/exists",
  "This passkey is registered already.",
) {}

export class PasskeyLimitError extends errorClass(
  ForbiddenError,
  "passkeys/limit",
  (limit: number) => `A user can have at most ${limit} passkeys.`,
) {}

/** What the browser sent does not verify. */
export class PasskeyRefusedError extends errorClass(
  InvalidError,
  "passkeys/registration-refused",
  (reason: string) => `The passkey can't be registered: ${reason}.`,
) {}

/** A shadow user: the provider alone decides about its logins. */
export class ShadowUserPasskeyError extends errorClass(
  ForbiddenError,
  "passkeys/shadow-user",
  "A user of an identity provider can't have passkeys here: it logs in at the provider.",
) {}

/** Browsers refuse passkeys at the service's address. */
export class PasskeysUnusableError extends errorClass(ForbiddenError, "passkeys/unusable") {
  override readonly isForOperator = true;
}

export interface Passkey {
  readonly id: string;
  /** As its authenticator calls it, base64url. */
  readonly credentialId: string;
  readonly userId: string;
  /** For people, such as the device. */
  readonly name: string;
  /** COSE_Key. */
  readonly publicKey: Buffer;
  /** Of its last signature; stays 0 for an authenticator that does not count. */
  readonly counter: number;
  /** How browsers reach the authenticator: `internal`, `hybrid`, `usb`. */
  readonly transports: readonly string[];
  /** Whether the authenticator may copy it to other devices. */
  readonly isBackupEligible: boolean;
  /** Whether it had, when it was used last. */
  readonly isBackedUp: boolean;
  readonly createdAt: Moment;
  /** `null` before the first login. */
  readonly lastUsedAt: Moment | null;
}

const passkeyTable = tableOf<Passkey>()(
  "passkey",
  {
    id: "id",
    credentialId: "credential_id",
    userId: "user_id",
    name: "name",
    publicKey: "public_key",
    counter: "counter",
    transports: json("transports"),
    isBackupEligible: "backup_eligible",
    isBackedUp: "backed_up",
    createdAt: "created_at",
    lastUsedAt: "last_used_at",
  },
  PasskeyNotFoundError,
);

interface Tables {
  readonly passkey: {
    id: string;
    user_id: string;
    counter: number;
    backed_up: boolean;
    last_used_at: Moment | null;
  };
}

/** A page of a user's passkeys, and one more if there is another page. */
export function listPasskeys(queries: Queries, userId: string, query: ListQuery<never>): Promise<Passkey[]> {
  return passkeyTable.list(queries, query, (every) => every.where("user_id", "=", userId));
}

export function passkeysOf(queries: Queries, userId: string): Promise<Passkey[]> {
  return passkeyTable.all(passkeyTable.select(queries).where("user_id", "=", userId).orderBy("id"));
}

export function findByCredential(queries: Queries, credentialId: string): Promise<Passkey | undefined> {
  return passkeyTable.first(passkeyTable.select(queries).where("credential_id", "=", credentialId));
}

/** @throws {PasskeyNotFoundError} Also for the passkey of another user. */
export async function requirePasskey(
  queries: Queries,
  { id, userId }: Pick<Passkey, "id" | "userId">,
): Promise<Passkey> {
  const passkey = await passkeyTable.require(queries, id);
  if (passkey.userId !== userId) throw new PasskeyNotFoundError(id);
  return passkey;
}

export function insertPasskey(queries: Queries, passkey: Passkey, conflict: ConflictOf): Promise<void> {
  return passkeyTable.insert(queries, passkey, conflict);
}

export function updatePasskey(queries: Queries, passkey: Passkey): Promise<void> {
  return passkeyTable.update(queries, passkey);
}

export function deletePasskey(queries: Queries, id: string): Promise<void> {
  return passkeyTable.delete(queries, id);
}

/** @returns How many there were. */
export async function deletePasskeysOf(queries: Queries, userId: string): Promise<number> {
  const { numDeletedRows } = await queries
    .tables<Tables>()
    .deleteFrom("passkey")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** A login by a passkey. */
export interface PasskeyUse {
  readonly id: string;
  readonly counter: number;
  readonly isBackedUp: boolean;
  readonly at: Moment;
}

/**
 * Records a use, if its counter is higher than that of the last one. Both are 0 for authenticators that don't count.
 *
 * @returns Whether it was recorded: a counter that does not rise is that of a copy, or of a replayed signature.
 */
export async function recordUse(
  transaction: Queries,
  { id, counter, isBackedUp, at }: PasskeyUse,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .tables<Tables>()
    .updateTable("passkey")
    .set({ counter, backed_up: isBackedUp, last_used_at: at })
    .where("id", "=", id)
    .where("counter", counter === 0 ? "=" : "<", counter)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const PasskeyView = Type.Object({
  id: Type.String(),
  user_id: Type.String(),
  name: Type.String(),
  transports: Type.Array(Type.String()),
  backup_eligible: Type.Boolean(),
  backed_up: Type.Boolean(),
  created_at: Type.String(),
  last_used_at: nullable(Type.String()),
  links: SelfLink,
});

/** Bytes in base64url. */
const bytes = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: "^[A-Za-z0-9_-]+$" });

/** Longer ones are not allowed by WebAuthn: 1023 bytes. */
const CredentialId = bytes(1364);
const ClientData = bytes(8192);

const ofAnyCredential = {
  id: CredentialId,
  rawId: CredentialId,
  type: Type.Literal("public-key"),
  authenticatorAttachment: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
  clientExtensionResults: Type.Optional(Type.Object({}, { additionalProperties: true })),
};

/** `PublicKeyCredential.toJSON()` of a registration. */
export const RegistrationResponse = Type.Object({
  ...ofAnyCredential,
  response: Type.Object({
    clientDataJSON: ClientData,
    attestationObject: bytes(65_536),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 16 })),
  }),
});
export type RegistrationResponse = Static<typeof RegistrationResponse>;

/** `PublicKeyCredential.toJSON()` of a login. */
export const AssertionResponse = Type.Object({
  ...ofAnyCredential,
  response: Type.Object({
    clientDataJSON: ClientData,
    authenticatorData: bytes(8192),
    signature: bytes(4096),
    userHandle: Type.Optional(nullable(Type.String({ maxLength: 128 }))),
  }),
});
export type AssertionResponse = Static<typeof AssertionResponse>;

export const NewPasskey = bodyOf(
  "passkey",
  Type.Object({ name: Name, credential: RegistrationResponse }, { additionalProperties: false }),
);
export type PasskeyDraft = Static<typeof NewPasskey>["passkey"];

export const PasskeyChange = bodyOf("passkey", Type.Object({ name: Name }, { additionalProperties: false }));
