/**
 * Records attributes of logins, where operator and administrator want it: new mapping rules are replayed against them.
 *
 * A login only puts them into a buffer. They are sealed and written for many logins at once, so that the latest ones of the last seconds
 * are lost if the process is killed.
 */
import type { Platform } from "../../area.js";
import type { ProtocolKey } from "../../identity-providers/protocols/protocol-store.js";
import type { Assertion } from "../../mappings/rules/evaluate-mapping.js";
import { createRevisionCache } from "../../platform/concurrency/revision-cache.js";
import type { Queries } from "../../platform/database/database.js";
import { messageOf, errorClass, ForbiddenError, NotFoundError } from "../../platform/errors.js";
import { sealingIn } from "../../platform/secrets/master-key-in-force.js";
import type { VerifiedAssertion, VerifierLog } from "../../federation/assertion-verifier.js";
import {
  countLogins,
  deleteAllRecordings,
  deleteRecording,
  findLogin,
  findRecording,
  insertLogins,
  listLogins,
  listRecordings,
  putRecording,
  recordingKey,
  trimLogins,
  UNKEPT,
  type LoginPage,
  type LoginRecording,
  type RecordedLogin,
} from "./recording-store.js";

/** Logins of a protocol that are kept, at most. */
export const MAX_RECORDED_LOGINS = 1000;
/** Days for which they are kept. */
export const STANDARD_KEEP_DAYS = 7;
export const MAX_KEEP_DAYS = 30;

/** How long a login waits in the buffer. */
const MAX_DELAY_MS = 2000;
/** Characters of the attributes of one login; larger ones are not recorded. */
const MAX_CHARACTERS = 32_768;
/** Protocols whose settings are cached. */
const MAX_CACHED = 1000;
/** Nothing that is cached depends on recorded logins. */
const UNCACHED = { changes: [] } as const;

export interface LoginRecordingsDeps extends Pick<Platform, "database" | "clock" | "newId" | "masterKey"> {
  /** Whether the operator allows it. */
  readonly isAllowed: boolean;
  readonly protocols: { readonly requireIn: (queries: Queries, key: ProtocolKey) => Promise<unknown> };
}

/** A recording and what it has. */
export interface CountedRecording extends LoginRecording {
  readonly logins: number;
  /** When the latest login was recorded; `null` without one. */
  readonly latestAt: number | null;
}

export type LoginRecordings = ReturnType<typeof createLoginRecordings>;

