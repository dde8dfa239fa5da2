/** Lets an area take part when a resource of another area, which does not know of it, is deleted. */
import type { Transaction } from "../platform/database/database.js";

type Kind = "domain" | "project" | "group" | "user" | "role" | "identity-provider";
type Handler = (transaction: Transaction, id: string) => Promise<void>;

export type Deletions = ReturnType<typeof createDeletions>;

export function createDeletions() {
  const handlers = new Map<Kind, Handler[]>();
  return {
    /** @param handler Called in the transaction that deletes a resource, before the resource is deleted. */
    on(kind: Kind, handler: Handler): void {
      handlers.set(kind, [handler, ...(handlers.get(kind) ?? [])]);
    },

    /** The last handler first: it may rest on what those before it delete. */
    of(kind: Kind): Handler {
      return async (transaction, id) => {
        for (const handler of handlers.get(kind) ?? []) await handler(transaction, id);
      };
    },
  };
}
