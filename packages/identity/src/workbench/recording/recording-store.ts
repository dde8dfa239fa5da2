/** Recordings of logins in the database: the settings of each protocol, and the recorded logins, sealed. */
import type { ProtocolKey } from "../../identity-providers/protocols/protocol-store.js";
import { DAY_MS, type Moment } from "../../platform/clock.js";
import type { Queries } from "../../platform/database/database.js";
import { json, rowsOf } from "../../platform/database/table.js";
import { unsealStored, type Seal } from "../../platform/secrets/master-key-in-force.js";
import type { MasterKey, SealedSecret } from "../../platform/secrets/sealing.js";

/** What is recorded of the logins of a protocol. */
export interface LoginRecording {
  readonly idpId: string;
  readonly protocolId: string;
  /** The names of the attributes that are kept. */
  readonly attributes: readonly string[];
  /** The number of logins that are kept, the latest ones. */
  readonly maxLogins: number;
  readonly keepDays: number;
}

export interface RecordedLogin {
  readonly id: string;
  readonly idpId: string;
  readonly protocolId: string;
  readonly recordedAt: Moment;
  /** As mapping rules see them. */
  readonly attributes: Readonly<Record<string, string>>;
}

const { toItem, toRow } = rowsOf<LoginRecording>()({
  idpId: "idp_id",
  protocolId: "protocol_id",
  attributes: json("attributes"),
  maxLogins: "max_logins",
  keepDays: "keep_days",
});

interface LoginRow {
  id: string;
  idp_id: string;
  protocol_id: string;
  recorded_at: Moment;
  sealed: Buffer;
}

interface Tables {
  readonly login_recording: ReturnType<typeof toRow>;
  readonly recorded_login: LoginRow;
}

export async function listRecordings(queries: Queries): Promise<LoginRecording[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("login_recording")
    .selectAll()
    .orderBy("idp_id")
    .orderBy("protocol_id")
    .execute();
  return rows.map(toItem);
}

export async function findRecording(
  queries: Queries,
  { idpId, id }: ProtocolKey,
): Promise<LoginRecording | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("login_recording")
    .selectAll()
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", id)
    .executeTakeFirst();
  return row && toItem(row);
}

/** @throws {ForeignKeyViolation} The protocol does not exist. */
export async function putRecording(queries: Queries, recording: LoginRecording): Promise<void> {
  const row = toRow(recording);
  await queries
    .tables<Tables>()
    .insertInto("login_recording")
    .values(row)
    .onConflict((conflict) => conflict.columns(["idp_id", "protocol_id"]).doUpdateSet(row))
    .execute();
}

