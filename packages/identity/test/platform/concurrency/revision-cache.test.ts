import { beforeEach, describe, expect, it } from "vitest";

import { createRevisionCache, type RevisionCache } from "../../../src/platform/concurrency/revision-cache.js";

let revision: number;
let made: string[];
let cache: RevisionCache<string>;
beforeEach(() => {
  revision = 1;
  made = [];
  cache = createRevisionCache({
    revision: () => revision,
    maxEntries: 2,
    keeps: (value) => value !== "not worth it",
  });
});

async function ask(key: string, value = `${key} at ${revision}`): Promise<string> {
  return cache.get(key, async () => {
    made.push(value);
    await Promise.resolve();
    return value;
  });
}

describe("createRevisionCache", () => {
  it("works out the same thing once, also for those who ask at the same time", async () => {
    expect(await Promise.all([ask("a"), ask("a")])).toEqual(["a at 1", "a at 1"]);
    expect(await ask("a")).toBe("a at 1");
    expect(made).toEqual(["a at 1"]);
  });

  it("forgets everything when something has changed", async () => {
    await ask("a");
    revision = 2;
    expect(await ask("a")).toBe("a at 2");
  });

  it("never keeps what was read while something changed", async () => {
    const slow = cache.get("a", async () => {
      revision = 2;
      await Promise.resolve();
      return "from before the change";
    });
    expect(await slow).toBe("from before the change");
    expect(await ask("a")).toBe("a at 2");
  });

  it("never keeps it where another value was asked for after the change", async () => {
    const slow = cache.get("a", () => {
      revision = 2;
      return ask("b").then(() => "from before the change");
    });
    expect(await slow).toBe("from before the change");
    expect(await ask("a")).toBe("a at 2");
    expect(made).toEqual(["b at 2", "a at 2"]);
  });

  it("keeps no failures, and nothing that isn't worth it", async () => {
    await expect(cache.get("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    await ask("b", "not worth it");
    expect(await ask("a")).toBe("a at 1");
    expect(await ask("b")).toBe("b at 1");
  });

  it("has what it knows at once, also where it is undefined", async () => {
    const known = createRevisionCache<string | undefined>({ revision: () => revision, maxEntries: 2 });
    const make = async () => void made.push("made");
    await known.get("a", make);
    expect(known.get("a", make)).toBeUndefined();
    await ask("b");
    expect(cache.get("b", () => Promise.reject(new Error("not asked")))).toBe("b at 1");
    expect(made).toEqual(["made", "b at 1"]);
  });

  it("asks again once a value is not valid any longer, concurrently once", async () => {
    let isValid = true;
    let count = 0;
    const limited = createRevisionCache<number>({
      revision: () => revision,
      maxEntries: 2,
      isValid: () => isValid,
    });
    const take = async () => limited.get("a", async () => ++count);
    expect(await take()).toBe(1);
    expect(limited.get("a", take)).toBe(1);
    isValid = false;
    const twice = [take(), take()];
    isValid = true;
    expect(await Promise.all(twice)).toEqual([2, 2]);
  });

  it("keeps a bounded number", async () => {
    for (const key of ["a", "b", "c", "b", "a"]) await ask(key);
    expect(made).toEqual(["a at 1", "b at 1", "c at 1", "a at 1"]);
  });
});
