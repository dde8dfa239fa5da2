/** CQ and ITU zones per second, the time of the first query, and how long `hamkit/zones` takes to load. */
import { execFileSync } from "node:child_process";
import { zonesAt } from "hamkit/zones";

/** Places to ask for, a power of two, so that the processor can't learn the sequence by heart. */
const COUNT = 1 << 14;
const MASK = COUNT - 1;

/** Processes that the times are the middle ones of. */
const RUNS = 11;

export async function bench({ rate, row }) {
  const places = Array.from({ length: COUNT }, (_, i) => spread(i));
  let sum = 0;
  row({
    work: "CQ and ITU zone of a position",
    hamkit: await rate("zonesAt", (i) => (sum += zonesAt(places[i & MASK]).cqz.length), COUNT),
    limit: 100_000,
    others: [],
    peer: undefined,
  });
  const times = Array.from({ length: RUNS }, () => measureStart()).sort((a, b) => a.load - b.load);
  const middle = (values) => values.toSorted((a, b) => a - b)[(RUNS - 1) / 2];
  row({
    work: "loading hamkit/zones in a fresh process",
    hamkit: middle(times.map(({ load }) => load)),
    others: [],
    peer: undefined,
    unit: "ms",
  });
  row({
    work: "first zones in a fresh process",
    hamkit: middle(times.map(({ first }) => first)),
    limit: 100,
    others: [],
    peer: undefined,
    unit: "ms",
  });
  if (Number.isNaN(sum)) throw new Error("an answer was not a number");
}

/** Times of the import and of the first query, in a process of its own. */
function measureStart() {
  const program = `
    const start = performance.now();
    const { zonesAt } = await import(process.argv[1]);
    const loaded = performance.now();
    zonesAt({ latitude: 48.5, longitude: 9.4 });
    console.log(JSON.stringify({ load: loaded - start, first: performance.now() - loaded }));`;
  const args = ["--input-type=module", "-e", program, import.meta.resolve("hamkit/zones")];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

/** Points spread evenly over the globe, in random order. */
function spread(index) {
  const height = ((index * 2_654_435_761) % COUNT) / COUNT;
  const turns = index * 0.618_033_988_75;
  return {
    latitude: (Math.asin(2 * height - 1) * 180) / Math.PI,
    longitude: 360 * (turns - Math.floor(turns)) - 180,
  };
}
