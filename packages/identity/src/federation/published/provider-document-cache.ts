/**
 * The last good documents of identity providers, kept in the database: a service that restarts while a provider does not answer still
 * logs its users in. All replicas share them.
 *
 * A document counts only for the settings that it was read by: every change and every refresh of the protocol discards it, and so do
 * other `remote_ids`. Documents are public, and verified again when they are used, except what is kept of the entities of a federation; a
 * writer who could change them here could change the settings beside them, too.
 */
import type { Clock, Moment } from "../../platform/clock.js";
import type { Database } from "../../platform/database/database.js";
import type { EnabledProtocol } from "../assertion-verifier.js";
import { LEEWAY_MS } from "../leeway.js";
import { shortened } from "../../platform/text/quoted-value.js";
import { reasonOf } from "../provider-checks/check.js";
import {
  digestOf,
  type DocumentSource,
  deleteFailedFetch,
  findDocument,
  putDocument,
  putFailedFetch,
  type DocumentKey,
  type DocumentKind,
} from "./document-store.js";

/** The protocol that a document is read for. */
export type DocumentOwner = Pick<EnabledProtocol, "idpId" | "id" | "refreshedAt">;

export interface DocumentPlace {
  readonly owner: DocumentOwner;
  readonly kind: DocumentKind;
  readonly source: DocumentSource;
}

export interface CachedProviderDocument {
  readonly text: string;
  readonly readAt: Moment;
}

/** A place for one document. No function rejects: without the database, nothing is kept. */
export interface DocumentShelf {
  /** The document, however old: the caller decides for how long it is used. */
  find(): Promise<CachedProviderDocument | undefined>;
  /** Keeps a document that was read just now, and is good. */
  keep(text: string): Promise<void>;
  /** Records that the document could not be downloaded just now, for the health of the provider. */
  fail(error: unknown): Promise<void>;
}

export interface ProviderDocumentCache {
  at(place: DocumentPlace): DocumentShelf;
}

/** Of a document. What is kept of a federation's 10,000 entities has some 30 million. */
export const MAX_CHARACTERS = 1 << 25;
/** An unchanged document is written again after this time, so that rarely a refresh writes. */
const RENEWAL_MS = 600_000;
/** A failure is recorded again after this time. */
const FAILURE_MS = 60_000;
const MAX_REASON = 500;
/** Failing documents that a process knows. */
const MAX_FAILING = 1000;
/** No cache rests on these rows. */
const UNCACHED = { changes: [] } as const;

export function createProviderDocumentCache({
  database,
  clock,
}: {
  readonly database: Database;
  readonly clock: Clock;
}): ProviderDocumentCache {
  /** When this process last recorded a failure of each document. */
  const failing = new Map<string, Moment>();

  return {
    at({ owner, kind, source: settings }) {
      const { idpId, id: protocolId, refreshedAt } = owner;
      const key: DocumentKey = { idpId, protocolId, kind };
      const source = digestOf(settings);
      const place = JSON.stringify([idpId, protocolId, kind, source]);

      async function find(): Promise<CachedProviderDocument | undefined> {
        const found = await findDocument(database, key);
        if (found?.source !== source || found.refreshedAt !== refreshedAt) return undefined;
        const { content: text, readAt } = found;
        // One from the future would be used for too long: a clock was wrong.
        return readAt > clock.now() + LEEWAY_MS ? undefined : { text, readAt };
      }

      async function keep(text: string): Promise<void> {
        const now = clock.now();
        const hasFailed = failing.delete(place);
        const known = text.length > MAX_CHARACTERS ? undefined : await find();
        const isKept = known?.text === text && now < known.readAt + RENEWAL_MS;
        if (hasFailed || !isKept)
          await database.transaction((transaction) => deleteFailedFetch(transaction, key), UNCACHED);
        if (isKept || text.length > MAX_CHARACTERS) return;
        const document = { ...key, source, refreshedAt, readAt: now, content: text };
        await database.transaction(async (transaction) => {
          // A replica that has not seen the latest change of the protocol must not replace what was read by it.
          const newest = await findDocument(transaction, key);
          if (newest !== undefined && newest.refreshedAt > refreshedAt) return;
          await putDocument(transaction, document);
        }, UNCACHED);
      }

      async function fail(error: unknown): Promise<void> {
        const now = clock.now();
        if (now < (failing.get(place) ?? -Infinity) + FAILURE_MS) return;
        failing.delete(place);
        failing.set(place, now);
        const [oldest] = failing.keys();
        if (failing.size > MAX_FAILING && oldest !== undefined) failing.delete(oldest);
        const failure = { ...key, source, reason: shortened(reasonOf(error), MAX_REASON), failedAt: now };
        await database.transaction((transaction) => putFailedFetch(transaction, failure), UNCACHED);
      }

      return {
        fail: (reason) => fail(reason).catch(() => undefined),
        find: () => find().catch(() => undefined),
        keep: (text) => keep(text).catch(() => undefined),
      };
    },
  };
}

/** Keeps nothing. */
export const NO_SHELF: DocumentShelf = {
  find: async () => undefined,
  keep: async () => {},
  fail: async () => {},
};
