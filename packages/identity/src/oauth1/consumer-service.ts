/** The rules for consumers. */
import type { Platform } from "../area.js";
import { extraOf } from "../platform/attributes.js";
import type { ListQuery } from "../platform/database/table.js";
import { errorClass, InvalidError } from "../platform/errors.js";
import { randomBytes } from "../platform/ids.js";
import { sealingIn, unsealStored } from "../platform/secrets/master-key-in-force.js";
import {
  consumerTable,
  oauth1SecretPlace,
  CONSUMER_MEMBERS,
  type StoredConsumer,
  type ConsumerDraft,
} from "./oauth1-store.js";

/** A consumer as its creation shows it: the secret is shown once. */
export interface CreatedConsumer extends StoredConsumer {
  readonly secret: string;
}

class SecretChangeError extends errorClass(
  InvalidError,
  "oauth1/secret-change",
  "Invalid input for field 'secret': the secret of a consumer can't be changed.",
) {}

export type ConsumerService = ReturnType<typeof createConsumerService>;

export function createConsumerService({
  database,
  masterKey,
  newId,
}: Pick<Platform, "database" | "newId" | "masterKey">) {
  return {
    list: (query: ListQuery<never>): Promise<StoredConsumer[]> => consumerTable.list(database, query),

    get: (id: string): Promise<StoredConsumer> => consumerTable.require(database, id),

    /** @throws {ConsumerNotFoundError} */
    secretOf: async (id: string): Promise<string> => {
      const { sealedSecret } = await consumerTable.require(database, id);
      return unsealStored(masterKey, sealedSecret, oauth1SecretPlace("consumer", id)).toString();
    },

    /** @param draft As in Keystone, an id and a secret in it are ignored. */
    create: async (draft: ConsumerDraft = {}): Promise<CreatedConsumer> => {
      const id = newId();
      const secret = newSecret();
      return database.transaction(
        async (transaction) => {
          const seal = await sealingIn(transaction, { kind: database.kind, masterKey });
          const consumer = {
            id,
            description: draft.description ?? null,
            sealedSecret: seal(Buffer.from(secret), oauth1SecretPlace("consumer", id)),
            extra: extraOf(draft, CONSUMER_MEMBERS),
          };
          await consumerTable.insert(transaction, consumer);
          return { ...consumer, secret };
        },
        { changes: [] },
      );
    },

    /** @throws {InvalidError} The change has a secret. */
    update: async (id: string, change: ConsumerDraft): Promise<StoredConsumer> => {
      if ("secret" in change) throw new SecretChangeError();
      return database.transaction(
        async (transaction) => {
          const consumer = await consumerTable.require(transaction, id);
          const { description = consumer.description } = change;
          const extra = { ...consumer.extra, ...extraOf(change, CONSUMER_MEMBERS) };
          const changed = { ...consumer, description, extra };
          await consumerTable.update(transaction, changed);
          return changed;
        },
        { changes: [] },
      );
    },

    /** With its tokens, and those that were obtained by them. */
    delete: (id: string): Promise<void> =>
      database.transaction((transaction) => consumerTable.delete(transaction, id)),
  };
}

/** 128 random bits as 32 hexadecimal digits. */
export function newSecret(): string {
  return randomBytes(16).toString("hex");
}
