import { createSocket, type Socket } from "node:dgram";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { encodeN1mm, listenN1mm } from "../../../../src/n1mm.js";
import { hamkit } from "../../run-cli.js";

const time = new Date("2024-06-30T12:00:00Z");
const contact = {
  kind: "contactinfo",
  id: "f9ffac4fcd3e479ca86e137df1338531",
  call: "W1AW",
  time,
  frequencyHz: 14_025_190,
  rxFrequencyHz: 14_025_190,
  mode: "CW",
  myCall: "DH1TW",
  fields: { contestname: "CQWWCW", snt: "599", sntnr: "0", rcv: "599", exchange1: "05" },
} as const;
const radio = {
  kind: "radioinfo",
  radio: 1,
  frequencyHz: 14_025_190,
  txFrequencyHz: 14_025_190,
  mode: "CW",
  operator: "DH1TW",
  isRunning: true,
  isTransmitting: false,
} as const;
const MESSAGES = [
  encodeN1mm(radio),
  encodeN1mm(radio), // each ten seconds
  encodeN1mm({ ...radio, radio: 2, frequencyHz: 7_012_340, txFrequencyHz: 7_015_000 }),
  encodeN1mm(contact),
  encodeN1mm({ kind: "contactdelete", id: contact.id, call: "W1AW", time }),
  encodeN1mm({ ...contact, kind: "contactreplace", call: "W1AX", oldCall: "W1AW", oldTime: time }),
  encodeN1mm({
    kind: "spot",
    action: "add",
    call: "9M2R",
    frequencyHz: 14_025_500,
    mode: "CW",
    spotter: "DH1TW-#",
    comment: "CQ \u001b[31m",
    time,
  }),
  new TextEncoder().encode("<dynamicresults><call>DH1TW</call></dynamicresults>"),
  new TextEncoder().encode("not of N1MM"),
];

let socket: Socket;
beforeEach(() => {
  socket = createSocket("udp4");
});
afterEach(() => {
  socket.close();
});

/** Runs the command, and sends all messages to it as soon as it listens. */
async function received(words: readonly string[]) {
  // A free port.
  const probe = await listenN1mm({ port: 0 });
  const { port } = probe.local;
  await probe.close();
  const running = hamkit(["logger", "--port", String(port), "--count", String(MESSAGES.length), ...words]);
  const send = (bytes: Uint8Array) =>
    new Promise((resolve) => {
      socket.send(bytes, port, "127.0.0.1", resolve);
    });
  await new Promise((resolve) => {
    setTimeout(resolve, 300);
  });
  for (const message of MESSAGES) await send(message);
  return running;
}

describe("hamkit logger", () => {
  it("writes what comes over UDP", async () => {
    const { stdout, stderr, exitCode } = await received([]);
    expect(stdout.split("\n").slice(1)).toEqual([
      "radio 1  14.02519 MHz  CW  DH1TW",
      "radio 2  7.01234 MHz  sends at 7.01500  CW  DH1TW",
      "logged  12:00:00  W1AW  20m  CW  599  599 05  CQ-WW-CW",
      "deleted  12:00:00  W1AW",
      "changed  12:00:00  W1AX  20m  CW  599  599 05  CQ-WW-CW",
      "spot  12:00:00  9M2R  14025.5  CW  DH1TW-#  CQ  [31m",
      "",
    ]);
    expect(stdout).toMatch(/^Listening on UDP port \d+ of 127\.0\.0\.1\n/);
    expect(stderr).toMatch(/^warning: a datagram from 127\.0\.0\.1:\d+ is not one of N1MM: no XML element/);
    expect(exitCode).toBe(0);
  });

  it("writes JSON, with fields of ADIF", async () => {
    const { stdout, stderr } = await received(["--json"]);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ kind }) => kind)).toEqual([
      "radioinfo",
      "radioinfo",
      "radioinfo",
      "contactinfo",
      "contactdelete",
      "contactreplace",
      "spot",
      "other",
      "invalid",
    ]);
    expect(lines[2]).toMatchObject({ radio: 2, frequencyHz: 7_012_340, isSplit: true });
    expect(lines[3]).toMatchObject({
      time: "2024-06-30T12:00:00.000Z",
      record: {
        CALL: "W1AW",
        FREQ: "14.02519",
        CONTEST_ID: "CQ-WW-CW",
        QSO_DATE: "20240630",
        TIME_ON: "120000",
      },
      sender: { address: "127.0.0.1" },
    });
    expect(lines[5]).toMatchObject({ id: contact.id, call: "W1AX", oldCall: "W1AW" });
    expect(stderr).toBe("");
  });

  it("fails where the port is in use", async () => {
    const other = await listenN1mm({ port: 0 });
    const { exitCode, stderr } = await hamkit(["logger", "--port", String(other.local.port)]);
    await other.close();
    expect({ exitCode, stderr }).toEqual({
      exitCode: 3,
      stderr: expect.stringContaining(`udp://127.0.0.1:${other.local.port}`) as string,
    });
    await expect(listenN1mm({ port: 70_000 })).rejects.toThrow(
      "port: 70000 is not an integer from 0 to 65535",
    );
  });
});
