import { setTimeout as delay } from "node:timers/promises";

import { beforeEach, describe, expect, it } from "vitest";

import {
  createProviderCache,
  type ProviderCache,
} from "../../../src/federation/published/refreshing-cache.js";

const LIFE_MS = 300_000;

let now: number;
let cache: ProviderCache<string>;
/** The providers that were asked, in order. */
let asked: string[];
/** The delays of refreshes in the background. */
let delays: number[];
beforeEach(() => {
  now = 1_000_000;
  asked = [];
  delays = [];
  cache = createProviderCache({
    lifeMs: () => LIFE_MS,
    clock: { now: () => now },
    schedule: (_, delayMs) => void delays.push(delayMs),
  });
});

function get(provider: string, load = () => Promise.resolve(provider)): Promise<string> {
  const loading = () => {
    asked.push(provider);
    return load();
  };
  return cache.get({ provider }, { load: loading });
}

describe("what providers publish", () => {
  it("is cached for 256 providers: one more replaces the one that was loaded first", async () => {
    for (let number = 1; number <= 256; number++) await get(`p${number}`);
    await get("p1");
    expect(asked).toHaveLength(256);
    await get("p257");
    await get("p2");
    expect(asked.slice(256)).toEqual(["p257"]);
    await get("p1");
    expect(asked.slice(256)).toEqual(["p257", "p1"]);
  });

  it("is refreshed after 80 % to 95 % of its five minutes", async () => {
    for (let number = 1; number <= 100; number++) await get(`p${number}`);
    expect(delays).toHaveLength(100);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(240_000);
    expect(Math.max(...delays)).toBeLessThan(285_000);
  });

  it("is asked for again 5 s after a failed load, and not before", async () => {
    const fails = () => Promise.reject(new Error("503"));
    await expect(get("p", fails)).rejects.toThrow("503");
    now += 4999;
    await expect(get("p")).rejects.toThrow("503");
    expect(asked).toEqual(["p"]);
    now += 1;
    expect(await get("p")).toBe("p");
  });

  it.each([
    ["is still fresh", 299_000, ["kept", "kept", "loaded"]],
    ["is no longer fresh", 300_000, ["loaded", "loaded", "loaded"]],
  ])(
    "is used as another process has read it, while it takes long to load, if it %s",
    async (_, age, values) => {
      let finish = (_value: string) => {};
      const slow = createProviderCache<string>({
        clock: { now: () => now },
        lifeMs: () => LIFE_MS,
        patienceMs: 20,
      });
      const loading = {
        load: () => new Promise<string>((resolve) => (finish = resolve)),
        restore: async (error: unknown) =>
          error === undefined ? { value: "kept", loadedAt: now - age } : undefined,
      };
      const logIn = () => slow.get({ provider: "p" }, loading);
      const waiting = Promise.all([logIn(), logIn()]);
      await delay(100);
      finish("loaded");
      const first = await waiting;
      await delay(0);
      expect([...first, await logIn()]).toEqual(values);
    },
  );

  it("is not used as another process has read it once it can't be loaded", async () => {
    let fail = (_error: Error) => {};
    const slow = createProviderCache<string>({
      clock: { now: () => now },
      lifeMs: () => LIFE_MS,
      patienceMs: 20,
    });
    const loading = {
      load: () => new Promise<string>((_resolve, reject) => (fail = reject)),
      restore: async (error: unknown) => (error === undefined ? { value: "kept", loadedAt: now } : undefined),
    };
    const logIn = () => slow.get({ provider: "p" }, loading);
    expect(await logIn()).toBe("kept");
    fail(new Error("the address is not allowed"));
    await delay(0);
    await expect(logIn()).rejects.toThrow("not allowed");
  });

  it("is loaded without another process's where that takes no time", async () => {
    const restore = () => Promise.reject(new Error("not asked"));
    expect(await cache.get({ provider: "p" }, { load: async () => "loaded", restore })).toBe("loaded");
  });
});
