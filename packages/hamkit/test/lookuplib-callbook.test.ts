import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from "vitest";

import { Callinfo } from "../src/callinfo.js";
import { KeyError, LoginError, TimeoutError } from "../src/errors.js";
import {
  LookupLib,
  type CallbookEntity,
  type CallbookRecord,
  type CallsignRecord,
  type EntityRecord,
  type LookupLibOptions,
} from "../src/lookuplib.js";
import { PASSWORD, startCallbookServer, USERNAME, type CallbookServer } from "./fixtures/callbook-server.js";
import { SMALL_FILE } from "./fixtures/small-table.js";

const ENTRY = `<call>DH1TW</call><dxcc>230</dxcc><aliases>DH1TW/P</aliases><country>Germany</country>
  <lat>48.5</lat><lon>9.5</lon><cqzone>14</cqzone><ituzone>28</ituzone>`;

let server: CallbookServer;
let warnings: string[];
beforeEach(async () => {
  warnings = [];
  server = await startCallbookServer();
  server.entries.set("DH1TW", ENTRY).set("230", "<dxcc>230</dxcc><name>Germany</name><cqzone>14</cqzone>");
});
afterEach(() => server.close());

function options(changes: Partial<LookupLibOptions<"callbook">> = {}) {
  return {
    lookuptype: "callbook",
    url: server.base,
    username: USERNAME,
    pwd: PASSWORD,
    logger: { warn: (message: string) => void warnings.push(message) },
    ...changes,
  } as const;
}

describe("LookupLib with a callbook", () => {
  it("looks up callsigns in any spelling, and entities by their code", async () => {
    const lookup = new LookupLib(options());
    expect(await lookup.lookupCallsign(" dh1tw ")).toEqual({
      callsign: "DH1TW",
      adif: 230,
      aliases: ["DH1TW/P"],
      country: "Germany",
      latitude: 48.5,
      longitude: 9.5,
      cqz: 14,
      ituz: 28,
    });
    expect(await lookup.lookupEntity(230)).toEqual({ adif: 230, country: "Germany", cqz: 14 });
    expect(server.logins()).toBe(1);
  });

  it("asks HamQTH if the option selects it", async () => {
    const hamqth = await startCallbookServer("hamqth");
    hamqth.entries.set("DH1TW", "<callsign>dh1tw</callsign><adif>230</adif>");
    const lookup = new LookupLib(options({ callbook: "hamqth", url: hamqth.base }));
    expect(await lookup.lookupCallsign("DH1TW")).toEqual({ callsign: "DH1TW", adif: 230 });
    await hamqth.close();
  });

  it("refuses at once, with the same error, when the account has been refused", async () => {
    const lookup = new LookupLib(options({ pwd: "wrong" }));
    const failure: unknown = await lookup.lookupCallsign("DH1TW").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LoginError);
    await expect(lookup.lookupCallsign("W1AW")).rejects.toBe(failure);
    await expect(lookup.lookupEntity(230)).rejects.toBe(failure);
    await expect(new Callinfo(lookup).getAll("DH1TW")).rejects.toBe(failure);
    expect(server.requests).toHaveLength(1);
  });

  it("waits no longer than it may", async () => {
    server.override = () => undefined;
    const lookup = new LookupLib(options({ timeoutMs: 30 }));
    await expect(lookup.lookupCallsign("DH1TW")).rejects.toBeInstanceOf(TimeoutError);
  });

  it("warns of unexpected values", async () => {
    server.entries.set("DH1TW", "<dxcc>DL</dxcc>");
    expect(await new LookupLib(options()).lookupCallsign("DH1TW")).toEqual({ adif: "DL" });
    expect(warnings).toEqual(['QRZ, DH1TW: kept as text: adif "DL", which is not a number']);
  });
});

