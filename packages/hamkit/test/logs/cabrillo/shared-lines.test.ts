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

describe.skipIf(vectors.length === 0)("lines of Cabrillo", () => {
  it.each(vectors)("$line", async ({ line, expected }) => {
    const log = await readLog(`START-OF-LOG: 3.0\n${line}\nEND-OF-LOG:\n`);
    if (expected.kind === "invalid") {
      // A line without a colon is one of the header.
      expect(log.problemCount > 0 || log.qsos.length === 0).toBe(true);
      return;
    }
    if (expected.kind === "qtc") {
      expect(log.header.text).toContain(line);
      return;
    }
    const [qso] = log.qsos;
    const fields = Object.fromEntries(qso === undefined ? [] : pairs(qso));
    const exchange = (report: string, text: string) =>
      [fields[report] ?? "", fields[text] ?? ""].join(" ").trim().split(" ");
    const { band, mode = "", date, time, my, their, sent, received } = expected;
    expect(log.problems).toEqual([]);
    expect([fields["STATION_CALLSIGN"], fields["CALL"], fields["MODE"]]).toEqual([my, their, MODES[mode]]);
    if (band !== undefined) expect(fields["BAND"]).toBe(band);
    if (date !== undefined)
      expect([fields["QSO_DATE"], fields["TIME_ON"]]).toEqual([date.replaceAll("-", ""), time]);
    if (sent !== undefined)
      expect([exchange("RST_SENT", "STX_STRING"), exchange("RST_RCVD", "SRX_STRING")]).toEqual([
        sent,
        received,
      ]);
  });
});
