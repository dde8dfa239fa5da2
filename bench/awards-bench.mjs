/** Awards of a log: all rules at once, over records in memory, and over a file that is read piece by piece. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { parseAdif, readAdif } from "hamkit/adif";
import { countAwards, createAwardCounter, needs, wpxPrefix } from "hamkit/awards";
import { loadEmbeddedCountryFile } from "hamkit/lookup";

import { adiText, bestTime, letters, piecesOf } from "./log-file.mjs";

const COUNT = 200_000;

export async function bench({ rate, row }) {
  const bytes = new TextEncoder().encode(adiText(COUNT, fieldsOf));
  let { records } = parseAdif(bytes);
  if (records.length !== COUNT) throw new Error(`${records.length} records`);
  const perSecond = (ms) => (COUNT / ms) * 1000;

  let counts;
  const counting = await bestTime(() => (counts = countAwards(records)));
  if (counts["was.mixed"].worked !== 48) throw new Error(`${counts["was.mixed"].worked} states`);
  row({ work: "count all awards, QSOs of 19 fields", hamkit: perSecond(counting), limit: 300_000 });
  const table = await loadEmbeddedCountryFile();
  row({
    work: "the same, each call identified in a table",
    hamkit: perSecond(await bestTime(() => countAwards(records, { table }))),
  });
  row({
    work: "the same from a file of pieces of 64 kB",
    hamkit: perSecond(await bestTime(() => stream(bytes))),
  });
  const calls = records.slice(0, 1 << 14).map(({ CALL }) => CALL);
  row({ work: "wpxPrefix", hamkit: rate("wpxPrefix", (index) => wpxPrefix(calls[index]), calls.length) });
  needsRows({ rate, row }, records, table);
  records = [];
  row({ work: "memory kept of a million QSOs", unit: "MB", hamkit: await memory(bytes) });
}

/** Questions of spots, of which each comes several times, while a contact is logged now and then. */
function needsRows({ rate, row }, records, table) {
  const log = createAwardCounter({ table });
  for (const record of records.slice(0, 50_000)) log.add(record);
  const spots = records
    .slice(50_000, 50_000 + (1 << 13))
    .map(({ CALL, BAND, MODE }) => ({ CALL, BAND, MODE }));
  const ask = (index) => {
    if (index % 4096 === 0) log.add(records[60_000 + (index % 100_000)]);
    return needs(log, spots[index % spots.length]);
  };
  row({ work: "needs of a spot, by all awards", hamkit: rate("needs", ask, spots.length), limit: 1_000_000 });
  const first = records
    .slice(100_000, 100_000 + (1 << 14))
    .map(({ CALL, BAND, MODE }) => ({ CALL, BAND, MODE }));
  const asking = performance.now();
  for (const spot of first) needs(log, spot);
  row({
    work: "the same of calls never asked for",
    hamkit: (first.length / (performance.now() - asking)) * 1000,
  });
}

async function stream(bytes, counter = createAwardCounter()) {
  for await (const { record } of readAdif(piecesOf(bytes))) counter.add(record);
}

/** What the counter keeps of a file of five times the size. */
async function memory(bytes) {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc");
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const counter = createAwardCounter();
  for (let time = 0; time < 5; time++) await stream(bytes, counter);
  if (counter.contacts !== 5 * COUNT) throw new Error(`${counter.contacts} contacts`);
  collectGarbage();
  return Math.max(0, process.memoryUsage().heapUsed - before) / 1e6;
}

const STATES = (
  "AL AZ AR CA CO CT DE FL GA ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT " +
  "VT VA WA WV WI WY"
).split(" ");
const PLACES = [
  { prefix: "DL", DXCC: "230", CQZ: "14", ITUZ: "28", CONT: "EU" },
  { prefix: "K", DXCC: "291", CONT: "NA" },
  { prefix: "JA", DXCC: "339", CQZ: "25", ITUZ: "45", CONT: "AS" },
  { prefix: "UA", DXCC: "54", CQZ: "16", ITUZ: "29", CONT: "EU" },
  { prefix: "VK", DXCC: "150", CQZ: "30", CONT: "OC" },
  { prefix: "ZS", DXCC: "462", CQZ: "38", CONT: "AF" },
];

/** The fields of a QSO; bands and modes change now and then, a tenth has a park. */
function fieldsOf(index) {
  const { prefix, ...place } = PLACES[index % PLACES.length];
  const run = Math.floor(index / 50);
  return {
    CALL: `${prefix}${index % 10}${letters(index * 7)}`,
    QSO_DATE: `20${String(10 + (run % 15))}${String(1 + (run % 12)).padStart(2, "0")}${10 + (run % 18)}`,
    TIME_ON: `${10 + (index % 14)}${10 + (index % 50)}`,
    BAND: ["20m", "40m", "15m", "10m", "80m", "6m"][run % 6],
    FREQ: ["14.025", "7.012", "21.274", "28.074", "3.573", "50.313"][run % 6],
    MODE: ["CW", "SSB", "FT8"][run % 3],
    RST_SENT: "599",
    RST_RCVD: "579",
    STATION_CALLSIGN: "DH1TW",
    MY_DXCC: "281",
    MY_GRIDSQUARE: "JN11",
    GRIDSQUARE: `${"FN EN DM JO JN PM".split(" ")[index % 6]}${index % 100 < 10 ? 10 : index % 100}`,
    LOTW_QSL_RCVD: index % 3 === 0 ? "Y" : "N",
    QSL_RCVD: index % 11 === 0 ? "Y" : "N",
    EQSL_QSL_RCVD: index % 5 === 0 ? "Y" : "N",
    ...place,
    ...(place.DXCC === "291" && { STATE: STATES[Math.floor(index / 6) % STATES.length] }),
    ...(index % 10 === 0 && { POTA_REF: `US-${String(index % 997).padStart(4, "0")}` }),
  };
}
