/** The contract of every source in `src/sources.ts`. A new source needs its line in `OPEN`. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { Callinfo } from "../src/callinfo.js";
import { KeyError, UnsupportedLookupError } from "../src/errors.js";
import { copyIntoKvstore } from "../src/kvstore/kvstore-copy.js";
import { LookupLib, type LookupLibOptions, type LookupType } from "../src/lookuplib.js";
import { SOURCE_NAMES, SOURCES, sourcesWith, type LookupMethod } from "../src/sources.js";
import { hamkit } from "./cli/run-cli.js";
import { PASSWORD, startCallbookServer, USERNAME } from "./fixtures/callbook-server.js";
import { startFileServer } from "./fixtures/file-server.js";
import { APIKEY, ENGLAND, tells, tellsEach } from "./fixtures/log-service.js";
import { SMALL_FILE, smallTable } from "./fixtures/small-table.js";

/** A source on this machine. */
interface SourceUnderTest {
  readonly options: LookupLibOptions;
  /** A callsign with an entry of its own, and the entity of that entry. */
  readonly call: string;
  readonly adif: number;
  /** A prefix and an entity with an entry, where the source has such methods. */
  readonly prefix?: string;
  readonly entity?: number;
  /** Callsigns in the lists of invalid operations and zone exceptions. */
  readonly invalidOperation?: string;
  readonly zoneException?: string;
  /** The number of requests to the service. */
  readonly requests?: () => number;
  readonly close?: () => Promise<void>;
}

const SMALL_LOG = fileURLToPath(new URL("fixtures/small-log.xml", import.meta.url));
const LOG_KEYS = {
  call: "OK5TWO",
  adif: 1,
  prefix: "OK",
  entity: 174,
  invalidOperation: "VE1PIRATE",
  zoneException: "VE8EV",
};

const OPEN: { readonly [Type in LookupType]: () => Promise<SourceUnderTest> } = {
  countryfile: async () => ({
    options: { filename: fileURLToPath(SMALL_FILE) },
    call: "KL7FQR",
    adif: 291,
    prefix: "DL",
    entity: 230,
  }),
  logxml: async () => ({ options: { filename: SMALL_LOG }, ...LOG_KEYS }),
  async logapi() {
    const server = await startFileServer();
    server.answers = [
      (request, response) => {
        const call = new URL(request.url ?? "", server.url).searchParams.get("call");
        const respond =
          request.method === "POST"
            ? tellsEach(({ C }) => ({ A: C === "G7VJR" ? 223 : 0, Z: 14 }))
            : tells(call === "G7VJR" ? ENGLAND : { ...ENGLAND, DXCC: 0 });
        respond(request, response);
      },
    ];
    return {
      options: { apikey: APIKEY, url: new URL("/dxcc", server.url).href },
      call: "G7VJR",
      adif: 223,
      requests: () => server.requests.length,
      close: () => server.close(),
    };
  },
  async callbook() {
    const server = await startCallbookServer();
    server.entries.set("DH1TW", "<call>DH1TW</call><dxcc>230</dxcc>");
    server.entries.set("230", "<dxcc>230</dxcc><name>Germany</name>");
    return {
      options: { url: server.base, username: USERNAME, pwd: PASSWORD },
      call: "DH1TW",
      adif: 230,
      entity: 230,
      requests: () => server.requests.length,
      close: () => server.close(),
    };
  },
  async kvstore() {
    const kvInstance = new Map();
    const log = await new LookupLib({ lookuptype: "logxml", filename: SMALL_LOG }).source();
    await copyIntoKvstore(log.kind === "table" ? log : await smallTable(), { kvInstance, kvPrefix: "P" });
    return { options: { kvInstance, kvPrefix: "P" }, ...LOG_KEYS };
  },
};

/** A call of each method that the source under test has a key for. */
function methodCalls(
  source: SourceUnderTest,
): Record<LookupMethod, (lookup: LookupLib<LookupType>) => Promise<unknown>> {
  const { call, prefix = "DL", entity = 230, invalidOperation = "DH1TW", zoneException = "DH1TW" } = source;
  return {
    copyDataInKvstore: (lookup) => lookup.copyDataInKvstore("P", new Map()),
    isInvalidOperation: (lookup) => lookup.isInvalidOperation(invalidOperation),
    lookupCallsign: (lookup) => lookup.lookupCallsign(call),
    lookupEntity: (lookup) => lookup.lookupEntity(entity),
    lookupPrefix: (lookup) => lookup.lookupPrefix(prefix),
    lookupZoneException: (lookup) => lookup.lookupZoneException(zoneException),
  };
}

