/** 10,000 logs and as many damaged copies: read, checked, repaired, converted; nothing is lost, nothing fails, memory stays. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { expect, it } from "vitest";

import { parseAdif, repairAdif, undoRepairs, validateRecord, type AdifRecord } from "../src/adif.js";
import { LogError } from "../src/errors.js";
import { readLog, writeLog, type Log } from "../src/logs.js";
import {
  createRandom,
  damageLog,
  makeLog,
  type DamagedLog,
  type MadeLog,
} from "../test/logs/mutated-logs.js";

const COUNT = 10_000;
const FORMATS = ["adi", "adx", "cabrillo"] as const;
const WARM_UP = 1000;
const MAX_GROWTH_MB = 20;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

it("10,000 logs and their damaged copies are read, checked, repaired and converted without a loss", async () => {
  let before = 0;
  let [records, repairs, refused, rss] = [0, 0, 0, 0];
  for (let seed = 0; seed < COUNT; seed++) {
    const random = createRandom(seed);
    const made = makeLog(random, FORMATS[seed % FORMATS.length] ?? "adi");
    const damaged = damageLog(made, random);
    try {
      await compareIntact(made);
      const counts = await compareDamaged(made, damaged);
      ({ records, repairs, refused } = {
        records: records + made.records.length,
        repairs: repairs + counts.repairs,
        refused: refused + counts.refused,
      });
    } catch (cause) {
      throw new Error(`seed ${seed}, ${made.format}, ${damaged.damage} at ${damaged.from}`, { cause });
    }
    rss = Math.max(rss, process.memoryUsage.rss());
    if (seed === WARM_UP) before = heapMegabytes();
  }
  const growth = heapMegabytes() - before;
  const { user, system } = process.cpuUsage();
  process.stdout.write(
    `${COUNT} logs, ${records} records; of the damaged ones ${refused} refused, ${repairs} repairs; ${Math.round(rss / 1e6)} MB at most, ` +
      `${growth.toFixed(1)} MB kept, ${Math.round((user + system) / 1e6)} s of processor time\n`,
  );
  expect(growth).toBeLessThan(MAX_GROWTH_MB);
});

function heapMegabytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1e6;
}

/** Names of damaged fields have characters beyond ASCII, whose case is that of the file. */
const recordOf = ({ fields }: Log["qsos"][number]): AdifRecord =>
  Object.fromEntries(fields.map(({ name, value }) => [name.toUpperCase(), value]));

async function compareIntact({ bytes, format, records }: MadeLog): Promise<void> {
  const log = await readLog(bytes);
  expect(log).toMatchObject({ format, problemCount: 0 });
  expect(log.qsos.map(recordOf)).toMatchObject(records);
  const all = log.qsos.map(recordOf);
  // Unchanged, it is written as it was.
  expect(Buffer.from(writeLog(log, { format })).equals(bytes)).toBe(true);
  for (const other of ["adi", "adx", "json"] as const) {
    const converted = await readLog(writeLog(log, { format: other }));
    expect(converted.qsos.map(recordOf)).toEqual(all);
  }
  for (const record of all) validateRecord(record);
  if (format === "cabrillo") return;
  expect(parseAdif(bytes).records).toEqual(records);
  const repaired = repairAdif(bytes);
  expect(undoRepairs(repaired.records, repaired.repairs)).toEqual(records);
}

/** What a line of Cabrillo has, whatever else is in the log: whether it begins with reports is decided by all lines. */
function columnsOf({
  RST_SENT: _sent,
  RST_RCVD: _rcvd,
  SRX_STRING: _srx,
  ...columns
}: AdifRecord): AdifRecord {
  return columns;
}

async function compareDamaged(
  { format, records, ends }: MadeLog,
  { bytes, from }: DamagedLog,
): Promise<{ readonly repairs: number; readonly refused: number }> {
  // What ends before the damage is read as it was.
  const whole = records.slice(0, ends.filter((end) => end <= from).length);
  let refused = 0;
  try {
    const log = await readLog(bytes);
    const read = log.qsos.map(recordOf);
    expect(read.slice(0, whole.length)).toMatchObject(format === "cabrillo" ? whole.map(columnsOf) : whole);
    const converted = await readLog(writeLog(log, { format: "json" }));
    expect(converted.qsos.map(recordOf)).toEqual(read);
    for (const record of read) validateRecord(record);
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    refused = 1;
  }
  if (format === "cabrillo") return { repairs: 0, refused };
  expect(parseAdif(bytes).records.slice(0, whole.length)).toEqual(whole);
  const { records: repaired, repairs } = repairAdif(bytes);
  expect(undoRepairs(repaired, repairs).slice(0, whole.length)).toEqual(whole);
  return { repairs: repairs.length, refused };
}
