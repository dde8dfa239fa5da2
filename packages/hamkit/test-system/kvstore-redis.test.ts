import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { IOError, TimeoutError } from "../src/errors.js";
import type { TableSource } from "../src/lookup/source.js";
import { copyIntoKvstore } from "../src/kvstore/kvstore-copy.js";
import { createKvstore } from "../src/kvstore/kvstore.js";
import { smallTable } from "../test/fixtures/small-table.js";
import { countRoundTrips } from "./counting-proxy.js";
import { markedTable } from "./marked-table.js";
import { startRedis, type RedisServer } from "./redis-servers.js";
import { LIBRARIES, library, type OpenClient } from "./store-clients.js";
import { whileRunning } from "./while-running.js";

const AT = Date.UTC(2026, 0, 1);
const NO_SCRIPTS = ["ham", "on", ">secret", "~*", "+@all", "-@scripting"] as const;

let server: RedisServer;
let own: Redis;
let table: TableSource;
beforeAll(async () => {
  server = await startRedis("--user", ...NO_SCRIPTS);
  own = new Redis(server.url);
  own.on("error", () => undefined);
  table = await smallTable();
});
afterAll(async () => {
  own.disconnect();
  await server.stop();
});
beforeEach(async () => {
  await own.flushall();
  await own.script("FLUSH");
  await own.config("RESETSTAT");
});

async function withClient(
  opening: Promise<OpenClient>,
  use: (client: object) => Promise<void>,
): Promise<void> {
  const { client, close } = await opening;
  try {
    await use(client);
  } finally {
    close();
  }
}

function copy(kvInstance: object, source = table): Promise<void> {
  return copyIntoKvstore(source, { kvInstance, kvPrefix: "CF" });
}

/** Leaves what pyhamtools would have copied. */
async function copyAsPython(kvInstance: object): Promise<void> {
  await copy(kvInstance);
  await own.del("CF_generation", ...(await own.keys("CF_hash_*")));
}

/** How often commands were called since the statistics were reset, and refused. */
async function callsOf(command: string): Promise<{ calls: number; rejected: number }> {
  const stats = await own.info("commandstats");
  const line = new RegExp(`^cmdstat_${command}:calls=(\\d+),.*rejected_calls=(\\d+)`, "m").exec(stats);
  return { calls: Number(line?.[1] ?? 0), rejected: Number(line?.[2] ?? 0) };
}

