/** Logs brought together: `hamkit log` over a million QSOs, in a process of its own, with its time and its memory. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { adiText, letters } from "./log-file.mjs";

const HALF = 500_000;
const command = fileURLToPath(new URL("../packages/hamkit/bin/hamkit.js", import.meta.url));

export const isLong = true;

export async function bench({ row }) {
  const folder = mkdtempSync(join(tmpdir(), "hamkit-bench-"));
  const file = (name, fields) => {
    const path = join(folder, name);
    writeFileSync(path, adiText(HALF, fields));
    return path;
  };
  try {
    const first = file("a.adi", (index) => ({ ...fieldsOf(index), LOTW_QSL_RCVD: "N" }));
    const second = file("b.adi", (index) => ({ ...fieldsOf(index, 1), STATE: "CT", LOTW_QSL_RCVD: "Y" }));
    const output = join(folder, "out.adi");
    for (const words of [
      ["merge", first, second, "-o", output, "--force"],
      ["match", first, second, "-o", output, "--force"],
      ["dupes", first],
    ]) {
      const { seconds, megabytes } = run(["log", ...words]);
      row({
        work: `hamkit log ${words[0]}, ${words[0] === "dupes" ? "half " : ""}a million records`,
        unit: "s",
        limit: 60,
        hamkit: seconds,
      });
      row({ work: "  memory", unit: "MB", limit: 400, hamkit: megabytes });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(words) {
  const atExit = `data:text/javascript,process.on("exit",()=>process.stderr.write("kB "+process.resourceUsage().maxRSS+"\\n"))`;
  const start = performance.now();
  const { stderr } = spawnSync(process.execPath, ["--import", atExit, command, ...words], {
    encoding: "utf8",
  });
  const [, kilobytes] = /kB (\d+)/.exec(stderr) ?? [];
  if (kilobytes === undefined) throw new Error(stderr);
  return { seconds: (performance.now() - start) / 1000, megabytes: Number(kilobytes) / 1024 };
}

function two(number) {
  return String(number).padStart(2, "0");
}

/** Contacts of years, 300 a day; `shift` in minutes. */
function fieldsOf(index, shift = 0) {
  const minute = (index % 300) * 4 + shift;
  return {
    CALL: `${["K", "DL", "JA", "UA", "VK", "PY"][index % 6]}${index % 10}${letters(index * 7)}`,
    QSO_DATE: `${2000 + Math.floor(index / 100_800)}${two(1 + (Math.floor(index / 8400) % 12))}${two(1 + (Math.floor(index / 300) % 28))}`,
    TIME_ON: `${two(Math.floor(minute / 60))}${two(minute % 60)}00`,
    BAND: ["20m", "40m", "15m"][index % 3],
    FREQ: ["14.0740", "7.0740", "21.0740"][index % 3],
    MODE: ["CW", "FT8", "SSB"][index % 3],
    RST_SENT: "599",
    RST_RCVD: "599",
    STATION_CALLSIGN: "DH1TW",
    MY_GRIDSQUARE: "JN48QM",
    GRIDSQUARE: "FN31",
    NAME: "Somebody",
    DXCC: "291",
    COMMENT: "73 and thanks for the contact",
  };
}
