/** ADIF as data: a log read from memory and piece by piece, validated and repaired. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { parseAdif, readAdif, repairAdif, validateRecord } from "hamkit/adif";
import { readLog, writeLog } from "hamkit/logs";

import { adiText, bestTime, letters, piecesOf } from "./log-file.mjs";

const COUNT = 200_000;

export async function bench({ row }) {
  const bytes = new TextEncoder().encode(adiText(COUNT, fieldsOf));
  const megabytes = bytes.length / 1e6;
  const rate = (work, limit, ms) =>
    row({ work, unit: "MB/s", ...(limit !== undefined && { limit }), hamkit: (megabytes / ms) * 1000 });

  let records = [];
  const parsing = await bestTime(() => ({ records } = parseAdif(bytes)));
  if (records.length !== COUNT) throw new Error(`${records.length} records`);
  rate(`parseAdif, ${COUNT} QSOs, ${megabytes.toFixed(0)} MB`, undefined, parsing);
  rate("readAdif, pieces of 64 kB", undefined, await bestTime(() => stream(bytes)));
  rate("repairAdif, nothing to repair", undefined, await bestTime(() => repairAdif(bytes)));
  let findings = 0;
  const validating = await bestTime(() => {
    for (const record of records) findings += validateRecord(record).length;
  });
  if (findings > 0) throw new Error(`${findings} findings`);
  row({ work: "validateRecord, QSOs of 14 fields", unit: "1/s", hamkit: (COUNT / validating) * 1000 });
  row({ work: "memory of readAdif while it reads them", unit: "MB", hamkit: await memory(bytes) });
  const log = await readLog(bytes);
  const json = writeLog(log, { format: "json" });
  row({
    work: "readAdif of the same log in JSON",
    unit: "MB/s",
    hamkit: (json.length / 1e6 / (await bestTime(() => stream(json)))) * 1000,
  });
  const columns = "RST_SENT APP_TEST_ID CALL RST_RCVD APP_TEST_ID";
  const cabrillo = await bestTime(() =>
    writeLog(log, { format: "cabrillo", columns, header: { CONTEST: "TEST" } }),
  );
  row({ work: "writeLog in Cabrillo, QSOs", unit: "1/s", hamkit: (COUNT / cabrillo) * 1000 });
}

async function stream(bytes, eachRecord = () => {}) {
  let count = 0;
  for await (const { index } of readAdif(piecesOf(bytes))) {
    eachRecord(index);
    count++;
  }
  if (count !== COUNT) throw new Error(`${count} records`);
}

/** The most memory that is in use after a collection, while a file of five times the size is read; without that before. */
async function memory(bytes) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  collect();
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  for (let time = 0; time < 5; time++)
    await stream(bytes, (index) => {
      if (index % 20_000 !== 0) return;
      collect();
      most = Math.max(most, process.memoryUsage().heapUsed - before);
    });
  return most / 1e6;
}

/** The fields of a QSO. */
function fieldsOf(index) {
  const run = Math.floor(index / 15) % 3;
  return {
    CALL: `${["DL", "K", "JA", "UA"][index % 4]}${index % 10}${letters(index)}`,
    QSO_DATE: `20${String(10 + (index % 15))}0${1 + (index % 9)}${10 + (index % 18)}`,
    TIME_ON: `${10 + (index % 14)}${10 + (index % 50)}${10 + (index % 49)}`,
    BAND: ["20m", "40m", "15m"][run],
    FREQ: ["14.025", "7.012", "21.274"][run],
    MODE: ["CW", "SSB", "FT8"][run],
    RST_SENT: "599",
    RST_RCVD: "579",
    STATION_CALLSIGN: "DH1TW",
    NAME: ["Hans", "Ann", "Boris"][index % 3],
    DXCC: ["230", "291", "339", "54"][index % 4],
    GRIDSQUARE: "FN31PR",
    COMMENT: `QSO number ${index}, tnx es 73`,
    APP_TEST_ID: String(index),
  };
}
