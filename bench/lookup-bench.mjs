/** Callsigns: loading data, identifying calls. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { annotateFromCountryFile, useBuiltinCountryFile } from "@ham2k/lib-country-files";
import { parseCallsign } from "@ham2k/lib-callsigns";
import { Callinfo } from "hamkit/callinfo";
import { createLogXml, identify, loadEmbeddedCountryFile } from "hamkit/lookup";
import { LookupLib } from "hamkit/lookuplib";

import { letters } from "./log-file.mjs";

const data = fileURLToPath(new URL("../../shared/hamkit/data/", import.meta.url));
const SCP = `${data}MASTER.SCP`;
const at = new Date("2024-01-01T00:00:00Z");

export async function bench({ rate, row }) {
  const calls = callsigns();
  const table = await loadEmbeddedCountryFile();
  const ham2k = ham2kLookup();

  row({
    work: `identify, ${calls.length} ${existsSync(SCP) ? "real" : "made-up"} calls`,
    hamkit: rate("identify", (index) => identify(calls[index], { table, at }), calls.length),
    limit: 1_500_000,
    others: [{ name: "@ham2k", figure: rate("ham2k", (index) => ham2k(calls[index]), calls.length) }],
  });
  const info = new Callinfo(new LookupLib({ offline: true }));
  row({
    work: "getAll, awaited one by one",
    hamkit: await rateOfPromises((callsign) => info.getAll(callsign, at), calls),
    limit: 600_000,
    peer: 102_000,
  });
  row({
    work: "identifyMany of Callinfo",
    hamkit: await rateOfMany((inputs) => info.identifyMany(inputs, at), calls),
    limit: 1_500_000,
  });

  const embedded = inFreshProcess(`
    const { loadEmbeddedCountryFile } = await import("hamkit/lookup");
    start();
    await loadEmbeddedCountryFile();
  `);
  row({ work: "load the embedded country file", hamkit: embedded.ms, unit: "ms", limit: 30 });
  const plist = `${data}cty-2023-05.plist`;
  if (!existsSync(plist)) return;
  const loaded = inFreshProcess(`
    const { LookupLib } = await import("hamkit/lookuplib");
    start();
    await new LookupLib({ filename: ${JSON.stringify(plist)} }).ready();
  `);
  row({ work: "load a cty.plist of 13 MB", hamkit: loaded.ms, unit: "ms", limit: 150, peer: 790 });
  row({ work: "memory for it", hamkit: loaded.mb, unit: "MB", limit: 60, peer: 83 });

  const logXml = `${data}clublog-cty-2014-04-12.xml`;
  const dated = inFreshProcess(`
    const { LookupLib } = await import("hamkit/lookuplib");
    start();
    await new LookupLib({ lookuptype: "logxml", filename: ${JSON.stringify(logXml)} }).ready();
  `);
  row({ work: "load log XML of 4.2 MB", hamkit: dated.ms, unit: "ms", limit: 60, peer: 550 });
  const datedTable = createLogXml(readFileSync(logXml));
  row({
    work: "identify with it, real calls",
    hamkit: rate("identify", (index) => identify(calls[index], { table: datedTable, at }), calls.length),
    limit: 1_000_000,
    peer: 81_600,
  });
}

/** Calls of a real contest, or some made up where that list is not there. */
function callsigns() {
  if (existsSync(SCP)) {
    const lines = readFileSync(SCP, "latin1").split(/\r?\n/);
    return lines.filter((line) => line !== "" && !line.startsWith("#"));
  }
  const prefixes = ["DL", "K", "W6", "JA", "UA9", "G", "EA8", "VK3", "OH", "I"];
  return Array.from(
    { length: 20_000 },
    (_, index) => `${prefixes[index % 10]}${index % 10}${letters(index)}`,
  );
}

/** The call taken apart and filled with data: what @ham2k needs for the same answer. */
function ham2kLookup() {
  useBuiltinCountryFile();
  return (callsign) => annotateFromCountryFile(parseCallsign(callsign));
}

async function rateOfPromises(task, inputs) {
  let best = Infinity;
  for (let round = 0; round < 4; round++) {
    const start = performance.now();
    for (const input of inputs) await task(input).catch(() => undefined);
    best = Math.min(best, performance.now() - start);
  }
  return (inputs.length / best) * 1000;
}

async function rateOfMany(task, inputs) {
  let best = Infinity;
  for (let round = 0; round < 15; round++) {
    const start = performance.now();
    await task(inputs);
    best = Math.min(best, performance.now() - start);
  }
  return (inputs.length / best) * 1000;
}

/** Time and growth of memory of a piece of code in a process of its own: the median of five. */
function inFreshProcess(code) {
  const script = `
    let began, before;
    const start = () => { before = process.memoryUsage().rss; began = performance.now(); };
    ${code}
    const ms = performance.now() - began;
    console.log(JSON.stringify({ ms, mb: (process.memoryUsage().rss - before) / 1e6 }));
  `;
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const runs = Array.from({ length: 5 }, () => {
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      cwd: folder,
      encoding: "utf8",
    });
    if (stdout === "") throw new Error(stderr);
    return JSON.parse(stdout);
  });
  const median = (key) => runs.map((run) => run[key]).sort((a, b) => a - b)[2];
  return { ms: median("ms"), mb: median("mb") };
}