describe("Callinfo with a callbook", () => {
  it("returns the fields of the callbook", async () => {
    const info = new Callinfo(new LookupLib(options()));
    expect(await info.getAdifId("DH1TW")).toBe(230);
    expect(await info.getCountryName("DH1TW")).toBe("Germany");
    expect(await info.getLatLong("DH1TW")).toEqual({ latitude: 48.5, longitude: 9.5 });
    expect(await info.getItuz("DH1TW")).toBe(28);
    expect(await info.isValidCallsign("HC2/DH1TW")).toBe(false);
  });

  it("throws a KeyError for a missing field, and for a text instead of a number", async () => {
    server.entries.set("DH1TW", "<cqzone>14/15</cqzone>");
    const info = new Callinfo(new LookupLib(options()));
    await expect(info.getCqz("DH1TW")).rejects.toBeInstanceOf(KeyError);
    await expect(info.getItuz("DH1TW")).rejects.toBeInstanceOf(KeyError);
  });

  it("knows where a station abroad is by a country file behind the callbook", async () => {
    const files = { lookuptype: "countryfile", filename: fileURLToPath(SMALL_FILE) } as const;
    const info = new Callinfo(new LookupLib([options(), files]));
    expect(await info.getAll("DH1TW")).toMatchObject({ callsign: "DH1TW", adif: 230 });
    expect(await info.getAll("HC2/DH1TW")).toMatchObject({ country: "Ecuador", adif: 120 });
    await server.close();
    expect(await info.getAll("DH1TW")).toMatchObject({ country: "Fed. Rep. of Germany" });
  });
});

describe("the types of a LookupLib", () => {
  it("are those of the database", () => {
    const callbook = new LookupLib({ lookuptype: "callbook", username: "", pwd: "" });
    expectTypeOf(callbook).toEqualTypeOf<LookupLib<"callbook">>();
    expectTypeOf<ReturnType<typeof callbook.lookupCallsign>>().resolves.toEqualTypeOf<CallbookRecord>();
    expectTypeOf<ReturnType<typeof callbook.lookupEntity>>().resolves.toEqualTypeOf<CallbookEntity>();

    const file = new LookupLib();
    expectTypeOf<ReturnType<typeof file.lookupCallsign>>().resolves.toEqualTypeOf<CallsignRecord>();
    expectTypeOf<ReturnType<typeof file.lookupEntity>>().resolves.toEqualTypeOf<EntityRecord>();
    expectTypeOf(new LookupLib({ offline: true })).toEqualTypeOf<LookupLib>();

    const chain = new LookupLib([{ lookuptype: "callbook" }, { lookuptype: "countryfile" }]);
    expectTypeOf<ReturnType<typeof chain.lookupCallsign>>().resolves.toEqualTypeOf<
      CallbookRecord | CallsignRecord
    >();
    expectTypeOf<ReturnType<typeof chain.lookupEntity>>().resolves.toEqualTypeOf<
      CallbookEntity | EntityRecord
    >();
  });

  it("are those of Callinfo's records", () => {
    const info = new Callinfo(new LookupLib({ lookuptype: "callbook" }));
    expectTypeOf<ReturnType<typeof info.getAll>>().resolves.toEqualTypeOf<CallbookRecord>();
    expectTypeOf<ReturnType<typeof info.getAdifId>>().resolves.toEqualTypeOf<number>();
    const plain = new Callinfo(new LookupLib());
    expectTypeOf<ReturnType<typeof plain.getAll>>().resolves.toEqualTypeOf<CallsignRecord>();
  });

  it("include texts in fields that their owners may mistype", () => {
    expectTypeOf<CallbookRecord["latitude"]>().toEqualTypeOf<number | string | undefined>();
    expectTypeOf<CallbookRecord["efdate"]>().toEqualTypeOf<Date | string | undefined>();
    expectTypeOf<CallbookRecord["lotw"]>().toEqualTypeOf<boolean | string | undefined>();
    expectTypeOf<CallbookRecord["aliases"]>().toEqualTypeOf<readonly string[] | undefined>();
  });
});
