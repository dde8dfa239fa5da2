/** What is remembered of identity providers, and what isn't. */
import { beforeEach, describe, expect, it } from "vitest";

import { createProviderDescriptions } from "../../../src/federation/saml/provider-descriptions.js";
import { samlReader } from "../../../src/federation/saml/saml-reader.js";
import { BusyError } from "../../../src/platform/bounded-queue.js";
import { ISSUER, metadata } from "./test-provider.js";

const SETTINGS = { type: "saml2", idp_metadata_url: "https://idp.example.org/metadata" } as const;

describe("metadata at an address", () => {
  let asked: number;
  let now: number;
  let warnings: number;
  let answer: () => Promise<string>;
  let get: () => Promise<{ readonly entityId: string }>;
  beforeEach(() => {
    asked = 0;
    now = 0;
    warnings = 0;
    const descriptions = createProviderDescriptions({
      readUrl: async () => {
        asked += 1;
        return answer();
      },
      reader: samlReader,
      clock: { now: () => now },
    });
    const log = { warn: () => (warnings += 1) };
    get = () => descriptions.get({ settings: SETTINGS, remoteIds: [ISSUER], log });
  });

  it("is asked for once in five minutes, by many who come at the same time too", async () => {
    answer = async () => metadata();
    expect((await Promise.all([get(), get()])).map(({ entityId }) => entityId)).toEqual([ISSUER, ISSUER]);
    now += 299_999;
    await get();
    expect(asked).toBe(1);
    now += 1;
    await get();
    expect(asked).toBe(2);
  });

  it("is asked for once in five seconds where it can't be had", async () => {
    answer = () => Promise.reject(new TypeError("nobody is there"));
    for (let logins = 0; logins < 3; logins += 1) await expect(get()).rejects.toThrow("nobody is there");
    expect(asked).toBe(1);
    now += 5000;
    answer = async () => metadata();
    expect(await get()).toMatchObject({ entityId: ISSUER });
  });

  it("is looked at anew where there was too much to do", async () => {
    answer = () => Promise.reject(new BusyError(1));
    await expect(get()).rejects.toThrow(BusyError);
    answer = async () => metadata();
    expect(await get()).toMatchObject({ entityId: ISSUER });
  });

  it("counts for a day where it can't be had again, asked for every five seconds, with a warning each time", async () => {
    answer = async () => metadata();
    await get();
    answer = () => Promise.reject(new TypeError("nobody is there"));
    now += 300_000;
    expect([await get(), await get()]).toMatchObject([{ entityId: ISSUER }, { entityId: ISSUER }]);
    expect([asked, warnings]).toEqual([2, 1]);
    now += 5000;
    await get();
    expect([asked, warnings]).toEqual([3, 2]);
    now = 86_400_000;
    await expect(get()).rejects.toThrow("nobody is there");
  });
});
