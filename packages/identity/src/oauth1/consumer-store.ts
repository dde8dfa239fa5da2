/** Consumers in the database: programs that ask users for access tokens. Their secrets are sealed with the master key. */
import type { Attributes } from "../platform/attributes.js";
import { json, tableOf } from "../platform/database/table.js";
import { ConsumerNotFoundError } from "./oauth1-errors.js";

export interface StoredConsumer {
  readonly id: string;
  readonly description: string | null;
  readonly sealedSecret: Buffer;
  readonly extra: Attributes;
}

export const consumerTable = tableOf<StoredConsumer>()(
  "oauth1_consumer",
  { id: "id", description: "description", sealedSecret: "sealed_secret", extra: json("extra") },
  ConsumerNotFoundError,
);
