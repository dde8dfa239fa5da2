/** Signing keys in the database, as the master key has sealed them. */
import type { Moment } from "../platform/clock.js";
import type { Database } from "../platform/database/database.js";
import type { SigningKeyStore } from "./signing-keys.js";

interface Tables {
  readonly signing_key: { number: number; sealed: Buffer; created_at: Moment };
}

/** No answer rests on these keys that a process remembers by revision: it reads them again by itself, now and then. */
const CHANGES = { changes: [] } as const;

export function createSigningKeyStore(database: Database): SigningKeyStore {
  return {
    async list() {
      const rows = await database.tables<Tables>().selectFrom("signing_key").selectAll().execute();
      return rows.map(({ number, sealed, created_at: createdAt }) => ({ number, sealed, createdAt }));
    },
    add: ({ number, sealed, createdAt }) =>
      database.transaction(async (transaction) => {
        const { numInsertedOrUpdatedRows: added = 0n } = await transaction
          .tables<Tables>()
          .insertInto("signing_key")
          .values({ number, sealed: Buffer.from(sealed), created_at: createdAt })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        return added > 0n;
      }, CHANGES),
    removeBelow: (number) =>
      database.transaction(async (transaction) => {
        await transaction.tables<Tables>().deleteFrom("signing_key").where("number", "<", number).execute();
      }, CHANGES),
    replaceSealed: (keys, alongside) =>
      database.transaction(async (transaction) => {
        for (const [number, sealed] of keys) {
          await transaction
            .tables<Tables>()
            .updateTable("signing_key")
            .set({ sealed: Buffer.from(sealed) })
            .where("number", "=", number)
            .execute();
        }
        await alongside?.(transaction);
      }, CHANGES),
  };
}