/** The recorded logins are deleted with it. @returns Whether it existed. */
export async function deleteRecording(queries: Queries, { idpId, id }: ProtocolKey): Promise<boolean> {
  const { numDeletedRows } = await queries
    .tables<Tables>()
    .deleteFrom("login_recording")
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Rows of one statement; databases limit its parameters. */
const MAX_ROWS = 200;

export async function insertLogins(
  queries: Queries,
  logins: readonly RecordedLogin[],
  seal: Seal,
): Promise<void> {
  const rows = logins.map((login) => ({
    id: login.id,
    idp_id: login.idpId,
    protocol_id: login.protocolId,
    recorded_at: login.recordedAt,
    sealed: seal(Buffer.from(JSON.stringify(login.attributes)), placeOf(login.id)),
  }));
  for (let start = 0; start < rows.length; start += MAX_ROWS)
    await queries
      .tables<Tables>()
      .insertInto("recorded_login")
      .values(rows.slice(start, start + MAX_ROWS))
      .execute();
}

/** Deletes the logins of a recording beyond its number, and those that are older than its days. */
export async function trimLogins(
  queries: Queries,
  { idpId, protocolId, maxLogins, keepDays }: LoginRecording,
  now: Moment,
): Promise<void> {
  const tables = queries.tables<Tables>();
  const surplus = await tables
    .selectFrom("recorded_login")
    .select(["recorded_at", "id"])
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", protocolId)
    .orderBy("recorded_at", "desc")
    .orderBy("id", "desc")
    .offset(maxLogins)
    .limit(1)
    .executeTakeFirst();
  const oldest = now - keepDays * DAY_MS;
  await tables
    .deleteFrom("recorded_login")
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", protocolId)
    .where((eb) =>
      eb.or([
        eb("recorded_at", "<=", oldest),
        ...(surplus === undefined
          ? []
          : [
              eb("recorded_at", "<", surplus.recorded_at),
              eb.and([eb("recorded_at", "=", surplus.recorded_at), eb("id", "<=", surplus.id)]),
            ]),
      ]),
    )
    .execute();
}

export async function deleteAllRecordings(queries: Queries): Promise<void> {
  await queries.tables<Tables>().deleteFrom("login_recording").execute();
}

export interface LoginPage {
  /** Logins before this one, which is not included. */
  readonly before?: Pick<RecordedLogin, "recordedAt" | "id"> | undefined;
  readonly limit: number;
}

/** The latest first. @throws {MasterKeyNotInForce} {@link SealError} */
export async function listLogins(
  queries: Queries,
  { idpId, id }: ProtocolKey,
  { masterKey, before, limit }: LoginPage & { readonly masterKey: MasterKey },
): Promise<RecordedLogin[]> {
  let logins = queries
    .tables<Tables>()
    .selectFrom("recorded_login")
    .selectAll()
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", id)
    .orderBy("recorded_at", "desc")
    .orderBy("id", "desc")
    .limit(limit);
  if (before !== undefined)
    logins = logins.where((eb) =>
      eb.or([
        eb("recorded_at", "<", before.recordedAt),
        eb.and([eb("recorded_at", "=", before.recordedAt), eb("id", "<", before.id)]),
      ]),
    );
  return (await logins.execute()).map((row) => openLogin(row, masterKey));
}

export async function findLogin(
  queries: Queries,
  { idpId, id }: ProtocolKey,
  { masterKey, loginId }: { readonly masterKey: MasterKey; readonly loginId: string },
): Promise<RecordedLogin | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("recorded_login")
    .selectAll()
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", id)
    .where("id", "=", loginId)
    .executeTakeFirst();
  return row && openLogin(row, masterKey);
}

/** The number of recorded logins, and the time of the latest, by protocol: see {@link recordingKey}. */
export async function countLogins(
  queries: Queries,
): Promise<Map<string, { readonly count: number; readonly latestAt: Moment }>> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("recorded_login")
    .select(["idp_id", "protocol_id"])
    .select((eb) => [eb.fn.countAll().as("count"), eb.fn.max("recorded_at").as("latest_at")])
    .groupBy(["idp_id", "protocol_id"])
    .execute();
  return new Map(
    rows.map((row) => [
      recordingKey({ idpId: row.idp_id, id: row.protocol_id }),
      { count: Number(row.count), latestAt: row.latest_at },
    ]),
  );
}

export function recordingKey({ idpId, id }: ProtocolKey): string {
  return JSON.stringify([idpId, id]);
}

/** Personal data, and many: not kept in memory. */
export const UNKEPT = { keeps: false } as const;

function openLogin(row: LoginRow, masterKey: MasterKey): RecordedLogin {
  const opened = unsealStored(masterKey, row.sealed, placeOf(row.id), UNKEPT).toString();
  return {
    id: row.id,
    idpId: row.idp_id,
    protocolId: row.protocol_id,
    recordedAt: row.recorded_at,
    attributes: JSON.parse(opened) as Record<string, string>,
  };
}

/** All recorded logins, to be sealed again with another master key. */
export async function recordedLoginSecrets(queries: Queries): Promise<SealedSecret[]> {
  const rows = await queries.tables<Tables>().selectFrom("recorded_login").select(["id", "sealed"]).execute();
  return rows.map(({ id, sealed }) => ({
    place: placeOf(id),
    sealed,
    replace: (transaction, next) =>
      transaction
        .tables<Tables>()
        .updateTable("recorded_login")
        .set({ sealed: next })
        .where("id", "=", id)
        .execute(),
  }));
}

function placeOf(id: string): string {
  return `recorded-login/${id}`;
}
