import { AsyncLocalStorage } from "node:async_hooks";

import { describe, expect, it } from "vitest";

import { DatabaseUnavailable } from "../../../src/platform/database/database-errors.js";
import type { Topic, Transaction } from "../../../src/platform/database/database.js";
import {
  createTransactionBatches,
  type Transactions,
} from "../../../src/platform/database/transaction-batches.js";

interface Options {
  /** A failure, or the result. */
  readonly outcome?: unknown;
  readonly isLong?: boolean;
  readonly changes?: readonly Topic[];
}

/** A database that notes its transactions: what they declare, and which works ran in them. */
function recorder(maxWaiting = 100) {
  const transactions: { readonly changes: readonly Topic[] | undefined; readonly works: string[] }[] = [];
  const database: Transactions = {
    async transaction(work, { changes } = {}) {
      const works: string[] = [];
      transactions.push({ changes, works });
      return work({ works } as unknown as Transaction);
    },
  };
  const batches = createTransactionBatches(database, { maxWaiting });
  const run = (key: string, name: string, { outcome = name, isLong = false, changes = [] }: Options = {}) =>
    batches.of({ key, isLong }).transaction(
      async (transaction) => {
        (transaction as unknown as { readonly works: string[] }).works.push(name);
        await Promise.resolve();
        if (outcome instanceof Error) throw outcome;
        return outcome;
      },
      { changes },
    );
  return { transactions, run, worksOf: () => transactions.map(({ works }) => works.join(" ")) };
}

const settled = (works: readonly Promise<unknown>[]) => Promise.allSettled(works);

describe("batches of transactions", () => {
  it("run as one what comes while one of their key runs, with all that it changes", async () => {
    const { run, transactions, worksOf } = recorder();
    const results = await Promise.all([
      run("a", "a1", { changes: ["facts"] }),
      run("a", "a2", { changes: ["facts"] }),
      run("b", "b1"),
      run("a", "a3", { changes: ["facts", "revocations"] }),
    ]);
    expect(results).toEqual(["a1", "a2", "b1", "a3"]);
    expect(worksOf()).toEqual(["a1", "b1", "a2 a3"]);
    expect(transactions.map(({ changes }) => changes)).toEqual([["facts"], [], ["facts", "revocations"]]);
    await run("a", "a4");
    expect(worksOf().at(-1)).toBe("a4");
  });

  it("run each work in the context of its caller", async () => {
    const requests = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const database: Transactions = { transaction: (work) => work({} as Transaction) };
    const batches = createTransactionBatches(database, { maxWaiting: 100 });
    const work = async () => {
      await Promise.resolve();
      seen.push(requests.getStore());
    };
    const run = (name: string) => requests.run(name, () => batches.of({ key: "a" }).transaction(work));
    await Promise.all(["req-1", "req-2", "req-3"].map(run));
    expect(seen).toEqual(["req-1", "req-2", "req-3"]);
  });

  it("repeat each work alone where one of them fails, and fail that one", async () => {
    const { run, worksOf } = recorder();
    const results = await settled([
      run("a", "1"),
      run("a", "2"),
      run("a", "3", { outcome: new Error("wrong") }),
      run("a", "4"),
    ]);
    expect(results).toMatchObject([
      { value: "1" },
      { value: "2" },
      { reason: { message: "wrong" } },
      { value: "4" },
    ]);
    // The one that fails ends the transaction of all.
    expect(worksOf()).toEqual(["1", "2 3", "2", "3", "4"]);
  });

  it("repeat nothing where the database is down", async () => {
    const { run, worksOf } = recorder();
    const results = await settled([
      run("a", "1"),
      run("a", "2", { outcome: new DatabaseUnavailable() }),
      run("a", "3"),
    ]);
    expect(results).toMatchObject([
      { value: "1" },
      { reason: { code: "database/unavailable" } },
      { reason: { code: "database/unavailable" } },
    ]);
    expect(worksOf()).toEqual(["1", "2"]);
  });

  it("give a transaction of its own to what takes long, in its turn", async () => {
    const { run, worksOf } = recorder();
    await Promise.all([
      run("a", "1"),
      run("a", "2"),
      run("a", "3", { isLong: true }),
      run("a", "4"),
      run("a", "5"),
    ]);
    expect(worksOf()).toEqual(["1", "2", "3", "4 5"]);
  });

  it("wait for clients that send their next work when they have the response to the last one", async () => {
    const { run, worksOf } = recorder();
    await repeated(run, ["x", "y", "z"]);
    expect(worksOf()).toEqual(["x1", "y1 z1", "x2 y2", "z2 x3", "y3 z3"]);
  });

  it("are of half of such clients, so that the others ask while one runs", async () => {
    const { run, worksOf } = recorder();
    await repeated(run, ["s", "t", "u", "v", "w", "x", "y", "z"]);
    expect(worksOf().map((works) => works.split(" ").length)).toEqual([1, 4, 4, 4, 4, 4, 3]);
  });

  it("are of a few works, and turn away who would wait behind too many", async () => {
    const { run, worksOf } = recorder(20);
    const results = await settled(Array.from({ length: 22 }, (_, number) => run("a", String(number))));
    expect(results.map(({ status }) => status)).toEqual([...Array(21).fill("fulfilled"), "rejected"]);
    expect(results.at(-1)).toMatchObject({ reason: { code: "service/busy" } });
    expect(worksOf().map((works) => works.split(" ").length)).toEqual([1, 8, 8, 4]);
  });
});

/** Clients that send three works each, the next one when they have the response to the last. */
async function repeated(run: ReturnType<typeof recorder>["run"], clients: readonly string[]): Promise<void> {
  const client = async (name: string) => {
    for (const round of [1, 2, 3]) {
      await run("a", `${name}${round}`);
      // The way to the client and back.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  await Promise.all(clients.map(client));
}
