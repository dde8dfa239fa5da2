/** The cache of identity providers' metadata. */
import { beforeEach, describe, expect, it } from "vitest";

import {
  createMetadataCache,
  type Saml2Settings,
} from "../../../../src/federation/protocols/saml2/metadata/metadata-cache.js";
import { samlReader } from "../../../../src/federation/protocols/saml2/saml-reader.js";
import { BusyError } from "../../../../src/platform/concurrency/bounded-queue.js";
import {
  AddressRefusedError,
  OutgoingRequestError,
} from "../../../../src/platform/outgoing/outgoing-requests.js";
import { enabledProtocol } from "../../enabled-protocol.js";
import { ISSUER, metadata } from "../test-provider.js";

const SETTINGS = { type: "saml2", idp_metadata_url: "https://idp.example.org/metadata" } as const;

describe("metadata at an address", () => {
  let asked: number;
  let now: number;
  let warnings: number;
  let retries: boolean[];
  let settings: Saml2Settings;
  let refreshedAt: number;
  let answer: () => Promise<string>;
  let get: () => Promise<{ readonly entityId: string }>;
  beforeEach(() => {
    asked = 0;
    now = 0;
    warnings = 0;
    retries = [];
    settings = SETTINGS;
    const descriptions = createMetadataCache({
      readUrl: async () => {
        asked += 1;
        return { content: await answer() };
      },
      reader: {
        ...samlReader,
        readMetadata(task) {
          retries.push(task.isRetry);
          return samlReader.readMetadata(task);
        },
      },
      clock: { now: () => now },
    });
    const log = {
      warn: (_: object, message: string) => (warnings += Number(message === "metadata not renewed")),
    };
    refreshedAt = 0;
    get = () => descriptions.get(enabledProtocol({ settings, remoteIds: [ISSUER], refreshedAt }), log);
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

  it("is not replaced by what was kept where its address is not allowed any more", async () => {
    const shelf = {
      find: async () => ({ text: metadata(), readAt: 0 }),
      keep: async () => {},
      fail: async () => {},
    };
    const getKept = async (failure: Error) =>
      createMetadataCache({
        readUrl: () => Promise.reject(failure),
        reader: samlReader,
        clock: { now: () => 0 },
        kept: { at: () => shelf },
      }).get(enabledProtocol({ settings, remoteIds: [ISSUER] }), { warn: () => {} });
    expect(await getKept(new OutgoingRequestError("idp", "no response"))).toMatchObject({ entityId: ISSUER });
    await expect(getKept(new AddressRefusedError("idp", "not public"))).rejects.toThrow("not public");
  });

  it("of entities that is too large to be kept is reported", async () => {
    const logged: unknown[] = [];
    const texts: number[] = [];
    const shelf = {
      find: async () => undefined,
      keep: async (text: string) => void texts.push(text.length),
      fail: async () => {},
    };
    let characters = 33_554_432;
    const cache = createMetadataCache({
      readUrl: async () => ({ content: (async function* () {})() }),
      reader: {
        readMetadata: (task) => samlReader.readMetadata(task),
        readAggregate: async () => ({
          providers: [
            await samlReader.readMetadata({ xml: metadata(), remoteIds: [ISSUER], isRetry: false }),
          ],
          kept: "x".repeat(characters),
          listed: [],
        }),
      },
      clock: { now: () => now },
      kept: { at: () => shelf },
    });
    const load = () =>
      cache.get(enabledProtocol({ settings, remoteIds: [ISSUER] }), {
        warn: (facts) => "maxCharacters" in facts && logged.push(facts),
      });
    await load();
    expect(logged).toEqual([]);
    characters += 1;
    now += 86_400_000;
    await load();
    expect(logged).toEqual([{ entityId: ISSUER, characters: 33_554_433, maxCharacters: 33_554_432 }]);
    expect(texts).toEqual([33_554_432, 33_554_433]);
  });

  it("is requested once in five seconds while it can't be downloaded", async () => {
    answer = () => Promise.reject(new TypeError("connection refused"));
    for (let logins = 0; logins < 3; logins += 1) await expect(get()).rejects.toThrow("connection refused");
    expect(asked).toBe(1);
    now += 5000;
    answer = async () => metadata();
    expect(await get()).toMatchObject({ entityId: ISSUER });
  });

  it("is asked for ever later while it can't be read, once a minute at last, and apart from what never failed", async () => {
    const times: number[] = [];
    answer = async () => {
      times.push(now / 1000);
      return metadata().replace("<md:IDPSSODescriptor", "<md:Other");
    };
    // One login attempt per second.
    for (; now < 200_000; now += 1000) await expect(get()).rejects.toThrow(/XML is not well-formed/);
    expect(times).toEqual([0, 5, 15, 35, 75, 135, 195]);
    expect(retries).toEqual([false, true, true, true, true, true, true]);
    answer = async () => metadata();
    now = 255_000;
    expect(await get()).toMatchObject({ entityId: ISSUER });
    answer = () => Promise.reject(new TypeError("connection refused"));
    now += 300_000;
    await get();
    now += 5000;
    await get();
    expect(retries.slice(-1)).toEqual([true]);
    expect(asked).toBe(10);
  });

  it("that was changed in the settings is read at once, whatever failed before", async () => {
    answer = () => Promise.reject(new TypeError("connection refused"));
    for (; now < 60_000; now += 5000) await expect(get()).rejects.toThrow("connection refused");
    answer = async () => metadata();
    settings = { ...SETTINGS, allow_sha1: true };
    expect(await get()).toMatchObject({ entityId: ISSUER });
    expect(retries.slice(-1)).toEqual([false]);
  });

  it("is downloaded again once after a refresh, and kept if that fails", async () => {
    answer = async () => metadata();
    await get();
    refreshedAt = 1;
    await Promise.all([get(), get()]);
    await get();
    expect(asked).toBe(2);
    // Another protocol with the same settings, which was not refreshed.
    refreshedAt = 0;
    await get();
    expect(asked).toBe(2);
    refreshedAt = 2;
    answer = () => Promise.reject(new TypeError("connection refused"));
    expect([await get(), await get()]).toMatchObject([{ entityId: ISSUER }, { entityId: ISSUER }]);
    expect([asked, warnings]).toEqual([3, 1]);
  });

  it("is verified again after an overload", async () => {
    answer = () => Promise.reject(new BusyError(1));
    await expect(get()).rejects.toThrow(BusyError);
    answer = async () => metadata();
    expect(await get()).toMatchObject({ entityId: ISSUER });
  });

  it("stays valid for a day while refreshes fail, every five seconds with a warning", async () => {
    answer = async () => metadata();
    await get();
    answer = () => Promise.reject(new TypeError("connection refused"));
    now += 300_000;
    expect([await get(), await get()]).toMatchObject([{ entityId: ISSUER }, { entityId: ISSUER }]);
    expect([asked, warnings]).toEqual([2, 1]);
    now += 5000;
    await get();
    expect([asked, warnings]).toEqual([3, 2]);
    now = 86_400_000;
    await expect(get()).rejects.toThrow("connection refused");
  });
});
