/** Keeps logs on the device until they are closed: the files as they were opened, in IndexedDB. Runs in the worker of the logs. */

export interface StoredLog {
  readonly id: string;
  readonly name: string;
  readonly content: ArrayBuffer;
  /** The own locator when it was opened, for logs that don't have it. */
  readonly locator: string | undefined;
  /** When it was opened, in milliseconds since 1970. */
  readonly opened: number;
}

const DATABASE = "radio";
const STORE = "logs";

/** In the order in which they were opened. @throws The browser refuses storage. */
export async function readStoredLogs(): Promise<StoredLog[]> {
  const logs = await inStore<StoredLog[]>("readonly", (store) => store.getAll() as IDBRequest<StoredLog[]>);
  return logs.toSorted((a, b) => a.opened - b.opened);
}

/** @throws The browser refuses storage, or has no room. */
export async function storeLog(log: StoredLog): Promise<void> {
  await inStore("readwrite", (store) => store.put(log));
}

export async function deleteStoredLog(id: string): Promise<void> {
  await inStore("readwrite", (store) => store.delete(id));
}

/** Why a log is not kept, for the user. */
export function storageProblem(error: unknown): string {
  return error instanceof DOMException && error.name === "QuotaExceededError"
    ? "The log is shown, but not kept: the storage of this device is full. Close a log, or free some space."
    : "The log is shown, but not kept: the browser refuses to store it. In a private window that is usual.";
}

/** The result when the transaction is complete: it may fail after the request, for want of room. */
async function inStore<Value>(
  mode: IDBTransactionMode,
  request: (store: IDBObjectStore) => IDBRequest<Value>,
): Promise<Value> {
  const database = await openDatabase();
  try {
    return await new Promise<Value>((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const made = request(transaction.objectStore(STORE));
      transaction.addEventListener("complete", () => resolve(made.result));
      transaction.addEventListener("abort", () =>
        reject(transaction.error ?? new Error("the storage was not written")),
      );
    });
  } finally {
    database.close();
  }
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1);
    opening.addEventListener("upgradeneeded", () =>
      opening.result.createObjectStore(STORE, { keyPath: "id" }),
    );
    opening.addEventListener("success", () => resolve(opening.result));
    opening.addEventListener("error", () => reject(opening.error ?? new Error("the storage did not open")));
  });
}
