/** Logs of 100,000 QSOs: read, annotated, written, and the whole command with its start. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { annotateLog, readLog, writeLog } from "hamkit/logs";
import { loadEmbeddedCountryFile } from "hamkit/lookup";

import { adiText, bestTime, letters } from "./log-file.mjs";

const COUNT = 100_000;
const command = fileURLToPath(new URL("../packages/hamkit/dist/cli/main.js", import.meta.url));

export async function bench({ row }) {
  const table = await loadEmbeddedCountryFile();
  const texts = { adi: adiText(COUNT, fieldsOf), cabrillo: cabrilloLog(), fle: fleLog() };
  texts.adx = new TextDecoder().decode(writeLog(await readLog(texts.adi), { format: "adx" }));

  for (const [format, text] of Object.entries(texts)) {
    const bytes = new TextEncoder().encode(text);
    const size = `${(bytes.length / 1e6).toFixed(0)} MB`;
    let log;
    let annotated;
    row({
      work: `read 100,000 QSOs, ${format}, ${size}`,
      unit: "ms",
      hamkit: await bestTime(async () => (log = await readLog(bytes))),
    });
    if (log.qsos.length !== COUNT) throw new Error(`${log.qsos.length} QSOs read`);
    row({
      work: "  annotate them",
      unit: "ms",
      hamkit: await bestTime(() => (annotated = annotateLog(log, { table, locator: "JN48QM" }))),
    });
    if (annotated.summary.identified < COUNT * 0.99) throw new Error("hardly anything was identified");
    row({ work: "  write them", unit: "ms", hamkit: await bestTime(() => writeLog(annotated.log)) });
    row({
      work: `  hamkit annotate log.${format}, start to end`,
      unit: "ms",
      limit: 2000,
      hamkit: await rateOfCommand(format, bytes),
    });
  }
}

/** The command in a process of its own, with the log in a file. */
async function rateOfCommand(format, bytes) {
  const folder = mkdtempSync(join(tmpdir(), "hamkit-bench-"));
  try {
    const file = join(folder, `log.${format}`);
    writeFileSync(file, bytes);
    const words = ["annotate", file, "--from", "JN48QM", "--offline", "--force"];
    return await bestTime(() => execFileSync(process.execPath, [command, ...words], { stdio: "pipe" }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The fields of a QSO, in the order of time: forty a day, mostly on the same band. */
function fieldsOf(index) {
  return {
    CALL: call(index),
    QSO_DATE: date(index).replaceAll("-", ""),
    TIME_ON: `${time(index)}${String(index % 60).padStart(2, "0")}`,
    BAND: ["20m", "40m", "15m"][run(index)],
    FREQ: ["14.025", "7.012", "21.074"][run(index)],
    MODE: ["CW", "SSB", "FT8"][run(index)],
    RST_SENT: "599",
    RST_RCVD: "579",
    STATION_CALLSIGN: "DH1TW",
    NAME: ["Hans", "Ann", "Boris"][index % 3],
    QTH: ["Berlin", "Springfield", "Osaka"][index % 3],
    ...(index % 4 === 0 && { GRIDSQUARE: "FN31PR" }),
    COMMENT: `QSO number ${index}, tnx es 73`,
    APP_TEST_ID: String(index),
  };
}

function cabrilloLog() {
  const lines = Array.from(
    { length: COUNT },
    (_, index) =>
      `QSO: ${[14025, 7012, 21074][run(index)]} CW ${date(index)} ${time(index)} DH1TW         599 14     ${call(index).padEnd(13)} 599 ${index % 40}`,
  );
  return `START-OF-LOG: 3.0\nCALLSIGN: DH1TW\nCONTEST: CQ-WW-CW\n${lines.join("\n")}\nEND-OF-LOG:\n`;
}

/** Times of which each line has what has changed, as they are typed. */
function fleLog() {
  const lines = Array.from({ length: COUNT }, (_, index) => {
    const settings = index % 15 === 0 ? `${["20m cw", "40m ssb", "15m ft8"][run(index)]}\n` : "";
    const day = index % 40 === 0 ? `${date(index)}\n` : "";
    return `${day}${settings}${time(index)} ${call(index)} 5 7 @${["Hans", "Ann", "Boris"][index % 3]}`;
  });
  return `mycall dh1tw\n${lines.join("\n")}\n`;
}

function call(index) {
  const prefix = ["DL", "K", "JA", "UA", "EA", "VK", "G", "OH", "PY", "ZL", "I", "W"][index % 12];
  const suffix = index % 50 === 0 ? ["/P", "/4", "/MM"][index % 3] : "";
  return `${prefix}${index % 10}${letters(index)}${suffix}`;
}

function run(index) {
  return Math.floor(index / 15) % 3;
}

function date(index) {
  return moment(index).slice(0, 10);
}

function time(index) {
  return moment(index).slice(11, 16).replace(":", "");
}

function moment(index) {
  return new Date(
    Date.UTC(2015, 0, 1) + Math.floor(index / 40) * 86_400_000 + (index % 40) * 1_234_000,
  ).toISOString();
}
