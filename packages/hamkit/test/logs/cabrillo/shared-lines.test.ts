/** Lines of Cabrillo with their columns, recorded in the shared folder. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { readLog } from "../../../src/logs.js";
import { pairs } from "../log-text.js";

const FILE = fileURLToPath(
  new URL("../../../../../../shared/hamkit/later/contest/cabrillo-lines.jsonl", import.meta.url),
);

interface Vector {
  readonly line: string;
  readonly note?: string;
  readonly expected: {
    readonly kind?: "invalid" | "qtc";
    readonly band?: string;
    readonly mode?: string;
    readonly date?: string;
    readonly time?: string;
    readonly my?: string;
    readonly their?: string;
    readonly sent?: readonly string[];
    readonly received?: readonly string[];
  };
}

const vectors = existsSync(FILE)
  ? readFileSync(FILE, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Vector)
  : [];
const MODES: Readonly<Record<string, string | undefined>> = { CW: "CW", PH: "SSB", RY: "RTTY", FM: "FM" };

/** What was read of a line, with the members that a vector has. */
async function read({ line, expected }: Vector) {
  const { qsos, problemCount, header } = await readLog(`START-OF-LOG: 3.0\n${line}\nEND-OF-LOG:\n`);
  const [qso] = qsos;
  if (qso === undefined) return { kind: header.text.includes("QTC:") ? "qtc" : "invalid" };
  if (problemCount > 0) return { kind: "invalid" };
  const fields = Object.fromEntries(pairs(qso));
  const exchange = (report: string, text: string) =>
    [fields[report] ?? "", fields[text] ?? ""].join(" ").trim().split(" ");
  const all: Readonly<Record<string, unknown>> = {
    band: fields["BAND"],
    mode: fields["MODE"],
    date: fields["QSO_DATE"],
    time: fields["TIME_ON"],
    my: fields["STATION_CALLSIGN"],
    their: fields["CALL"],
    sent: exchange("RST_SENT", "STX_STRING"),
    received: exchange("RST_RCVD", "SRX_STRING"),
  };
  return Object.fromEntries(Object.keys(known(expected)).map((name) => [name, all[name]]));
}

/** The members that a log has, in its words. */
function known({ kind, mode = "", date, ...expected }: Vector["expected"]) {
  if (kind !== undefined) return { kind };
  const { band, time, my, their, sent, received } = expected;
  const members = {
    band,
    mode: MODES[mode],
    date: date?.replaceAll("-", ""),
    time,
    my,
    their,
    sent,
    received,
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

describe.skipIf(vectors.length === 0)("lines of Cabrillo", () => {
  it.each(vectors)("$line", async (vector) => {
    expect(await read(vector)).toEqual(known(vector.expected));
  });
});
