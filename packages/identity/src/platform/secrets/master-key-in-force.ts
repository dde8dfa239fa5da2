/**
 * The master key in force: every secret in the database is sealed with it.
 *
 * Its id is a row of the database. Each transaction that stores a secret takes a share lock on that row, and `keys reseal` updates
 * it in the transaction that reseals all secrets. A replica that still runs with the former key can't store secrets, and can use
 * only those that it has unsealed before.
 */
import type { Database, Queries } from "../database/database.js";
import { UnavailableError } from "../errors.js";
import { isHeld } from "./held-master-key.js";
import { sealedBy, unsealSecret, SealError, sealSecret, type MasterKey } from "./sealing.js";

interface Tables {
  readonly master_key: { slot: number; key_id: string };
}

/** The table has one row. */
const SLOT = 1;

/** How a process gets the key in force. */
export const NEW_KEY_REMEDY =
  "put the master key that is in force into the file of IDENTITY_MASTER_KEY_FILE, which is read every second, or set that variable (or IDENTITY_MASTER_KEY) to it and restart this process";

/** This process has a former master key: other replicas could not unseal what it seals. */
export class MasterKeyNotInForce extends UnavailableError {
  override readonly name = "MasterKeyNotInForce";
  override readonly code = "master-key/not-in-force";

  /** @param reason For the operator, in the log. */
  constructor(reason: string) {
    super("The service can't use stored secrets until an administrator has given it its new master key.", {
      cause: new Error(`${reason}: ${NEW_KEY_REMEDY}`),
      retryAfterSeconds: 60,
    });
  }
}

/** Seals a secret for its place, within the transaction that checked the key. */
export type Seal = (secret: Uint8Array, place: string) => Buffer;

export interface KeepOptions {
  /** Whether a running service keeps the secret in memory, for the time between resealing and its new key; by default it does. */
  readonly keeps?: boolean;
}

interface SealingOptions extends KeepOptions {
  readonly kind: Database["kind"];
  readonly masterKey: MasterKey;
}

/**
 * Returns the function that seals secrets stored by a transaction. The first secret puts its key in force.
 *
 * @throws {MasterKeyNotInForce} Another master key is in force.
 */
export async function sealingIn(
  transaction: Queries,
  { kind, masterKey, keeps = true }: SealingOptions,
): Promise<Seal> {
  // The key of this moment: it may be replaced while the transaction runs.
  const current: MasterKey = { id: masterKey.id, key: masterKey.key };
  if ((await keyIdInForce(transaction)) === undefined) await putFirstKey(transaction, current);
  const inForce = await lockedKeyId(transaction, kind);
  if (inForce !== current.id) throw new MasterKeyNotInForce(notInForce(current, inForce));
  return (secret, place) => {
    const sealed = sealSecret(current, secret, place);
    if (keeps && isHeld(masterKey)) masterKey.keep(Buffer.from(secret), sealed, place);
    return sealed;
  };
}

/**
 * Unseals a stored secret. In a running service, secrets that another key sealed are those that were unsealed before.
 *
 * @throws {MasterKeyNotInForce} Another master key sealed it. {@link SealError} It was modified, or moved.
 */
export function unsealStored(
  masterKey: MasterKey,
  sealed: Uint8Array,
  place: string,
  { keeps = true }: KeepOptions = {},
): Buffer {
  const held = isHeld(masterKey) ? masterKey : undefined;
  const sealer = held?.keys.find(({ id }) => id === sealedBy(sealed)) ?? masterKey;
  try {
    const secret = unsealSecret(sealer, sealed, place);
    if (keeps) held?.keep(secret, sealed, place);
    return secret;
  } catch (error) {
    if (!(error instanceof SealError) || error.code !== "seal/wrong-key") throw error;
    const known = held?.recall(sealed, place);
    if (known !== undefined) return known;
    held?.onRefused(place);
    throw new MasterKeyNotInForce(error.message);
  }
}

/** The id of the key in force; `undefined` before the first secret. */
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
 * Puts the next key in force. Waits for transactions that store secrets, and later ones wait for this one: read the stored
 * secrets after this call.
 *
 * @throws {MasterKeyNotInForce} Another key than `from` is in force.
 */
export async function replaceKeyInForce(
  transaction: Queries,
  { from, to }: { readonly from: MasterKey; readonly to: MasterKey },
): Promise<void> {
  const tables = transaction.tables<Tables>();
  await putFirstKey(transaction, from);
  const { numUpdatedRows } = await tables
    .updateTable("master_key")
    .set({ key_id: to.id })
    .where("slot", "=", SLOT)
    .where("key_id", "=", from.id)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new MasterKeyNotInForce(notInForce(from, await keyIdInForce(transaction)));
}

/** Takes a share lock. SQLite needs none: it has one write transaction at a time. */
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

/** Puts a key in force, if none is. */
export async function putFirstKey(transaction: Queries, { id }: MasterKey): Promise<void> {
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
