/**
 * Documents of identity providers in the database, and failed downloads: one of each kind per protocol, deleted with it. One that was read
 * by other settings does not count: its source names those.
 */
import type { Moment } from "../../platform/clock.js";
import type { Queries } from "../../platform/database/database.js";
import { createHash } from "node:crypto";

/** One of those that the protocol's type names, such as `metadata`. */
export type DocumentKind = string;

export interface DocumentKey {
  readonly idpId: string;
  readonly protocolId: string;
  readonly kind: DocumentKind;
}

export interface StoredDocument extends DocumentKey {
  /** A digest of the settings that it was read by. */
  readonly source: string;
  /** The protocol's `refreshedAt` when it was read. */
  readonly refreshedAt: Moment;
  readonly readAt: Moment;
  readonly content: string;
}

interface Row {
  idp_id: string;
  protocol_id: string;
  kind: DocumentKind;
  source: string;
  refreshed_at: Moment;
  read_at: Moment;
  content: string;
}

/** A download that failed, and all since then. */
export interface FailedFetch extends DocumentKey {
  /** As that of a {@link StoredDocument}. */
  readonly source: string;
  readonly reason: string;
  readonly failedAt: Moment;
  /** When the first download failed after a good one. */
  readonly failingSince: Moment;
}

interface Tables {
  readonly provider_document: Row;
  readonly failed_fetch: {
    idp_id: string;
    protocol_id: string;
    kind: DocumentKind;
    source: string;
    reason: string;
    failed_at: Moment;
    failing_since: Moment;
  };
}

/** The documents of a provider, and those that failed to download. */
export async function listDocuments(
  queries: Queries,
  idpId: string,
): Promise<{ readonly documents: readonly StoredDocument[]; readonly failed: readonly FailedFetch[] }> {
  const tables = queries.tables<Tables>();
  const rows = await tables.selectFrom("provider_document").selectAll().where("idp_id", "=", idpId).execute();
  const failed = await tables.selectFrom("failed_fetch").selectAll().where("idp_id", "=", idpId).execute();
  return {
    documents: rows.map(toDocument),
    failed: failed.map((row) => ({
      idpId: row.idp_id,
      protocolId: row.protocol_id,
      kind: row.kind,
      source: row.source,
      reason: row.reason,
      failedAt: row.failed_at,
      failingSince: row.failing_since,
    })),
  };
}

/** The ids of providers with downloads that fail. */
export async function listFailingProviders(queries: Queries): Promise<string[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("failed_fetch")
    .select("idp_id")
    .distinct()
    .orderBy("idp_id")
    .execute();
  return rows.map(({ idp_id: idpId }) => idpId);
}

/** @throws {ForeignKeyViolation} The protocol was deleted. */
export async function putFailedFetch(
  queries: Queries,
  { idpId, protocolId, kind, source, reason, failedAt }: Omit<FailedFetch, "failingSince">,
): Promise<void> {
  const values = { source, reason, failed_at: failedAt };
  await queries
    .tables<Tables>()
    .insertInto("failed_fetch")
    .values({ idp_id: idpId, protocol_id: protocolId, kind, ...values, failing_since: failedAt })
    .onConflict((conflict) =>
      conflict.columns(["idp_id", "protocol_id", "kind"]).doUpdateSet({
        ...values,
        // A download by other settings is another one.
        failing_since: (row) =>
          row
            .case()
            .when("failed_fetch.source", "=", source)
            .then(row.ref("failed_fetch.failing_since"))
            .else(row.ref("excluded.failing_since"))
            .end(),
      }),
    )
    .execute();
}

export async function deleteFailedFetch(
  queries: Queries,
  { idpId, protocolId, kind }: DocumentKey,
): Promise<void> {
  await queries
    .tables<Tables>()
    .deleteFrom("failed_fetch")
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", protocolId)
    .where("kind", "=", kind)
    .execute();
}

function toDocument(row: Row): StoredDocument {
  const { idp_id: idpId, protocol_id: protocolId, kind, source, content } = row;
  return { idpId, protocolId, kind, source, refreshedAt: row.refreshed_at, readAt: row.read_at, content };
}

export async function findDocument(
  queries: Queries,
  { idpId, protocolId, kind }: DocumentKey,
): Promise<StoredDocument | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("provider_document")
    .selectAll()
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", protocolId)
    .where("kind", "=", kind)
    .executeTakeFirst();
  return row && toDocument(row);
}

/** @throws {ForeignKeyViolation} The protocol was deleted. */
export async function putDocument(
  queries: Queries,
  { idpId, protocolId, kind, source, refreshedAt, readAt, content }: StoredDocument,
): Promise<void> {
  const values = { source, refreshed_at: refreshedAt, read_at: readAt, content };
  await queries
    .tables<Tables>()
    .insertInto("provider_document")
    .values({ idp_id: idpId, protocol_id: protocolId, kind, ...values })
    .onConflict((conflict) => conflict.columns(["idp_id", "protocol_id", "kind"]).doUpdateSet(values))
    .execute();
}

/** As JSON values. */
export type DocumentSource = readonly unknown[];

/** The documents that settings name. */
export type DocumentSources = Partial<Record<DocumentKind, DocumentSource | undefined>>;

export function digestOf(source: DocumentSource): string {
  return createHash("sha256").update(JSON.stringify(source)).digest("base64url");
}

/** Whether a document, or a failed download, is one of these sources. */
export function isAmong(sources: DocumentSources): (of: Pick<StoredDocument, "kind" | "source">) => boolean {
  return ({ kind, source }) => {
    const named = sources[kind];
    return named !== undefined && digestOf(named) === source;
  };
}
