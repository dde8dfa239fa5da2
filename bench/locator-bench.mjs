/** Locators, distance and heading per second, and how long `hamkit/locator` takes to load. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { calculateDistance, calculateHeading, latlongToLocator, locatorToLatlong } from "hamkit/locator";
import Maidenhead from "maidenhead";
import qth from "qth-locator";

/** Places to ask for, a power of two, so that the processor can't learn the sequence by heart. */
const COUNT = 1 << 14;
const MASK = COUNT - 1;

/** Loads of the module that the time is the middle one of. */
const LOADS = 21;

/** Records a row per operation, all with locators of 6 characters, and one for loading the module. */
export async function bench({ rate, row }) {
  const random = generator(19_541_225);
  const latitudes = Float64Array.from({ length: COUNT }, () => 180 * random() - 90);
  const longitudes = Float64Array.from({ length: COUNT }, () => 360 * random() - 180);
  const locators = Array.from(latitudes, (latitude, i) => latlongToLocator(latitude, longitudes[i]));
  const partner = (i) => locators[(i * 7 + 1) & MASK];
  let sum = 0;

  row({
    work: "locator to position",
    hamkit: await rate("locatorToLatlong", (i) => (sum += locatorToLatlong(locators[i & MASK])[0]), COUNT),
    others: [
      {
        name: "qth-locator",
        figure: await rate("qth", (i) => (sum += qth.locatorToLatLng(locators[i & MASK])[0]), COUNT),
      },
      {
        name: "maidenhead",
        figure: await rate("maidenhead", (i) => (sum += Maidenhead.toLatLon(locators[i & MASK])[0]), COUNT),
      },
    ],
    peer: 968_000,
  });
  const toLocator = (i) => latlongToLocator(latitudes[i & MASK], longitudes[i & MASK]).charCodeAt(5);
  const qthToLocator = (i) => qth.latLngToLocator(latitudes[i & MASK], longitudes[i & MASK]).charCodeAt(5);
  row({
    work: "position to locator",
    hamkit: await rate("latlongToLocator", (i) => (sum += toLocator(i)), COUNT),
    others: [{ name: "qth-locator", figure: await rate("qth", (i) => (sum += qthToLocator(i)), COUNT) }],
    peer: 630_000,
  });
  row({
    work: "distance of two locators",
    hamkit: await rate("distance", (i) => (sum += calculateDistance(locators[i & MASK], partner(i))), COUNT),
    limit: 5_000_000,
    others: [
      {
        name: "qth-locator",
        figure: await rate("qth", (i) => (sum += qth.distance(locators[i & MASK], partner(i))), COUNT),
      },
    ],
    peer: 402_000,
  });
  row({
    work: "heading from locator to locator",
    hamkit: await rate("heading", (i) => (sum += calculateHeading(locators[i & MASK], partner(i))), COUNT),
    others: [
      {
        name: "qth-locator (with distance)",
        figure: await rate(
          "qth",
          (i) => (sum += qth.bearingDistance(locators[i & MASK], partner(i)).deg),
          COUNT,
        ),
      },
    ],
    peer: undefined,
  });
  const onEllipsoid = (i) => calculateDistance(locators[i & MASK], partner(i), { model: "wgs84" });
  row({
    work: "distance of two locators on the ellipsoid",
    hamkit: await rate("ellipsoid", (i) => (sum += onEllipsoid(i)), COUNT),
    others: [],
    peer: undefined,
  });
  row({
    work: "loading hamkit/locator in a fresh process",
    hamkit: loadMs(),
    limit: 5,
    others: [],
    peer: undefined,
    unit: "ms",
  });
  if (Number.isNaN(sum)) throw new Error("an answer was not a number");
}

/** Time of the first import, in a process of its own that has loaded a module before: the middle of several. */
function loadMs() {
  const folder = mkdtempSync(join(tmpdir(), "hamkit-load-"));
  try {
    const script = join(folder, "load.mjs");
    writeFileSync(
      script,
      "const start = performance.now(); await import(process.argv[2]); console.log(performance.now() - start);",
    );
    const load = [script, import.meta.resolve("hamkit/locator")];
    const times = Array.from({ length: LOADS }, () =>
      Number(execFileSync(process.execPath, load, { encoding: "utf8" })),
    );
    return times.sort((a, b) => a - b)[(LOADS - 1) / 2];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Random numbers from 0 to 1, the same in every run (a linear congruential generator). */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
