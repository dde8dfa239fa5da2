/** The rules for SCIM secrets, and the check of one. */
import { createHash, timingSafeEqual } from "node:crypto";

import type { Platform } from "../../area.js";
import { requireProvider } from "../../identity-providers/identity-provider-service.js";
import type { IdentityProvider } from "../../identity-providers/identity-provider.js";
import { DAY_MS, type Moment } from "../../platform/clock.js";
import type { ListQuery } from "../../platform/database/table.js";
import { expiryMoment, readExpiry } from "../../platform/expiry.js";
import { randomBytes } from "../../platform/ids.js";
import {
  countScimSecrets,
  findScimSecret,
  listScimSecrets,
  MAX_SECRETS,
  ScimOffError,
  ScimSecretNotFoundError,
  scimSecretTable,
  setSecretUsed,
  TooManyScimSecretsError,
  type ScimSecret,
  type ScimSecretDraft,
} from "./scim-secret.js";

export interface ScimSecretServiceDeps extends Pick<Platform, "database" | "clock" | "newId"> {
  /** Days until a secret expires whose request says nothing. */
  readonly secretDays: number;
}

export type ScimSecretService = ReturnType<typeof createScimSecretService>;

/** 256 bits. */
const SECRET_BYTES = 32;
const FORM = /^scim_(?<id>[0-9a-f]{32})_(?<secret>[A-Za-z0-9_-]{43})$/;
/** How old the recorded last use may be. */
const USE_MS = 3_600_000;
/** What a secret is compared with that does not exist. */
const NO_HASH = digestOf("");

/** The ids of a secret and its provider. */
export type ScimSecretKey = Pick<ScimSecret, "idpId" | "id">;

export function createScimSecretService({ database, clock, newId, secretDays }: ScimSecretServiceDeps) {
  /** Secrets whose use this process is recording. */
  const recording = new Set<string>();

  /** In the background, at most once in an hour. */
  function recordUse({ id, lastUsedAt }: ScimSecret, now: Moment): void {
    if ((lastUsedAt !== null && now - lastUsedAt < USE_MS) || recording.has(id)) return;
    recording.add(id);
    void database
      .transaction((transaction) => setSecretUsed(transaction, id, now), { changes: [] })
      .catch(() => {})
      .finally(() => recording.delete(id));
  }

  return {
    /** @throws {IdentityProviderNotFoundError} */
    async list(idpId: string, query: ListQuery<never>): Promise<ScimSecret[]> {
      await requireProvider(database, idpId);
      return listScimSecrets(database.forLists, idpId, query);
    },

    /** @throws {ScimSecretNotFoundError} */
    async get(key: ScimSecretKey): Promise<ScimSecret> {
      const found = await findScimSecret(database, key);
      if (found === undefined) throw new ScimSecretNotFoundError(key.id);
      return found;
    },

    /**
     * @returns The secret itself too, which can't be read again.
     * @throws {TooManyScimSecretsError} {@link ScimOffError} {@link ExpiryError}
     */
    async create(
      idpId: string,
      { description = null, expires_at }: ScimSecretDraft,
    ): Promise<ScimSecret & { readonly secret: string }> {
      const now = clock.now();
      const expiresAt =
        expires_at === undefined ? now + secretDays * DAY_MS : expiryMoment(readExpiry(expires_at, now));
      const random = randomBytes(SECRET_BYTES).toString("base64url");
      const id = newId();
      const hash = digestOf(random).toString("base64url");
      const stored = { id, idpId, description, hash, createdAt: now, expiresAt, lastUsedAt: null };
      await database.transaction(
        async (transaction) => {
          const provider = await requireProvider(transaction, idpId);
          if (provider.scimUniqueId === null) throw new ScimOffError(idpId);
          if ((await countScimSecrets(transaction, idpId)) >= MAX_SECRETS)
            throw new TooManyScimSecretsError(idpId);
          await scimSecretTable.insert(transaction, stored);
        },
        { changes: [] },
      );
      return { ...stored, secret: `scim_${id}_${random}` };
    },

    /** Requests with it are refused at once, on all replicas. */
    async delete(key: ScimSecretKey): Promise<void> {
      await database.transaction(
        async (transaction) => {
          if ((await findScimSecret(transaction, key)) === undefined)
            throw new ScimSecretNotFoundError(key.id);
          await scimSecretTable.delete(transaction, key.id);
        },
        { changes: [] },
      );
    },

    /**
     * The stored secret that a client has sent for a provider. An unknown provider takes the same steps as a wrong secret.
     *
     * @returns `undefined` for one that is malformed, unknown, expired or that of another provider.
     */
    async verify(idpId: IdentityProvider["id"], sent: string): Promise<ScimSecret | undefined> {
      const { id = "", secret = "" } = FORM.exec(sent)?.groups ?? {};
      const found = await findScimSecret(database, { idpId, id });
      const expected = found === undefined ? NO_HASH : Buffer.from(found.hash, "base64url");
      const isRight = timingSafeEqual(digestOf(secret), expected);
      const now = clock.now();
      if (found === undefined || !isRight || found.expiresAt <= now) return undefined;
      recordUse(found, now);
      return found;
    },
  };
}

function digestOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