export function createLoginRecordings(deps: LoginRecordingsDeps) {
  const { database, clock, newId, masterKey, isAllowed, protocols } = deps;
  const settings = createRevisionCache<LoginRecording | undefined>({
    revision: () => database.revision("facts"),
    maxEntries: MAX_CACHED,
  });
  /** By protocol. */
  const waiting = new Map<string, RecordedLogin[]>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  let lastLog: VerifierLog | undefined;

  function requireAllowed(): void {
    if (!isAllowed) throw new RecordingNotAllowedError();
  }

  async function require(queries: Queries, key: ProtocolKey): Promise<LoginRecording> {
    await protocols.requireIn(queries, key);
    const found = await findRecording(queries, key);
    if (found === undefined) throw new RecordingNotFoundError(key.idpId, key.id);
    return found;
  }

  function enqueue(recording: LoginRecording, attributes: RecordedLogin["attributes"]): void {
    const { idpId, protocolId, maxLogins } = recording;
    const key = recordingKey({ idpId, id: protocolId });
    const logins = waiting.get(key) ?? [];
    waiting.set(key, logins);
    logins.push({ id: newId(), idpId, protocolId, recordedAt: clock.now(), attributes });
    // Only the latest are kept; twice as many, so that few logins move the others.
    if (logins.length >= 2 * maxLogins) logins.splice(0, logins.length - maxLogins);
    timer ??= setTimeout(() => void flush(), MAX_DELAY_MS).unref();
  }

  async function write(logins: readonly RecordedLogin[]): Promise<void> {
    const [{ idpId, protocolId: id }] = logins as readonly [RecordedLogin];
    await database.transaction(async (transaction) => {
      // It may have been switched off, or deleted with its protocol.
      const recording = await findRecording(transaction, { idpId, id });
      if (recording === undefined) return;
      const seal = await sealingIn(transaction, { kind: database.kind, masterKey, ...UNKEPT });
      // Attributes may have been taken off the list since.
      const kept = logins
        .slice(-recording.maxLogins)
        .map((login) =>
          Object.assign({}, login, { attributes: pick(login.attributes, recording.attributes) ?? {} }),
        );
      await insertLogins(transaction, kept, seal);
      await trimLogins(transaction, recording, clock.now());
    }, UNCACHED);
  }

  async function writeAll(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const batches = [...waiting.values()];
    waiting.clear();
    for (const logins of batches)
      await write(logins).catch((error: unknown) =>
        lastLog?.warn({ err: error }, `${logins.length} logins not recorded: ${messageOf(error)}`),
      );
  }

  /** Writes what waits in the buffer of this process. Never rejects. */
  function flush(): Promise<void> {
    writing = writing.then(writeAll);
    return writing;
  }

  return {
    isAllowed,

    /** Records a login in the background, if its protocol is recorded. Never rejects. */
    async record(
      { identityProviderId: idpId, protocolId: id, attributes }: VerifiedAssertion,
      log: VerifierLog | undefined,
    ): Promise<void> {
      if (!isAllowed) return;
      lastLog = log ?? lastLog;
      try {
        const key = { idpId, id };
        const recording = await settings.get(recordingKey(key), () => findRecording(database, key));
        if (recording === undefined) return;
        const kept = pick(attributes, recording.attributes);
        if (kept === undefined)
          log?.info(
            { federation: { ...key, step: "recording" } },
            "login not recorded: its attributes are too long",
          );
        else enqueue(recording, kept);
      } catch (error) {
        log?.warn({ err: error }, `login not recorded: ${messageOf(error)}`);
      }
    },

    flush,

    /** All recordings, with the numbers of their logins, by {@link recordingKey}. */
    async list(): Promise<ReadonlyMap<string, CountedRecording>> {
      const counts = await countLogins(database);
      const found = await listRecordings(database);
      return new Map(
        found.map((recording) => {
          const key = recordingKey({ idpId: recording.idpId, id: recording.protocolId });
          const { count = 0, latestAt = null } = counts.get(key) ?? {};
          return [key, { ...recording, logins: count, latestAt }];
        }),
      );
    },

    /** @throws {RecordingNotFoundError} */
    get: (key: ProtocolKey): Promise<LoginRecording> => require(database, key),

    /** Begins to record, or changes what is recorded. Logins beyond the new bounds are deleted; all, if an attribute is taken off. */
    put(recording: LoginRecording): Promise<LoginRecording> {
      requireAllowed();
      return database.transaction(async (transaction) => {
        const key = { idpId: recording.idpId, id: recording.protocolId };
        await protocols.requireIn(transaction, key);
        const former = await findRecording(transaction, key);
        // Its recorded values would stay readable.
        if (former?.attributes.some((name) => !recording.attributes.includes(name)))
          await deleteRecording(transaction, key);
        await putRecording(transaction, recording);
        await trimLogins(transaction, recording, clock.now());
        return recording;
      });
    },

    /** Ends recording, and deletes what was recorded. @throws {RecordingNotFoundError} */
    delete: (key: ProtocolKey): Promise<void> =>
      database.transaction(async (transaction) => {
        await require(transaction, key);
        await deleteRecording(transaction, key);
      }),

    /** The latest first. @throws {RecordingNotFoundError} {@link RecordingNotAllowedError} */
    async logins(key: ProtocolKey, page: LoginPage): Promise<RecordedLogin[]> {
      requireAllowed();
      await require(database, key);
      await flush();
      return listLogins(database, key, { ...page, masterKey });
    },

    /** @throws {RecordedLoginNotFoundError} {@link RecordingNotAllowedError} */
    async login(key: ProtocolKey, loginId: string): Promise<RecordedLogin> {
      requireAllowed();
      await flush();
      const found = await findLogin(database, key, { masterKey, loginId });
      if (found === undefined) throw new RecordedLoginNotFoundError(loginId);
      return found;
    },

    /** Deletes logins that have been kept for long enough; all recordings, if the operator allows none. */
    async purge(): Promise<boolean> {
      if (!isAllowed) {
        if ((await listRecordings(database)).length > 0)
          await database.transaction((transaction) => deleteAllRecordings(transaction));
        return false;
      }
      for (const recording of await listRecordings(database))
        await database.transaction(
          (transaction) => trimLogins(transaction, recording, clock.now()),
          UNCACHED,
        );
      return false;
    },
  };
}

/** The named attributes that are texts; `undefined` if they are too long. */
function pick(attributes: Assertion, names: readonly string[]): Record<string, string> | undefined {
  const kept: Record<string, string> = {};
  let length = 0;
  for (const name of names) {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    if (typeof value !== "string") continue;
    kept[name] = value;
    length += name.length + value.length;
  }
  return length > MAX_CHARACTERS ? undefined : kept;
}

/** The operator has not allowed it. */
export class RecordingNotAllowedError extends errorClass(
  ForbiddenError,
  "recording/not-allowed",
  "Logins are not recorded by this service: an operator has to set IDENTITY_LOGIN_RECORDING to on.",
) {}

export class RecordingNotFoundError extends errorClass(
  NotFoundError,
  "recording/not-found",
  (idpId: string, protocolId: string) =>
    `Logins of protocol ${protocolId} of identity provider ${idpId} are not recorded.`,
) {}

export class RecordedLoginNotFoundError extends errorClass(
  NotFoundError,
  "recording/login-not-found",
  (id: string) => `Could not find recorded login: ${id}.`,
) {}
