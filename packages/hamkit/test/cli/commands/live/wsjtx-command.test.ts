import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { encodeDatagram, type OutgoingMessage } from "../../../../src/wsjtx.js";
import { temporaryFolder } from "../../public-files.js";
import { hamkit, IN_FILE, type Outcome, type RunOptions } from "../../run-cli.js";

const folder = temporaryFolder();

const STATUS: OutgoingMessage = {
  kind: "status",
  id: "WSJT-X",
  dialFrequencyHz: 14_074_000,
  mode: "FT8",
  dxCall: "",
  report: "",
  txMode: "FT8",
  txEnabled: false,
  transmitting: false,
  decoding: true,
  rxDf: 1500,
  txDf: 1500,
  deCall: "DH1TW",
  deGrid: "JN48QM",
  dxGrid: "",
};

function decode(message: string, snr = -10): OutgoingMessage {
  const signal = { timeMs: 43_215_000, snr, deltaTime: 0.2, deltaFrequencyHz: 1234, mode: "~" };
  return { kind: "decode", id: "WSJT-X", new: true, ...signal, message, lowConfidence: false, offAir: false };
}

async function openSocket(): Promise<Socket> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return socket;
}

/** Runs the command, and sends the datagrams once it listens, which its first line shows. */
async function wsjtx(
  words: readonly string[],
  datagrams: readonly (OutgoingMessage | Uint8Array)[],
  options: Partial<RunOptions> = {},
): Promise<Outcome> {
  const free = await openSocket();
  const { port } = free.address();
  free.close();
  const program = await openSocket();
  const run = hamkit(["wsjtx", "--port", String(port), ...IN_FILE, ...words], options);
  // Datagrams are lost until the command listens. A command that fails is not waited for.
  await Promise.race([run, untilInUse(port)]);
  for (const message of datagrams) {
    const bytes = message instanceof Uint8Array ? message : encodeDatagram(message);
    await new Promise((resolve) => program.send(bytes, port, "127.0.0.1", resolve));
  }
  const outcome = await run;
  program.close();
  return outcome;
}

