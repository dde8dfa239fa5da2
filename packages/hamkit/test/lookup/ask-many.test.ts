import { describe, expect, it } from "vitest";

import { askMany } from "../../src/lookup/ask-many.js";
import type { Query, ServiceSource } from "../../src/lookup/source.js";
import { smallTable } from "../fixtures/small-table.js";

const QUERIES: Query[] = Array.from({ length: 200 }, (_, at) => ({ callsign: "DH1TW", at }));

/** A service that takes questions one by one, and how many it had at once. */
function oneByOne(answer: (at: number) => Promise<void>): {
  service: ServiceSource;
  most: () => number;
  asked: () => number;
} {
  let underWay = 0;
  let most = 0;
  let asked = 0;
  const service: ServiceSource = {
    kind: "service",
    name: "one by one",
    async identify(_, at) {
      asked++;
      most = Math.max(most, ++underWay);
      await answer(at);
      underWay--;
      return at % 2 === 0 ? { kind: "unknown" } : { kind: "invalid-operation" };
    },
  };
  return { service, most: () => most, asked: () => asked };
}

describe("askMany", () => {
  it("answers synchronously from a table", async () => {
    const answers = askMany(await smallTable(), QUERIES);
    expect(answers).toHaveLength(200);
    expect(answers).toMatchObject([
      { kind: "identified", match: "DH" },
      ...Array.from({ length: 199 }, () => ({})),
    ]);
  });

  it("sends at most 64 concurrent requests to a service without batches, and keeps the order", async () => {
    const { service, most } = oneByOne((at) => new Promise((resolve) => setTimeout(resolve, (at * 7) % 5)));
    const answers = await askMany(service, QUERIES);
    expect(answers.map(({ kind }) => kind)).toEqual(
      QUERIES.map(({ at }) => (at % 2 === 0 ? "unknown" : "invalid-operation")),
    );
    expect(most()).toBe(64);
  });

  it("sends no request after a failure", async () => {
    const { service, asked } = oneByOne(async (at) => {
      if (at === 10) throw new Error("gone");
      await new Promise((resolve) => setTimeout(resolve, 10));
    });
    await expect(askMany(service, QUERIES)).rejects.toThrow("gone");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked()).toBe(64);
  });

  it("sends a batch to a service that offers it", async () => {
    const service: ServiceSource = {
      kind: "service",
      name: "together",
      identify: () => expect.fail("asked one by one"),
      identifyMany: async (queries) => queries.map(() => ({ kind: "unknown" })),
    };
    expect(await askMany(service, QUERIES)).toHaveLength(200);
  });
});
