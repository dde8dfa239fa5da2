/** Transactions of SCIM: they invalidate only the caches that a change concerns, which shows while it is made. */
import type { Topic, Transaction } from "../platform/database/database.js";
import type { Transactions } from "../platform/database/transaction-batches.js";
import { ScimVersionError } from "./scim-errors.js";

/** Declares what the work changes, before it does. */
export type Declare = (...topics: readonly Topic[]) => void;

/** The work needs a transaction that declares more. */
class UndeclaredChange extends Error {
  override readonly name = "UndeclaredChange";
  readonly topics: readonly Topic[];

  constructor(topics: readonly Topic[]) {
    super(`a change of ${topics.join(", ")}`);
    this.topics = topics;
  }
}

/**
 * Runs work, and again where it declares a change that the transaction did not.
 *
 * @param expected What the work probably declares.
 */
export async function changing<Result>(
  transactions: Transactions,
  work: (transaction: Transaction, declare: Declare) => Promise<Result>,
  expected: readonly Topic[] = [],
): Promise<Result> {
  const changes = new Set(expected);
  for (;;) {
    const declare: Declare = (...topics) => {
      if (!topics.every((topic) => changes.has(topic))) throw new UndeclaredChange(topics);
    };
    try {
      return await transactions.transaction((transaction) => work(transaction, declare), {
        changes: [...changes],
      });
    } catch (failure) {
      if (!(failure instanceof UndeclaredChange)) throw failure;
      for (const topic of failure.topics) changes.add(topic);
    }
  }
}

export function etagOf(version: number): string {
  return `W/"${version}"`;
}

/** Whether a list of ETags has that of a version. */
export function hasEtag(header: string, version: number): boolean {
  return header.split(",").some((each) => {
    const tag = each.trim();
    return tag === "*" || tag.replace(/^W\//, "") === `"${version}"`;
  });
}

/** @param header `If-Match`. @throws {ScimVersionError} */
export function requireVersion(header: string | undefined, version: number): void {
  if (header !== undefined && !hasEtag(header, version)) throw new ScimVersionError();
}
