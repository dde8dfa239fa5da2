/** Feeds: lines parsed, and a whole feed over a socket, with lookups. */
import { once } from "node:events";
import { createServer } from "node:net";

import { clusterSource, lineSource, openFeed, parseFeedLine } from "hamkit/feeds";
import { loadEmbeddedCountryFile } from "hamkit/lookup";

/** Lines to parse, a power of two. */
const COUNT = 1 << 14;

export async function bench({ rate, row }) {
  const now = new Date("2026-03-22T12:00:00Z");
  const kinds = { "DX de, skimmer": skimmerLine, "DX de, user": userLine, CC11: cc11Line, PC61: frameLine };
  let failed = 0;
  const parse = (lines, options) => (index) => {
    const { kind } = parseFeedLine(lines[index], options);
    if (kind !== "spot" && kind !== "report") failed++;
  };
  for (const [name, write] of Object.entries(kinds)) {
    const lines = received(write);
    row({ work: `parse a line of a feed: ${name}`, hamkit: rate(name, parse(lines, { now }), COUNT) });
  }
  const writers = Object.values(kinds);
  const mixed = received((index) => writers[index % writers.length](index));
  row({
    work: "parse lines of feeds, mixed",
    hamkit: rate("mixed", parse(mixed, { now }), COUNT),
    limit: 100_000,
  });
  const reports = received((index) => JSON.stringify(reportOf(index)));
  row({
    work: "parse a report of PSK Reporter, from JSON",
    hamkit: rate("report", parse(reports, { format: "pskrMqtt" }), COUNT),
    limit: 100_000,
  });

  const table = await loadEmbeddedCountryFile();
  const options = { table, locator: "JN48QM" };
  row({ work: "merge lines to a feed, with lookups", hamkit: await rateOfFeed(lineSources(mixed), options) });
  const server = await serve(mixed);
  const source = clusterSource({ host: "127.0.0.1", port: server.address().port, call: "N0CALL" });
  row({
    work: "the same from a cluster over TCP",
    hamkit: await rateOfFeed([source], { ...options, maxQueued: COUNT * 2 }),
  });
  server.close();
  if (failed > 0) throw new Error(`${failed} were not parsed`);
}

/** Spots per second of a feed that has each line once, the best of four. */
async function rateOfFeed(sources, options) {
  let best = Infinity;
  for (let round = 0; round < 4; round++) {
    const start = performance.now();
    const feed = openFeed(sources, options);
    let spots = 0;
    for await (const { dxStation } of feed) {
      if (dxStation === undefined) throw new Error("not looked up");
      if (++spots + feed.duplicates === COUNT) break;
    }
    best = Math.min(best, performance.now() - start);
    await feed.close();
  }
  return (COUNT / best) * 1000;
}

function lineSources(lines) {
  const half = COUNT / 2;
  return [
    lineSource(lines.slice(0, half), { name: "one" }),
    lineSource(lines.slice(half), { name: "other" }),
  ];
}

async function serve(lines) {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.write("login: ");
    socket.once("data", () => socket.write(`${lines.join("\r\n")}\r\n`));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** Lines as they come from a socket: pieces of one text. */
function received(write) {
  return Array.from({ length: COUNT }, (_, index) => write(index))
    .join("\n")
    .split("\n");
}

function skimmerLine(index) {
  const report = `CW    ${10 + (index % 40)} dB  ${15 + (index % 25)} WPM  CQ      `;
  return `DX de ${`${call(index * 7)}-#:`.padEnd(12)}${khz(index)}  ${call(index).padEnd(15)}${report}${time(index)}`;
}

function userLine(index) {
  const comment = ["tnx qso 73", "up 5", "POTA US-1234", "", "59+20dB loud in EU"][index % 5];
  return `DX de ${`${call(index * 7)}:`.padEnd(9)}${khz(index)}  ${call(index).padEnd(13)}${comment.padEnd(30)} ${time(index)}`;
}

function cc11Line(index) {
  const start = `CC11^${khz(index).trim()}^${call(index)}^22-Mar-2026^${time(index)}^CQ up 2^${call(index * 7)}`;
  return `${start}^230^339^GB7DJK^28^14^45^25^^^Germany-DL^Japan-JA^JO62^PM95`;
}

function frameLine(index) {
  const fields = [khz(index).trim(), call(index), "22-Mar-2026", time(index), "CQ", call(index * 7), "W4NJA"];
  return `PC61^${fields.join("^")}^72.51.152.150^H96^~`;
}

function reportOf(index) {
  const sender = { sc: call(index), sl: "JO93fn42", sa: 269 };
  const receiver = { rc: call(index * 7), rl: "HM68jp36", ra: 149 };
  const signal = { f: 14_074_000 + (index % 3000), md: "FT8", rp: (index % 40) - 24, b: "20m" };
  return { sq: 30_142_870_791 + index, ...signal, t: 1_774_180_800 + index, ...sender, ...receiver };
}

function call(index) {
  const letter = (step) => String.fromCharCode(65 + (Math.floor(index / step) % 26));
  return `${["DL", "K", "JA", "UA", "EA", "VK"][index % 6]}${index % 10}${letter(1)}${letter(26)}${letter(676)}`;
}

function khz(index) {
  return (14_000 + (index % 3500) / 10).toFixed(1).padStart(9);
}

function time(index) {
  return `${String(index % 24).padStart(2, "0")}${String(index % 60).padStart(2, "0")}Z`;
}