describe.each(LIBRARIES)("look-ups through $name", ({ single }) => {
  it.each([
    { layout: "copied by hamkit", copyTo: copy, scripts: 0 },
    { layout: "copied by pyhamtools, with a script, which is loaded once", copyTo: copyAsPython, scripts: 1 },
  ])("cost one round trip (few-round-trips): $layout", ({ copyTo, scripts }) =>
    withClient(single(server.url), async (writer) => {
      await copyTo(writer);
      const proxy = await countRoundTrips(server.port);
      await withClient(single(`redis://127.0.0.1:${proxy.port}`), async (kvInstance) => {
        const kvstore = createKvstore({ kvInstance, kvPrefix: "CF" });
        await kvstore.identify("W6AA", AT);
        for (const callsign of ["DH1TW", "W1AW/6", "3D2/R/DL1ABC", "RT9V/W2PE"]) {
          proxy.roundTrips();
          expect(await kvstore.identify(callsign, AT)).toMatchObject({ kind: expect.any(String) as string });
          expect(proxy.roundTrips()).toBe(1);
        }
        proxy.roundTrips();
        await Promise.all(["DH1TW", "W6AA", "JA1ABC"].map((call) => kvstore.identify(call, AT)));
        expect(proxy.roundTrips()).toBe(1);
        expect(await kvstore.prefix("DL", AT)).toMatchObject({ cqz: 14 });
      });
      proxy.close();
      expect((await callsOf("eval_ro")).calls).toBe(scripts);
      expect((await callsOf("evalsha_ro")).calls).toBe(7 * scripts);
    }),
  );

  it("cost two round trips of what pyhamtools copied where scripts are refused, which is tried once", () =>
    withClient(single(server.url), async (writer) => {
      await copyAsPython(writer);
      const proxy = await countRoundTrips(server.port);
      await withClient(single(`redis://ham:secret@127.0.0.1:${proxy.port}`), async (kvInstance) => {
        const kvstore = createKvstore({ kvInstance, kvPrefix: "CF" });
        await kvstore.identify("W6AA", AT);
        for (const callsign of ["DH1TW", "W1AW/6", "3D2/R/DL1ABC", "RT9V/W2PE", "QQ0QQ"]) {
          proxy.roundTrips();
          await kvstore.identify(callsign, AT);
          expect(proxy.roundTrips()).toBe(2);
        }
      });
      proxy.close();
      expect(await callsOf("evalsha_ro")).toEqual({ calls: 0, rejected: 1 });
      expect(await callsOf("evalsha")).toEqual({ calls: 0, rejected: 1 });
    }));

  it("work again after the server has forgotten the script", () =>
    withClient(single(server.url), async (kvInstance) => {
      await copyAsPython(kvInstance);
      const kvstore = createKvstore({ kvInstance, kvPrefix: "CF" });
      await kvstore.identify("W6AA", AT);
      await own.script("FLUSH");
      expect(await kvstore.identify("W6AA", AT)).toMatchObject({ record: { cqz: 3 } });
      expect((await callsOf("eval_ro")).calls).toBe(2);
    }));

  it("work again after the connection was lost", () =>
    withClient(single(server.url), async (kvInstance) => {
      await copy(kvInstance);
      const kvstore = createKvstore({ kvInstance, kvPrefix: "CF" });
      await kvstore.identify("W6AA", AT);
      await own.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      // Some libraries ask again by themselves, others say that the connection was closed.
      const first = await kvstore.identify("W6AA", AT).catch((failure: unknown) => failure);
      const told = first instanceof IOError ? first.resource : "asked again";
      expect([`redis://127.0.0.1:${server.port}/0`, "asked again"]).toContain(told);
      expect(first instanceof Error).toBe(told !== "asked again");
      expect(await kvstore.identify("W6AA", AT)).toMatchObject({ record: { cqz: 3 } });
    }));

  it("fail with the store's name while the server is down, and work again when it is up", async () => {
    const other = await startRedis("--requirepass", "secret");
    const url = `redis://:secret@127.0.0.1:${other.port}`;
    await withClient(single(url), async (kvInstance) => {
      const kvstore = createKvstore({ kvInstance, kvPrefix: "CF", timeoutMs: 500 });
      await copy(kvInstance);
      await kvstore.identify("W6AA", AT);
      await other.stop();
      for (let time = 0; time < 2; time++) {
        const failure = await kvstore.identify("W6AA", AT).catch((caught: unknown) => caught);
        expect(failure).toBeInstanceOf(IOError);
        expect(failure).toMatchObject({ resource: `redis://127.0.0.1:${other.port}/0` });
        expect(String(failure)).not.toContain("secret");
      }
      await expect(copy(kvInstance)).rejects.toBeInstanceOf(IOError);
      await other.start();
      await expect.poll(() => copy(kvInstance).then(() => "done", String), { timeout: 20_000 }).toBe("done");
      await expect
        .poll(() => kvstore.identify("W6AA", AT).catch(String), { timeout: 20_000 })
        .toMatchObject({ record: { cqz: 3 } });
    });
    await other.stop();
  });

  it("don't wait for ever for a server that doesn't answer", () =>
    withClient(single(server.url), async (kvInstance) => {
      await copy(kvInstance);
      const kvstore = createKvstore({ kvInstance, kvPrefix: "CF", timeoutMs: 200 });
      await kvstore.identify("W6AA", AT);
      await own.client("PAUSE", 1000, "ALL");
      await expect(kvstore.identify("W6AA", AT)).rejects.toBeInstanceOf(TimeoutError);
      await own.client("UNPAUSE");
      expect(await kvstore.identify("W6AA", AT)).toMatchObject({ record: { cqz: 3 } });
    }));
});

describe("look-ups", () => {
  it("need no right to write, and no command that looks through all keys", async () => {
    await withClient(library("ioredis 6").single(server.url), copyAsPython);
    await own.config("RESETSTAT");
    await own.acl(
      "SETUSER",
      "reader",
      "on",
      ">pw",
      "~CF_*",
      "+@read",
      "+@connection",
      "+evalsha_ro",
      "+eval_ro",
      "+info",
      "-keys",
      "-scan",
    );
    await withClient(
      library("ioredis 6").single(`redis://reader:pw@127.0.0.1:${server.port}`),
      async (kvInstance) => {
        const kvstore = createKvstore({ kvInstance, kvPrefix: "CF" });
        expect(await kvstore.identify("W6AA", AT)).toMatchObject({ record: { cqz: 3 } });
        expect(await kvstore.entity(230)).toMatchObject({ prefix: "DL" });
      },
    );
    expect(await callsOf("smembers")).toMatchObject({ rejected: 0 });
    expect((await callsOf("evalsha_ro")).calls).toBeGreaterThan(0);
  });

  it("run on servers before version 7, which have no read-only scripts", async () => {
    const old = await startRedis("--rename-command", "EVALSHA_RO", "", "--rename-command", "EVAL_RO", "");
    for (const { single } of LIBRARIES) {
      await withClient(single(old.url), async (kvInstance) => {
        await copy(kvInstance);
        const kept = new Redis(old.url);
        await kept.del("CF_generation", ...(await kept.keys("CF_hash_*")));
        kept.disconnect();
        const kvstore = createKvstore({ kvInstance, kvPrefix: "CF" });
        expect(await kvstore.identify("W6AA", AT)).toMatchObject({ record: { cqz: 3 } });
        expect(await kvstore.identify("DH1TW", AT)).toMatchObject({ record: { cqz: 14 } });
      });
    }
    const stats = new Redis(old.url);
    expect(await stats.info("commandstats")).toMatch(/cmdstat_evalsha:calls=\d/);
    stats.disconnect();
    await old.stop();
  });

  it.each(["ioredis 6", "ioredis 5", "redis 6"])(
    "go by the prefix that the client puts before all keys: %s",
    (name) =>
      withClient(library(name).single(server.url, { keyPrefix: "app:" }), async (kvInstance) => {
        await own.set("CF_prefix_99", "not ours");
        await own.set("app:CF_prefix_99", "old");
        await copy(kvInstance);
        expect(await own.exists("app:CF_generation", "app:CF_prefix_index_DL")).toBe(2);
        expect(await own.exists("app:CF_prefix_99")).toBe(0);
        expect(await own.keys("CF_*")).toEqual(["CF_prefix_99"]);
        const kvstore = createKvstore({ kvInstance, kvPrefix: "CF" });
        expect(await kvstore.identify("W6AA", AT)).toMatchObject({ record: { cqz: 3 } });
        expect(await kvstore.entity(230)).toMatchObject({ prefix: "DL" });
      }),
  );
});

