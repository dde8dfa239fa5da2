/**
 * Which master key is in force, and the only way to seal a secret for the database: by that key.
 *
 * The id of the key in force is a row of the database. Each transaction that stores a secret locks that row against a change,
 * and `keys reseal` changes it in the transaction that seals everything anew. So every stored secret is sealed by the key in
 * force, whatever runs at the same time, and a replica that was not restarted with the next key is refused its writes.
 */
import type { Database, Queries } from "../database/database.js";
import { UnavailableError } from "../errors.js";
import { sealSecret, type MasterKey } from "./sealing.js";

interface Tables {
  readonly master_key: { slot: number; key_id: string };
}

/** The table has one row. */
const SLOT = 1;

/** This process has a master key that another one has replaced. What it would seal, no other replica could open. */
export class MasterKeyNotInForce extends UnavailableError {
  override readonly name = "MasterKeyNotInForce";
  override readonly code = "master-key/not-in-force";

  /** @param reason For the operator, in the log. */
  constructor(reason: string) {
    super("The service can't use stored secrets until an administrator has restarted it with its new key.", {
      cause: new Error(
        `${reason}: set IDENTITY_MASTER_KEY_FILE (or IDENTITY_MASTER_KEY) to the master key that is in force, and restart this process`,
      ),
      retryAfterSeconds: 60,
    });
  }
}

/** Seals a secret for its place, within the transaction that the key was checked in. */
export type Seal = (secret: Uint8Array, place: string) => Buffer;

/**
 * What seals secrets that a transaction stores. The key that stores the first secret is in force from then on.
 *
 * @throws {MasterKeyNotInForce} Another master key is in force.
 */
export async function sealingIn(
  transaction: Queries,
  { kind, masterKey }: { readonly kind: Database["kind"]; readonly masterKey: MasterKey },
): Promise<Seal> {
  if ((await keyIdInForce(transaction)) === undefined) await putFirst(transaction, masterKey);
  const inForce = await lockedKeyId(transaction, kind);
  if (inForce !== masterKey.id) throw new MasterKeyNotInForce(notInForce(masterKey, inForce));
  return (secret, place) => sealSecret(masterKey, secret, place);
}

/** The id of the key in force; `undefined` where no secret was stored yet. */
export async function keyIdInForce(queries: Queries): Promise<string | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("master_key")
    .select("key_id")
    .where("slot", "=", SLOT)
    .executeTakeFirst();
  return row?.key_id;
}

/**
 * Puts the next key in force. It waits for transactions that store secrets, and those that come later wait for this one: what
 * is stored has to be read after this.
 *
 * @throws {MasterKeyNotInForce} Another key than `from` is in force.
 */
export async function replaceKeyInForce(
  transaction: Queries,
  { from, to }: { readonly from: MasterKey; readonly to: MasterKey },
): Promise<void> {
  const tables = transaction.tables<Tables>();
  await putFirst(transaction, from);
  const { numUpdatedRows } = await tables
    .updateTable("master_key")
    .set({ key_id: to.id })
    .where("slot", "=", SLOT)
    .where("key_id", "=", from.id)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new MasterKeyNotInForce(notInForce(from, await keyIdInForce(transaction)));
}

/** Locked against a change, not against other transactions that store secrets. SQLite has one transaction at a time. */
async function lockedKeyId(transaction: Queries, kind: Database["kind"]): Promise<string | undefined> {
  const row = await transaction
    .tables<Tables>()
    .selectFrom("master_key")
    .select("key_id")
    .where("slot", "=", SLOT)
    .$if(kind === "postgres", (query) => query.forShare())
    .executeTakeFirst();
  return row?.key_id;
}

async function putFirst(transaction: Queries, { id }: MasterKey): Promise<void> {
  await transaction
    .tables<Tables>()
    .insertInto("master_key")
    .values({ slot: SLOT, key_id: id })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

function notInForce({ id }: MasterKey, inForce: string | undefined): string {
  return `master key ${id} of this process is not in force: ${inForce ?? "none"} is`;
}
