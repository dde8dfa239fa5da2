/** Look-ups through a Redis on this machine, under a prefix of the benchmark's own that is removed again. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { copyIntoKvstore, createCountryFile, createKvstore, loadEmbeddedCountryFile } from "hamkit/lookup";
import { Redis } from "ioredis";
import { createClient } from "redis";

const data = fileURLToPath(new URL("../../shared/hamkit/data/", import.meta.url));
const URL_OF_STORE = "redis://127.0.0.1:6379";
const at = Date.UTC(2024, 0, 1);
const kvPrefix = "hamkit-bench";
const IN_FLIGHT = 64;

export async function bench({ row }) {
  const client = await connected();
  if (client === undefined) {
    console.log(`No Redis at ${URL_OF_STORE}: its figures are left out.`);
    return;
  }
  const nodeRedis = await createClient({ url: URL_OF_STORE }).connect();
  try {
    const table = await countryFile();
    const calls = callsigns(table);
    for (const { name, kvInstance } of [
      { name: "ioredis", kvInstance: client },
      { name: "redis", kvInstance: nodeRedis },
    ]) {
      const copying = await best(3, () => copyIntoKvstore(table, { kvInstance, kvPrefix }));
      row({ work: `copy a country file, ${name}`, hamkit: copying, unit: "ms", limit: 1000 });
      const kvstore = createKvstore({ kvInstance, kvPrefix });
      row({
        work: `identify, 64 in flight, script, ${name}`,
        hamkit: await rateInFlight(kvstore, calls),
        limit: 25_000,
        peer: 3600,
      });
      const pipelined = createKvstore({ kvInstance: withoutScripts(kvInstance), kvPrefix });
      row({
        work: `identify, 64 in flight, no scripts, ${name}`,
        hamkit: await rateInFlight(pipelined, calls),
        limit: 10_000,
        peer: 3600,
      });
    }
    const alone = createKvstore({ kvInstance: client, kvPrefix });
    row({
      work: "identify, one after the other",
      hamkit: await rateInFlight(alone, calls.slice(0, 20_000), 1),
      peer: 3600,
    });
  } finally {
    await remove(client);
    client.disconnect();
    nodeRedis.destroy();
  }
}

async function connected() {
  const client = new Redis(URL_OF_STORE, { lazyConnect: true, retryStrategy: () => null });
  client.on("error", () => {});
  try {
    await client.connect();
    return client;
  } catch {
    return undefined;
  }
}

async function countryFile() {
  const plist = `${data}cty-2023-05.plist`;
  return existsSync(plist) ? createCountryFile(readFileSync(plist)) : loadEmbeddedCountryFile();
}

/** Calls of a real contest, or those that the country file lists. */
function callsigns(table) {
  const list = `${data}MASTER.SCP`;
  if (!existsSync(list)) return Array.from(table.content().calls, ({ key }) => key);
  const lines = readFileSync(list, "latin1").split(/\r?\n/);
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

/** The time of the fastest of several rounds, in milliseconds. */
async function best(rounds, task) {
  let fastest = Infinity;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await task();
    fastest = Math.min(fastest, performance.now() - start);
  }
  return fastest;
}

/** Look-ups per second, each begun when one of those in flight is answered. */
async function rateInFlight(kvstore, calls, inFlight = IN_FLIGHT) {
  const all = await best(3, async () => {
    let next = 0;
    const work = async () => {
      while (next < calls.length) await kvstore.identify(calls[next++], at);
    };
    await Promise.all(Array.from({ length: inFlight }, work));
  });
  return (calls.length / all) * 1000;
}

/** The client as one whose server refuses scripts. */
function withoutScripts(client) {
  return new Proxy(client, {
    get(target, property) {
      const value = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      if (property === "call") return (name, ...args) => refuse(name) || target.call(name, ...args);
      if (property === "sendCommand" && !("call" in target))
        return (args) => refuse(args[0]) || target.sendCommand(args);
      return value.bind(target);
    },
  });
}

function refuse(name) {
  return name.startsWith("EVAL") && Promise.reject(new Error("NOPERM no scripts"));
}

async function remove(client) {
  const keys = [];
  for await (const some of client.scanStream({ match: `${kvPrefix}_*`, count: 1000 })) keys.push(...some);
  for (let from = 0; from < keys.length; from += 1000) await client.del(keys.slice(from, from + 1000));
}
