/** Metadata is renewed in the background: logins use what is there. */
import { beforeEach, describe, expect, it } from "vitest";

import { createMetadataCache } from "../../../../src/federation/protocols/saml2/metadata/metadata-cache.js";
import { samlReader } from "../../../../src/federation/protocols/saml2/saml-reader.js";
import { enabledProtocol } from "../../enabled-protocol.js";
import { ISSUER, metadata, NOW } from "../test-provider.js";

const SETTINGS = { type: "saml2", idp_metadata_url: "https://idp.example.org/metadata" } as const;
const MINUTE = 60_000;
const DAY = 86_400_000;

interface Planned {
  readonly work: () => void;
  readonly delayMs: number;
}

describe("metadata that logins use", () => {
  let now: number;
  let asked: number;
  let planned: Planned[];
  let warnings: object[];
  let answer: () => Promise<string>;
  let cache: ReturnType<typeof createMetadataCache>;
  beforeEach(() => {
    now = NOW;
    asked = 0;
    warnings = [];
    answer = async () => metadata();
    cache = newCache();
  });

  function newCache() {
    planned = [];
    return createMetadataCache({
      readUrl: async () => {
        asked += 1;
        return { content: await answer() };
      },
      reader: samlReader,
      clock: { now: () => now },
      schedule: (work, delayMs) => planned.push({ work, delayMs }),
    });
  }

  const log = { warn: (facts: object) => warnings.push(facts) };
  const get = async (from = cache) =>
    from.get(enabledProtocol({ settings: SETTINGS, remoteIds: [ISSUER] }), log);
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const down = () => Promise.reject(new TypeError("connection refused"));

  /** Lets the time of the next refresh come. @returns How long that took. */
  async function refresh(): Promise<number> {
    await settled();
    const next = planned.shift();
    if (next === undefined) throw new Error("no refresh is planned");
    now += next.delayMs;
    next.work();
    await settled();
    return next.delayMs;
  }

  it("are renewed before their five minutes end, so that no login waits", async () => {
    await get();
    const waited = await refresh();
    expect(waited).toBeGreaterThanOrEqual(240_000);
    expect(waited).toBeLessThanOrEqual(285_000);
    expect(asked).toBe(2);
    now += 200_000;
    await get();
    expect(asked).toBe(2);
  });

  it("are used while a renewal takes long, also beyond five minutes", async () => {
    await get();
    let respond: (xml: string) => void = () => {};
    answer = () => new Promise((resolve) => (respond = resolve));
    await refresh();
    now += 5 * MINUTE;
    expect(await get()).toMatchObject({ postUrl: undefined });
    respond(metadata(undefined, "HTTP-POST"));
    await settled();
    expect(await get()).toMatchObject({ redirectUrl: undefined });
    expect(asked).toBe(2);
  });

  it("are asked for at other moments by each process", async () => {
    const delays = new Set<number>();
    for (let processes = 0; processes < 20; processes += 1) {
      await get(newCache());
      await settled();
      delays.add(planned[0]?.delayMs ?? 0);
    }
    expect(delays.size).toBeGreaterThan(15);
  });

  it("are used until their validUntil while the address is down, asked for once a minute at last", async () => {
    const end = "2026-12-05T12:00:00Z";
    answer = async () => metadata().replace("entityID=", `validUntil="${end}" entityID=`);
    await get();
    answer = down;
    const waits: number[] = [];
    while (waits.length < 8) {
      waits.push(await refresh());
      expect(await get()).toMatchObject({ entityId: ISSUER });
    }
    // After 5, 10, 20, 40 s, and then a minute, less up to a fifth.
    for (const [index, seconds] of [5, 10, 20, 40, 60, 60, 60].entries()) {
      expect(waits[index + 1]).toBeGreaterThanOrEqual(seconds * 800);
      expect(waits[index + 1]).toBeLessThanOrEqual(seconds * 950);
    }
    expect(warnings[0]).toMatchObject({ entityId: ISSUER, usedUntil: "2026-12-05T12:01:00Z" });
    now = Date.parse(end) + MINUTE - 1;
    expect(await get()).toMatchObject({ entityId: ISSUER });
    now += MINUTE;
    await expect(get()).rejects.toThrow("connection refused");
  });

  it("are used for a day where they name no end", async () => {
    await get();
    answer = down;
    now += DAY - 1;
    expect(await get()).toMatchObject({ entityId: ISSUER });
    now += MINUTE;
    await expect(get()).rejects.toThrow("connection refused");
  });

  it("are not asked for any more an hour after the last login", async () => {
    await get();
    let renewals = 0;
    for (; planned.length > 0 && renewals < 100; renewals += 1) await refresh();
    expect(now).toBeGreaterThanOrEqual(NOW + 60 * MINUTE);
    expect(now).toBeLessThan(NOW + 66 * MINUTE);
    expect(asked).toBe(renewals);
    // The next login finds them too old, and waits.
    now += MINUTE;
    await get();
    expect(asked).toBe(renewals + 1);
  });

  it("warn of certificates out of date once an hour, and are used", async () => {
    // The certificate of these tests is valid for a day.
    now = NOW + 2 * DAY;
    await get();
    await refresh();
    const expired = {
      certificates: [expect.stringMatching(/^certificate sha256:[0-9a-f]{64} expired at 2026-11-22T/)],
    };
    expect(asked).toBe(2);
    expect(warnings).toEqual([{ entityId: ISSUER, ...expired }]);
    for (let renewals = 0; renewals < 15; renewals += 1) {
      await get();
      await refresh();
    }
    expect(warnings).toHaveLength(2);
  });
});
