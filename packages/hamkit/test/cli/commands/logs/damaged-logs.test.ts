/** What commands for logs say of columns that they don't understand, and of files that are no logs. */
import { readdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { hamkit, hamkitJson, IN_FILE } from "../../run-cli.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-damaged-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const cabrillo = (line: string) =>
  `START-OF-LOG: 3.0\nQSO: 14025 CW 2023-11-23 2358 SE0I 599 14 DL1ABC 599 33\nQSO: ${line}\nEND-OF-LOG:\n`;
const edi = (band: string, record: string) =>
  `[REG1TEST;1]\nPCall=SE0I\nPBand=${band}\n[QSORecords;1]\n${record}\n[END;]\n`;
const RECORD = "230907;1400;DL1ABC;1;59;001;59;006;;JO65FR;44;;N;N;";

describe.each([
  [
    "mode of Cabrillo",
    "cbr",
    cabrillo("14025 XX 2023-11-23 2359 SE0I 599 14 DL1ABC 599 33"),
    "cabrillo-line",
    'line 3: "XX" is not a mode of Cabrillo (CW, PH, FM, RY, DG)',
  ],
  [
    "frequency of Cabrillo",
    "cbr",
    cabrillo("abc CW 2023-11-23 2359 SE0I 599 14 DL1ABC 599 33"),
    "cabrillo-line",
    'line 3: "abc" is not a frequency in an amateur band',
  ],
  [
    "date of Cabrillo",
    "cbr",
    cabrillo("14025 CW 2024/99/23 2359 SE0I 599 14 DL1ABC 599 33"),
    "cabrillo-date",
    'line 3: "2024/99/23" is not a date YYYY-MM-DD',
  ],
  [
    "band of EDI",
    "edi",
    edi("5 parsec", RECORD),
    "edi-line",
    "line 3: PBand=5 parsec: expected an amateur band, such as 144 MHz",
  ],
  [
    "mode of EDI",
    "edi",
    edi("144 MHz", RECORD.replace(";1;59", ";77;59")),
    "edi-line",
    'line 5: "77" is not a mode code from 0 to 9',
  ],
  [
    "record of EDI",
    "edi",
    edi("144 MHz", RECORD.replace("230907", "2309x7")),
    "edi-line",
    `line 5: not a valid QSO record: "2309x7;1400;DL1ABC;1;59;001;59;006;;JO65FR;44;;N;N;"`,
  ],
])("a %s that is not understood", (_name, ending, content, rule, message) => {
  it("is a finding of adif check, which ends with 1", async () => {
    const path = await file(`log.${ending}`, content);
    const { exitCode, stdout } = await hamkit(["adif", "check", path]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(`  warning: file: ${message}\n`);
    expect(await hamkitJson(["adif", "check", path])).toMatchObject({
      findings: expect.arrayContaining([expect.objectContaining({ rule, message })]) as unknown,
    });
  });

  it("is a problem of annotate, which ends with 1", async () => {
    const path = await file(`log.${ending}`, content);
    const { exitCode, stdout, stderr } = await hamkit(["annotate", path, ...IN_FILE]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(`  ${message.replace(":", " ")}\n`);
    expect(stderr).toMatch(/error: \d problems? in the log\n/);
  });
});

describe("ADX that is not well-formed", () => {
  const adx = (record: string) => `<ADX><RECORDS><RECORD>${record}</RECORD></RECORDS></ADX>`;
  it.each([
    ["an ampersand", adx("<CALL>W1AW</CALL><NAME>A & B</NAME>")],
    ["another end tag", adx("<CALL>DH1TW</NAME>")],
    ["two roots", `${adx("<CALL>W1AW</CALL>")}${adx("<CALL>W1AW</CALL>")}`],
    ["an undefined entity", adx("<CALL>&w1aw;</CALL>")],
    ["a control character", adx("<CALL>W1AW</CALL><NAME>A\u0001</NAME>")],
    ["an attribute twice", adx('<APP FIELDNAME="A" FIELDNAME="B">1</APP>')],
    ["no end", "<ADX><RECORDS><RECORD><CALL>W1AW</CALL>"],
  ])("with %s does not pass adif check", async (_, content) => {
    const { exitCode, stdout } = await hamkit(["adif", "check", await file("log.adx", content)]);
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining("  error: ")]);
  });

  it("passes where it is", async () => {
    const good = adx(
      "<CALL>W1AW</CALL><QSO_DATE>20240101</QSO_DATE><TIME_ON>1200</TIME_ON><BAND>20m</BAND><MODE>CW</MODE>",
    );
    const checked = await hamkit(["adif", "check", await file("log.adx", good)]);
    expect(checked).toMatchObject({ stdout: expect.not.stringContaining("error") });
  });
});

describe("columns that are understood", () => {
  it.each([
    ["cbr", cabrillo("144.2 CW-U 2023/11/23 23:59 SE0I 599 14 DL1ABC 599 33")],
    ["edi", edi("2m", RECORD)],
  ])("are no problems: %s", async (ending, content) => {
    const path = await file(`log.${ending}`, content);
    expect(await hamkit(["annotate", path, ...IN_FILE])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await hamkitJson(["adif", "check", path])).toMatchObject({ findings: [] });
  });
});

describe.each([["awards"], ["adif check"], ["adif repair"], ["adif convert"], ["annotate"], ["map --log"]])(
  "hamkit %s",
  (command) => {
    it.each([
      ["log.tgz", "a gzip file (.gz, .tgz), which has to be unpacked first"],
      ["log.adi.gz", "a gzip file (.gz, .tgz), which has to be unpacked first"],
    ])("says of %s that it is an archive, and writes nothing", async (name, found) => {
      const path = await file(name, gzipSync("<CALL:4>W1AW<QSO_DATE:8>20240101<BAND:3>20m<EOR>\n"));
      const inFile = command.startsWith("a") && !command.startsWith("adif") ? IN_FILE : [];
      const { exitCode, stdout, stderr } = await hamkit([...command.split(" "), path, ...inFile]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: "" });
      expect(stderr).toMatch(/^error: /);
      expect(stderr).toContain(`${path}: expected a log in ADIF`);
      expect(stderr).toContain(`, found ${found}\n`);
      expect(await readdir(folder)).toEqual([name]);
    });

    it("says that a stored ZIP file is an archive, though it has the log's letters", async () => {
      const path = await file("log.zip", "PK\u0003\u0004\n\u0000\u0000<CALL:4>W1AW<BAND:3>20m<EOR>\n");
      const inFile = command.startsWith("a") && !command.startsWith("adif") ? IN_FILE : [];
      expect(await hamkit([...command.split(" "), path, ...inFile])).toMatchObject({
        exitCode: 3,
        stdout: "",
        stderr: expect.stringContaining("found a ZIP file, which has to be unpacked first\n") as unknown,
      });
    });
  },
);