const METHODS = Object.keys(methodCalls({ options: {}, call: "", adif: 0 })) as LookupMethod[];
const UNKNOWN = "QQ0QQ";
const UNKNOWN_KEYS = {
  call: UNKNOWN,
  prefix: UNKNOWN,
  entity: 9999,
  invalidOperation: UNKNOWN,
  zoneException: UNKNOWN,
};

describe.each(SOURCE_NAMES)("the source %s", (lookuptype) => {
  const descriptor = SOURCES[lookuptype];
  let source: SourceUnderTest;
  let lookup: LookupLib<LookupType>;
  let info: Callinfo<object>;
  const open = (options: LookupLibOptions): LookupLib<LookupType> =>
    new LookupLib({ ...options, lookuptype });
  beforeAll(async () => {
    source = await OPEN[lookuptype]();
    lookup = open(source.options);
    info = new Callinfo(lookup);
  });
  afterAll(() => source.close?.());

  it("is of its kind, and sends no request before the first lookup", async () => {
    const idle = open(source.options);
    expect(idle.lookuptype).toBe(lookuptype);
    expect((await idle.source()).kind).toBe(descriptor.kind);
    expect(source.requests?.() ?? 0).toBe(0);
  });

  it.each(METHODS.filter((method) => descriptor.methods.includes(method)))("answers %s", async (method) => {
    expect(await methodCalls(source)[method](lookup)).toBeTruthy();
  });

  it.each(METHODS.filter((method) => !descriptor.methods.includes(method)))(
    "rejects %s before loading, and names the sources that answer it",
    async (method) => {
      // Neither the file nor the account exists, so loading would fail with another error.
      const call = methodCalls(source)[method];
      const failure: unknown = await call(open({ filename: "/no/such/file" })).catch(
        (error: unknown) => error,
      );
      expect(failure).toBeInstanceOf(UnsupportedLookupError);
      expect(failure).toMatchObject({ code: "lookup/unsupported", method, lookuptype });
      expect(failure).toMatchObject({
        supportedBy: sourcesWith(method),
        message: `${method} is not offered by lookuptype "${lookuptype}"; offered by: ${sourcesWith(method).join(", ")}`,
      });
    },
  );

  it.each(descriptor.requires)("needs the option %s, and sends no request without it", async (option) => {
    const { [option]: _, filename: _file, ...others } = source.options;
    const before = source.requests?.();
    await expect(open(others).lookupCallsign(source.call)).rejects.toMatchObject({
      code: option === "apikey" ? "api-key/missing" : "argument/invalid",
    });
    expect(source.requests?.()).toBe(before);
  });

  it("identifies a callsign in any spelling, with a frozen record", async () => {
    const { name } = await lookup.source();
    for (const text of [source.call, ` ${source.call.toLowerCase()}-9\n`]) {
      const answer = await info.identify(text);
      expect(answer).toMatchObject({ match: source.call, source: name, record: { adif: source.adif } });
      expect(answer.kind === "identified" && Object.isFrozen(answer.record)).toBe(true);
    }
  });

  it("does not identify an unknown callsign", async () => {
    expect(await info.identify(UNKNOWN)).toEqual({ kind: "unknown" });
    await expect(info.getAll(UNKNOWN)).rejects.toBeInstanceOf(KeyError);
  });

  it.each(descriptor.methods.filter((method) => method !== "copyDataInKvstore"))(
    "throws a KeyError for an unknown key: %s",
    async (method) => {
      const key = method === "lookupEntity" ? 9999 : UNKNOWN;
      const call = methodCalls({ ...source, ...UNKNOWN_KEYS })[method];
      await expect(call(lookup)).rejects.toMatchObject({ code: "lookup/no-match", key });
    },
  );

  it("sends no request for a text that cannot be a callsign", async () => {
    const before = source.requests?.();
    for (const text of ["", "no call", "💥", "X".repeat(31)]) {
      expect(await info.identify(text)).toEqual({ kind: "unknown" });
    }
    await expect(lookup.lookupCallsign("💥")).rejects.toBeInstanceOf(KeyError);
    expect(source.requests?.()).toBe(before);
  });

  it("rejects a callsign that is not a string", async () => {
    const callsign = 5 as unknown as string;
    await expect(info.identify(callsign)).rejects.toBeInstanceOf(TypeError);
    await expect(lookup.lookupCallsign(callsign)).rejects.toBeInstanceOf(TypeError);
  });

  it("identifies many callsigns in their order", async () => {
    const answers = await info.identifyMany([source.call, UNKNOWN, "no call", source.call]);
    const found = { kind: "identified", match: source.call, record: { adif: source.adif } };
    expect(answers).toMatchObject([found, { kind: "unknown" }, { kind: "unknown" }, found]);
  });

  it("returns copies of its records", async () => {
    for (const method of ["lookupCallsign", "lookupPrefix", "lookupEntity"] as const) {
      if (!descriptor.methods.includes(method)) continue;
      const ask = methodCalls(source)[method];
      const record = (await ask(lookup)) as { adif: number };
      const before = { ...record };
      record.adif = 99;
      expect(await ask(lookup)).toEqual(before);
    }
  });

  const needed = descriptor.kind === "service" ? descriptor.requires : [];

  it.runIf(needed.length > 0)(
    "is refused on the command line without its settings, by their names",
    async () => {
      const { exitCode, stderr } = await hamkit(["call", source.call, "--in", lookuptype]);
      expect([exitCode, stderr]).toEqual([2, expect.stringMatching(`^error: ${lookuptype}: set `)]);
      expect(stderr.match(/HAMKIT_\w+/g)).toEqual(needed.map((option) => descriptor.settings[option]));
    },
  );

  const hasFile = descriptor.options.includes("filename");

  it.runIf(hasFile)("is read from a local file on the command line", async () => {
    const database = `${lookuptype}=${source.options.filename}`;
    expect(await hamkit(["call", source.call, "--in", database])).toMatchObject({ exitCode: 0 });
  });

  it.runIf(!hasFile)("is refused with a local file on the command line", async () => {
    const { exitCode, stderr } = await hamkit(["call", source.call, "--in", `${lookuptype}=${SMALL_LOG}`]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${lookuptype} is read from no file`)]);
  });
});

it("the sources answer the methods of the public contract", () => {
  expect(Object.fromEntries(METHODS.map((method) => [method, sourcesWith(method)]))).toEqual({
    copyDataInKvstore: ["countryfile", "logxml"],
    isInvalidOperation: ["logxml", "kvstore"],
    lookupCallsign: ["countryfile", "logxml", "logapi", "callbook", "kvstore"],
    lookupEntity: ["countryfile", "logxml", "callbook", "kvstore"],
    lookupPrefix: ["countryfile", "logxml", "kvstore"],
    lookupZoneException: ["logxml", "kvstore"],
  });
});

describe("the documents", () => {
  const root = new URL("../../../", import.meta.url);
  /** The cells of the table rows that begin with the name of a source. */
  function rowsOf(document: string): string[][] {
    return readFileSync(new URL(document, root), "utf8")
      .split("\n")
      .filter((line) => /^\| `[a-z]+` /.test(line))
      .map((line) =>
        line
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
      .filter(([name = ""]) => SOURCE_NAMES.some((source) => name === `\`${source}\``));
  }

  it("list every source: docs/hamkit.md", () => {
    expect(rowsOf("docs/hamkit.md")).toEqual(
      SOURCE_NAMES.map((name) => [`\`${name}\``, SOURCES[name].title, optionsIn(name)]),
    );
  });

  it("list every source: docs/commands/call.md", () => {
    expect(rowsOf("docs/commands/call.md")).toEqual(
      SOURCE_NAMES.map((name) => [`\`${name}\``, SOURCES[name].title, settingsIn(name)]),
    );
  });

  function optionsIn(name: LookupType): string {
    return SOURCES[name].requires.map((option) => `\`${option}\``).join(", ") + orFile(name, "`filename`");
  }

  function settingsIn(name: LookupType): string {
    const { requires, settings } = SOURCES[name];
    return requires.map((option) => `\`${settings[option]}\``).join(", ") + orFile(name, `\`${name}=PATH\``);
  }

  function orFile(name: LookupType, file: string): string {
    const { kind, requires } = SOURCES[name];
    return kind === "table" && requires.length > 0 ? ` or ${file}` : "";
  }
});