async function untilInUse(port: number): Promise<void> {
  for (;;) {
    const probe = createSocket("udp4");
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once("error", () => resolve(false));
      probe.bind(port, "127.0.0.1", () => resolve(true));
    });
    probe.close();
    if (!isFree) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe("hamkit wsjtx", () => {
  it("writes what docs/commands/wsjtx.md shows of the same decodes", async () => {
    const pageOf = (name: string) =>
      readFile(new URL(`../../../../../../docs/commands/${name}.md`, import.meta.url), "utf8");
    const [, shown = ""] =
      /^```console\n\$ hamkit wsjtx --log mylog\.adi\n([^]*?)^```$/m.exec(await pageOf("wsjtx")) ?? [];
    const [, mylog = ""] = /^```adif mylog\.adi\n([^]*?)^```$/m.exec(await pageOf("annotate")) ?? [];
    const log = join(folder.path, "mylog.adi");
    await writeFile(log, mylog);
    const decodes = [
      decode("CQ W1AW FN31"),
      { ...decode("CQ JA1AA PM95", -17), deltaTime: 0.1, deltaFrequencyHz: 817 },
    ] as OutgoingMessage[];
    const { stdout } = await wsjtx(["--count", "2", "--log", log], [STATUS, ...decodes]);
    expect(stdout.replace(/port \d+/, "port 2237")).toBe(shown);
  });

  it("shows decodes with country, distance and heading from the locator of the program", async () => {
    const { stdout, stderr, exitCode } = await wsjtx(
      ["--count", "2"],
      [STATUS, STATUS, decode("CQ W1AW FN31"), decode("TNX BOB 73 GL")],
    );
    const [listening, head, status, first, second, ...rest] = stdout.split("\n");
    expect(listening).toMatch(/^Listening on UDP port \d+ of 127\.0\.0\.1$/);
    expect(head).toMatch(/^Time +dB +DT +Hz +Band +Message +Country +km +Deg +New$/);
    expect(status).toBe("WSJT-X  14.074000 MHz  FT8  DH1TW  JN48QM");
    // The distance by the haversine formula between the centers of JN48QM and FN31.
    expect(first).toMatch(/^120015  -10   0\.2  1234   20m  CQ W1AW FN31 +United States +6\d\d\d  29\d$/);
    expect(second).toMatch(/TNX BOB 73 GL$/);
    expect(rest).toEqual([""]);
    expect(stderr).toBe("");
    expect(exitCode).toBe(0);
  });

  it("remembers the locator of a station", async () => {
    const datagrams = [STATUS, decode("CQ W1AW FN31"), decode("DH1TW W1AW -12")];
    const { stdout } = await wsjtx(["--count", "2"], datagrams);
    const distances = [...stdout.matchAll(/United States +(\d+)/g)].map(([, km]) => km);
    expect(distances).toHaveLength(2);
    expect(distances[0]).toBe(distances[1]);
  });

  it("marks new ones against a log, and takes note of contacts that are logged meanwhile", async () => {
    const log = join(folder.path, "log.adi");
    const w1aw = "<CALL:4>W1AW <BAND:3>40m <QSO_DATE:8>20240101 <TIME_ON:4>1200 <EOR>";
    await writeFile(log, `test <EOH>${w1aw}<CALL:5>DL1XX <FREQ:6>14.074 <DXCC:3>230 <EOR>`);
    const logged: OutgoingMessage = {
      kind: "qsoLogged",
      id: "WSJT-X",
      timeOff: null,
      dxCall: "JA1AA",
      dxGrid: "PM95",
      txFrequencyHz: 14_075_000,
      mode: "FT8",
      reportSent: "-10",
      reportReceived: "-12",
      txPower: "",
      comments: "",
      name: "",
    };
    const texts = ["CQ JA1AA PM95", "CQ W1AW FN31", "CQ DL1YY JO62", "CQ DL1XX JO62"];
    const datagrams = [STATUS, ...texts.map((text) => decode(text)), logged, decode("CQ JA1AA PM95")];
    const { stdout } = await wsjtx(["--count", "5", "--log", log], datagrams);
    const marks = [...stdout.matchAll(/^120015 .*?(?:new (entity|on 20m|call))?$/gm)].map(([, mark]) => mark);
    expect(marks).toEqual(["entity", "on 20m", "call", undefined, undefined]);
    expect(stdout).toContain("WSJT-X  logged  JA1AA  PM95  FT8  sent -10  received -12");
  });

  it("writes one JSON object per datagram", async () => {
    const { stdout } = await wsjtx(
      ["--json", "--count", "1", "--from", "JN48"],
      [
        Uint8Array.of(1),
        { kind: "heartbeat", id: "WSJT-X", maxSchema: 3 },
        STATUS,
        decode("DH1TW W1AW R-12"),
      ],
    );
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ kind }) => kind)).toEqual(["invalid", "heartbeat", "status", "decode"]);
    expect(lines[3]).toMatchObject({
      message: "DH1TW W1AW R-12",
      sender: { address: "127.0.0.1" },
      parsed: { kind: "rogerReport", to: "DH1TW", de: "W1AW", report: -12 },
      band: "20m",
      station: { country: "United States", adif: 291 },
      newOnes: null,
    });
  });

  it("reads WSPR beacons by their own rules: EK70 is no Armenian call", async () => {
    const beacon: OutgoingMessage = {
      kind: "wsprDecode",
      id: "WSJT-X",
      new: true,
      timeMs: 43_200_000,
      snr: -20,
      deltaTime: 0.1,
      frequencyHz: 14_097_100,
      driftHz: 0,
      callsign: "W1AW",
      grid: "FN31",
      powerDbm: 37,
    };
    const { stdout } = await wsjtx(["--json", "--count", "1"], [beacon]);
    expect(JSON.parse(stdout)).toMatchObject({
      parsed: { kind: "wspr", de: "W1AW", grid: "FN31", powerDbm: 37 },
      band: "20m",
      station: { country: "United States" },
    });
  });

  it("escapes what could control a terminal", async () => {
    const hostile = "\u001B]0;x\u0007 CQ W1AW";
    const { stdout } = await wsjtx(["--count", "1"], [{ ...STATUS, id: hostile }, decode(hostile)]);
    // oxlint-disable-next-line no-control-regex -- matches control characters on purpose
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(stdout).toContain(String.raw`\x1b]0;x\x07`);
  });

  it("warns once of datagrams of other programs", async () => {
    const { stderr } = await wsjtx(
      ["--count", "1"],
      [Uint8Array.of(1), Uint8Array.of(2), decode("CQ W1AW FN31")],
    );
    expect(stderr).toMatch(/^warning: a datagram from 127\.0\.0\.1:\d+ is not one of WSJT-X: short\n$/);
  });

  it.each([
    [["--port", "0"], 2, "Expected an integer from 1 to 65535."],
    [["--from", "ZZ99"], 2, "--from"],
    [["--group", "10.0.0.1"], 2, "group: "],
    [["--log", "/nowhere/log.adi"], 3, "can't be read"],
    [["--in", "callbook"], 2, "this command looks up in one database"],
  ])("rejects %j", async (words, exitCode, message) => {
    const outcome = await hamkit(["wsjtx", ...(words.includes("--in") ? [] : IN_FILE), ...words]);
    expect(outcome).toMatchObject({
      exitCode,
      stdout: "",
      stderr: expect.stringContaining(message) as string,
    });
  });
});
