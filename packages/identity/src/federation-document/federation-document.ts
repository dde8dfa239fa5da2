/** Exports the federation of a service as a document, plans what a document would change, and applies it in one transaction. */
import type { DocumentFormat } from "../limits/transfer/limit-document.js";
import type { Database, Queries, Topic, Transaction } from "../platform/database/database.js";
import { ServiceError } from "../platform/errors.js";
import type { FederationDocument } from "./document.js";
import { sectionsOf, selectPart, type DocumentPart } from "./document-part.js";
import { exportDocument } from "./document-export.js";
import { DocumentPlanChangedError, DocumentRefusedError } from "./document-errors.js";
import { readDocument, type DocumentText } from "./document-source.js";
import type { DocumentServices } from "./document-services.js";
import { revisionOf } from "./plan-revision.js";
import { reconcile, type MadeChange } from "./reconcile.js";
import type { SecretSource } from "./secret-references.js";
import { writeDocument } from "./document-writer.js";

/** The services of the API within a transaction. */
export interface JoinedServices {
  readonly services: DocumentServices;
  /** Releases what they have opened. */
  readonly close: () => void;
}

export interface FederationDocumentDeps {
  readonly database: Database;
  readonly openIn: (transaction: Transaction) => JoinedServices;
  /** The members of protocols' settings that are secrets. */
  readonly secretNames: ReadonlySet<string>;
}

/** A document to plan or apply. */
export interface GivenDocument {
  readonly text: string;
  /** The name of the file, for messages. */
  readonly file: string;
  /** `undefined` to keep the stored secrets. */
  readonly secrets: SecretSource | undefined;
}

export interface FederationPlan {
  readonly document: FederationDocument;
  readonly changes: readonly MadeChange[];
}

export interface ApplyOptions {
  /** That of a plan: other changes are refused. */
  readonly revision?: string | undefined;
  /** Refuses changes, before they are stored. */
  readonly check?: (changes: readonly MadeChange[]) => void;
  /** Records the changes in their transaction. */
  readonly record?: (transaction: Queries, changes: readonly MadeChange[]) => Promise<void>;
}

/** An apply may change all that is cached. With `revocations`, one apply waits for the other. */
const ALL_TOPICS: readonly Topic[] = ["facts", "revocations", "limits"];

const NO_SOURCE: DocumentText = { placeOf: () => ({ file: "", line: 0, column: 0 }) };

export type FederationDocuments = ReturnType<typeof createFederationDocuments>;

export function createFederationDocuments({ database, openIn, secretNames }: FederationDocumentDeps) {
  async function withServices<Result>(
    queries: Transaction,
    work: (services: DocumentServices) => Promise<Result>,
  ): Promise<Result> {
    const { services, close } = openIn(queries);
    try {
      return await work(services);
    } finally {
      close();
    }
  }

  return {
    /** All of it, or a part, as of one moment, in a fixed order. */
    export: (format: DocumentFormat = "yaml", part: DocumentPart = {}): Promise<string> =>
      database.transaction(
        (queries) =>
          withServices(queries, async (services) =>
            writeDocument(
              selectPart(
                await exportDocument({ services, queries, source: NO_SOURCE }, sectionsOf(part)),
                part,
              ),
              { format, secretNames },
            ),
          ),
        { changes: [] },
      ),

    /**
     * What an apply would change: it is applied, with all checks, and rolled back.
     *
     * @throws {FederationDocumentError} {@link DocumentSecretError} {@link DocumentRefusedError}
     */
    async plan({ text, file, secrets }: GivenDocument): Promise<FederationPlan> {
      const read = readDocument(text, { file, secretNames });
      const work = database.transaction(
        (queries) =>
          withServices(queries, async (services) => {
            throw new PlanEnd(await reconcile({ ...read, services, queries, secrets }));
          }),
        { changes: [] },
      );
      return work.catch((error: unknown) => {
        if (error instanceof PlanEnd) return { document: read.document, changes: error.changes };
        throw error;
      });
    },

    /**
     * Applies a document: all of it, or nothing.
     *
     * @throws {FederationDocumentError} {@link DocumentSecretError} {@link DocumentRefusedError}
     *   {@link DocumentPlanChangedError}
     */
    apply(
      { text, file, secrets }: GivenDocument,
      { record, check, revision }: ApplyOptions = {},
    ): Promise<readonly MadeChange[]> {
      const read = readDocument(text, { file, secretNames });
      const attempt = () =>
        database.transaction(
          (queries) =>
            withServices(queries, async (services) => {
              const changes = await reconcile({ ...read, services, queries, secrets });
              const current = revisionOf(changes);
              if (revision !== undefined && revision !== current)
                throw new DocumentPlanChangedError(revision, current);
              check?.(changes);
              if (changes.length > 0) await record?.(queries, changes);
              return changes;
            }),
          { changes: ALL_TOPICS },
        );
      // What an entry creates may have been created by another meanwhile: the second attempt finds it.
      return attempt().catch((error: unknown) => (isConflict(error) ? attempt() : Promise.reject(error)));
    },
  };
}

function isConflict(error: unknown): boolean {
  return (
    error instanceof DocumentRefusedError &&
    error.cause instanceof ServiceError &&
    error.cause.kind === "conflict"
  );
}

/** Rolls back the transaction of a plan. */
class PlanEnd extends Error {
  override readonly name = "PlanEnd";
  readonly changes: readonly MadeChange[];

  constructor(changes: readonly MadeChange[]) {
    super("the plan is complete");
    this.changes = changes;
  }
}
