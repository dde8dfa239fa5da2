/** Maps: how many a second, how long the first one takes, how large they are. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { drawMap } from "hamkit/map";

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

  const sizes = await Promise.all(MAPS.map(async ({ options }) => Buffer.byteLength(await drawMap(options))));
  row({
    work: "size of the largest of these maps",
    hamkit: Math.max(...sizes) / 1000,
    unit: "kB",
    limit: 120,
  });
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
