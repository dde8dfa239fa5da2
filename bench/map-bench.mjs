/** Maps: how many a second, how long the first one takes, how large they are. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { readLog } from "hamkit/logs";
import { loadEmbeddedCountryFile } from "hamkit/lookup";
import { drawMap, drawPng, placeLog, toGeoJson } from "hamkit/map";

/** What a page about a contact shows. */
const contact = { from: "JN48QM", to: "FN31PR", longpath: true, date: new Date("2024-10-21T20:00Z") };

const MAPS = [
  { work: "map, equirectangular", options: contact },
  { work: "map, Natural Earth", options: { ...contact, projection: "natural-earth" } },
  { work: "map, azimuthal", options: { ...contact, projection: "azimuthal" } },
  { work: "map, azimuthal, with locator grid", options: { ...contact, projection: "azimuthal", grid: true } },
];

export async function bench({ row }) {
  for (const { work, options } of MAPS) row({ work, hamkit: await mapsPerSecond(options) });

  row({ work: "import hamkit/map", hamkit: inFreshProcess(`await import("hamkit/map");`), unit: "ms" });
  const first = `const { drawMap } = await import("hamkit/map"); await drawMap({ from: "JN48QM", to: "FN31PR" });`;
  row({ work: "import it and draw a first map", hamkit: inFreshProcess(first), unit: "ms" });

  await benchLog(row);

  const sizes = await Promise.all(MAPS.map(async ({ options }) => Buffer.byteLength(await drawMap(options))));
  row({
    work: "size of the largest of these maps",
    hamkit: Math.max(...sizes) / 1000,
    unit: "kB",
    limit: 120,
  });
}

const QSOS = 10_000;

/** A log of 10,000 QSOs, with its squares, entities and paths. */
async function benchLog(row) {
  const table = await loadEmbeddedCountryFile();
  const log = await readLog(logText());
  const ms = (work, limit, hamkit) => row({ work, unit: "ms", limit, hamkit });
  let placed = {};
  ms(
    `placeLog, ${QSOS} QSOs`,
    200,
    await fastest(async () => (placed = await placeLog(log, { table, locator: "JN48QM" }))),
  );
  const { squares, entities, paths } = placed;
  if (squares.length < 1000 || entities.length < 20 || paths.length < 1000) throw new Error("too few places");
  const from = "JN48QM";
  ms("map of its squares and entities", 200, await fastest(() => drawMap({ from, squares, entities })));
  ms("map of its paths", 200, await fastest(() => drawMap({ from, paths })));
  const everything = { from, squares, entities, paths, zones: "cq", date: contact.date };
  ms("map of everything, with zones and night", 500, await fastest(() => drawMap(everything)));
  ms("the same as PNG, 1920 pixels wide", 3000, await fastest(() => drawPng(everything)));
  ms("the same as GeoJSON", 500, await fastest(() => toGeoJson(everything)));
  const kB = Buffer.byteLength(await drawMap(everything)) / 1000;
  row({ work: "size of the map of everything", unit: "kB", limit: 300, hamkit: kB });
}

/** QSOs with calls of all continents, and locators around their places. */
function logText() {
  const places = [
    ["DL1ABC", 50, 10],
    ["G4ABC", 52, -1],
    ["UA9ABC", 56, 70],
    ["K1ABC", 42, -80],
    ["W6ABC", 38, -118],
    ["PY2ABC", -20, -48],
    ["LU1ABC", -34, -62],
    ["JA1ABC", 36, 138],
    ["BY1ABC", 35, 110],
    ["VU2ABC", 22, 78],
    ["VK3ABC", -28, 138],
    ["ZS6ABC", -28, 25],
    ["5Z4ABC", 0, 37],
    ["EA8ABC", 28, -15],
    ...["CT1", "EA5", "F5", "HB9", "I2", "OE1", "OK1", "ON4", "PA3", "SM0", "SP5", "YO3"].map(
      (prefix, index) => [`${prefix}ABC`, 42 + index, 2 * index],
    ),
  ];
  let state = 1;
  const random = () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
  return Array.from({ length: QSOS }, (_, index) => {
    const [call, latitude, longitude] = places[index % places.length];
    const column = Math.floor((longitude + 180) / 2 + (random() + random() - 1) * 8);
    const row = Math.floor(latitude + 90 + (random() + random() - 1) * 9);
    const square = `${letter(Math.floor(column / 10))}${letter(Math.floor(row / 10))}${column % 10}${row % 10}`;
    const confirmation = random() < 0.6 ? "<QSL_RCVD:1>Y" : "";
    return `<CALL:${call.length}>${call}<QSO_DATE:8>20240601<GRIDSQUARE:4>${square}${confirmation}<EOR>`;
  }).join("\n");
}

function letter(number) {
  return String.fromCharCode(65 + number);
}

/** Milliseconds of the fastest of five runs, after one that loads and fills caches. */
async function fastest(task) {
  await task();
  let shortest = Infinity;
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    await task();
    shortest = Math.min(shortest, performance.now() - start);
  }
  return shortest;
}

/** The best of three rounds of half a second. Each map is of another moment, as nothing of it is kept. */
async function mapsPerSecond(options) {
  let best = 0;
  let hours = 0;
  for (let round = 0; round < 4; round++) {
    const start = performance.now();
    let count = 0;
    while (performance.now() - start < 500) {
      await drawMap({ ...options, date: new Date(options.date.getTime() + hours++ * 3_600_000) });
      count++;
    }
    best = Math.max(best, (count / (performance.now() - start)) * 1000);
  }
  return best;
}

/** Milliseconds that a piece of code takes in a process of its own: the median of five. */
function inFreshProcess(code) {
  const script = `const start = performance.now(); ${code} console.log(performance.now() - start);`;
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const runs = Array.from({ length: 5 }, () => {
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      cwd: folder,
      encoding: "utf8",
    });
    if (stdout === "") throw new Error(stderr);
    return Number(stdout);
  });
  return runs.sort((a, b) => a - b)[2];
}