describe("copying", () => {
  it.each([
    ["with scripts", ""],
    ["without scripts", "ham:secret@"],
  ])(
    "shows readers the old data or the new, and never a mixture (copies-in-one-step): %s",
    async (_, account) => {
      const url = server.url.replace("//", `//${account}`);
      await withClient(library("ioredis 6").single(url), (writer) =>
        withClient(library("redis 6").single(url), async (reader) => {
          const tables = [markedTable(1), markedTable(2)];
          await copy(writer, tables[0]);
          const kvstore = createKvstore({ kvInstance: reader, kvPrefix: "CF" });
          let looks = 0;
          const seen = await whileRunning(
            async () => {
              for (let time = 1; time <= 12; time++) await copy(writer, tables[time % 2]);
            },
            async () => {
              looks++;
              const answer = await kvstore.identify("DL1ABC", AT);
              return [JSON.stringify(answer, ["kind", "match", "record", "adif", "cqz"])];
            },
          );
          expect(seen).toEqual([
            '{"kind":"identified","match":"DL","record":{"adif":2,"cqz":2}}',
            '{"kind":"identified","match":"DL1ABC","record":{"adif":1,"cqz":1}}',
          ]);
          expect(looks).toBeGreaterThan(20);
        }),
      );
    },
  );

  it.each(LIBRARIES)(
    "leaves the old data whole when its connection is lost on the way: $name",
    async ({ single }) => {
      await withClient(single(server.url), async (kvInstance) => {
        await copy(kvInstance);
        const before = (await own.keys("*")).sort();
        const copying = copy(kvInstance, markedTable(1, 200_000)).catch((failure: unknown) => failure);
        const inTransaction = async (): Promise<string | undefined> =>
          /^id=(\d+) .* multi=[1-9]\d* /m.exec(String(await own.client("LIST")))?.[1];
        await expect.poll(inTransaction, { interval: 1, timeout: 20_000 }).toBeDefined();
        const id = await inTransaction();
        await own.client("KILL", "ID", id ?? "0");
        const failure = await copying;
        expect(failure).toBeInstanceOf(IOError);
        expect(String(failure)).toContain(`redis://127.0.0.1:${server.port}/0`);
        expect((await own.keys("*")).sort()).toEqual(before);
        const kvstore = createKvstore({ kvInstance, kvPrefix: "CF" });
        expect(await kvstore.identify("W6AA", AT)).toMatchObject({ record: { cqz: 3 } });
        await copy(kvInstance, markedTable(1, 10));
        expect(await own.exists("CF_prefix_index_DL1")).toBe(1);
      });
    },
  );

  it("leaves the old data whole when the server has no room for the new", async () => {
    await withClient(library("ioredis 6").single(server.url), async (kvInstance) => {
      await copy(kvInstance);
      const before = (await own.keys("*")).sort();
      await own.config("SET", "maxmemory", "4mb");
      const failure = await copy(kvInstance, markedTable(1, 100_000)).catch((caught: unknown) => caught);
      await own.config("SET", "maxmemory", "0");
      expect(failure).toBeInstanceOf(IOError);
      expect(String(failure)).toContain("OOM");
      expect((await own.keys("*")).sort()).toEqual(before);
    });
  });

  it("never asks for all keys at once, and holds nothing of the client up", async () => {
    await withClient(library("redis 6").single(server.url), async (kvInstance) => {
      await copy(kvInstance);
      await copy(kvInstance);
    });
    expect(await callsOf("keys")).toEqual({ calls: 0, rejected: 0 });
    expect((await callsOf("scan")).calls).toBeGreaterThan(0);
    const clients = String(await own.client("LIST"));
    expect(clients.trim().split("\n").length).toBe(1);
  });
});
