import { describe, expect, it } from "vitest";

import {
  instantOf,
  decodeDatagram,
  encodeDatagram,
  type Datagram,
  type OutgoingMessage,
} from "../../src/wsjtx.js";
import { datagramVectors } from "./vectors.js";

const HEAD = "adbccbda00000002";

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, "hex"));
}

function hexOf(message: OutgoingMessage): string {
  return Buffer.from(encodeDatagram(message)).toString("hex");
}

function decodeHex(hex: string): Datagram {
  return decodeDatagram(bytesOf(hex));
}

describe("decodeDatagram", () => {
  it("has vectors of all 17 types and of both other kinds", () => {
    expect(new Set(datagramVectors.map(({ decoded }) => decoded["kind"])).size).toBe(19);
  });

  it.each(datagramVectors)("decodes vector $id: $decoded.kind $note", ({ hex, decoded }) => {
    expect(decodeHex(hex)).toEqual(decoded);
  });

  it("rejects other protocols", () => {
    expect(decodeHex("7b22747970652222000000000000")).toEqual({ kind: "invalid", reason: "bad magic" });
  });

  it("names the member in which a datagram ends", () => {
    const reply = datagramVectors.find(({ decoded }) => decoded["kind"] === "reply");
    const bytes = bytesOf(reply?.hex ?? "");
    expect(decodeDatagram(bytes.subarray(0, -5))).toMatchObject({
      kind: "invalid",
      reason: "truncated in message",
      id: "WSJT-X",
      type: 4,
    });
  });

  it("decodes no prefix of a datagram to something else than its members, a shorter list of them, or invalid", () => {
    for (const { hex, decoded } of datagramVectors) {
      const bytes = bytesOf(hex);
      for (let length = 0; length < bytes.length; length++) {
        const { kind, ...members } = decodeDatagram(bytes.subarray(0, length));
        expect([decoded["kind"], "invalid"]).toContain(kind);
        if (kind === "invalid" || kind === "unknown") continue;
        const { absentFields: _absent, extraBytes: _extra, ...read } = members as Record<string, unknown>;
        expect(decoded).toMatchObject(read);
      }
    }
  });

  it("reads a view into a larger buffer", () => {
    const bytes = bytesOf(`ffff${HEAD}00000006000000044a544458ffff`);
    expect(decodeDatagram(bytes.subarray(2, -2))).toEqual({ kind: "close", schema: 2, type: 6, id: "JTDX" });
  });

  it("reads the status of JTDX: signed frequencies, and TX first at the end", () => {
    const texts = "00000000".repeat(3);
    const body = `0000000000d6c090${"00000000".repeat(4)}000001ffffff9c000005dc${texts}00000000000001`;
    expect(decodeHex(`${HEAD}00000001000000044a544458${body}`)).toMatchObject({
      kind: "status",
      id: "JTDX",
      dialFrequencyHz: 14_074_000,
      decoding: true,
      rxDf: -100,
      txDf: 1500,
      fastMode: false,
      txFirst: true,
    });
  });

  it("rejects numbers that a number can't hold, and colors that are not RGB", () => {
    const wspr = `${HEAD}0000000a00000000`;
    expect(decodeHex(`${wspr}01000003e8fffffffd3fb999999999999a0020000000000000`)).toMatchObject({
      kind: "invalid",
      reason: "out of range in frequencyHz",
    });
    expect(decodeHex(`${HEAD}0000000d000000000000000002${"ffff".repeat(5)}`)).toMatchObject({
      kind: "invalid",
      reason: "out of range in background",
    });
  });

  it("reads null dates, and rejects those that no clock shows", () => {
    const start = `${HEAD}0000000500000000`;
    const rest = `${"ffffffff".repeat(2)}0000000000d6c090${"ffffffff".repeat(6)}`;
    expect(decodeHex(`${start}8000000000000000ffffffff00${rest}`)).toMatchObject({
      kind: "qsoLogged",
      timeOff: null,
      dxCall: null,
    });
    const day = "0000000000258dc2";
    expect(decodeHex(`${start}${day}05265c0001${rest}`)).toMatchObject({
      kind: "invalid",
      reason: "out of range in timeOff",
    });
    expect(decodeHex(`${start}${day}0000000007${rest}`)).toMatchObject({ reason: "out of range in timeOff" });
    expect(decodeHex(`${start}7fffffffffffffff0000000001${rest}`)).toMatchObject({
      reason: "out of range in timeOff",
    });
  });

  it("rejects UTC offsets of a day and more, which it could not write again", () => {
    const rest = `${"00000000".repeat(2)}0000000000d6c090${"00000000".repeat(6)}`;
    const dated = (offset: string) =>
      decodeHex(`${HEAD}00000005000000000000000000258dc20294186002${offset}${rest}`);
    for (const offset of ["7fffffff", "80000000", "00015180"])
      expect(dated(offset)).toMatchObject({ kind: "invalid", reason: "out of range in timeOff" });
    const decoded = dated("0001517f");
    expect(decoded).toMatchObject({ timeOff: { timespec: "offset", offsetSeconds: 86_399 } });
    expect(decodeDatagram(encodeDatagram(decoded as OutgoingMessage))).toEqual(decoded);
  });

  it("reads a date with a named time zone", () => {
    const zone = Buffer.from("Europe/Berlin", "utf16le").swap16().toString("hex");
    const rest = `${"00000000".repeat(2)}0000000000d6c090${"00000000".repeat(6)}`;
    const hex = `${HEAD}00000005000000000000000000258dc202941860030000001a${zone}${rest}`;
    const decoded = decodeHex(hex);
    const timeOff = { iso: "2026-03-22T12:01:00.000", timespec: "zone", zone: "Europe/Berlin" };
    expect(decoded).toMatchObject({ timeOff });
    expect(hexOf(decoded as OutgoingMessage)).toBe(hex);
  });

  it.each([undefined, "adbccbda", [1, 2], new ArrayBuffer(20), new DataView(new ArrayBuffer(20))])(
    "takes bytes only: %s",
    (value) => {
      expect(() => decodeDatagram(value as unknown as Uint8Array)).toThrow(/^bytes: .* is not a Uint8Array$/);
    },
  );
});

/** Of what Qt writes: an invalid color with another filler, and a text that is not UTF-8, are read but not written. */
const WRITTEN = datagramVectors.filter(
  ({ decoded, hex }) =>
    !["unknown", "invalid"].includes(decoded["kind"] as string) &&
    !hex.includes("00ffffffffffffffffffff") &&
    !hex.includes("fffe0000"),
);

describe("encodeDatagram", () => {
  it.each(WRITTEN)("writes the bytes of vector $id again: $decoded.kind $note", ({ hex, decoded }) => {
    const { extraBytes = 0 } = decoded as { extraBytes?: number };
    const known = hex.slice(0, hex.length - 2 * extraBytes);
    const bytes = hexOf(decoded as unknown as OutgoingMessage);
    expect(bytes).toBe(known);
  });

  it("leaves out the optional members at the end, and nothing in between", () => {
    expect(hexOf({ kind: "heartbeat", id: "hamkit", maxSchema: 3 })).toBe(
      `${HEAD}000000000000000668616d6b697400000003`,
    );
    const message = { kind: "heartbeat", id: "hamkit", revision: "1" } as const;
    expect(() => encodeDatagram(message)).toThrow(
      /^maxSchema: .*undefined.* is not an integer from 0 to 4294967295$/,
    );
  });

  it.each([
    [{ kind: "haltTx", id: "WSJT-X" }, "autoTxOnly"],
    [{ kind: "freeText", id: "WSJT-X", text: 5, send: true }, "text"],
    [{ kind: "freeText", id: 7, text: "", send: true }, "id"],
    [{ kind: "clear", id: "WSJT-X", window: 256 }, "window"],
    [{ kind: "clear", id: "WSJT-X", window: 1.5 }, "window"],
    [{ kind: "unknown", id: "WSJT-X" }, "kind"],
    [{ kind: "toString", id: "WSJT-X" }, "kind"],
    [{ kind: "close", id: "WSJT-X", schema: 4 }, "schema"],
    [
      {
        kind: "highlightCallsign",
        id: "WSJT-X",
        callsign: "K1ABC",
        background: { a: 255, r: 0, g: 0, b: 300 },
        foreground: null,
      },
      "background",
    ],
  ])("rejects %j", (message, argument) => {
    expect(() => encodeDatagram(message as OutgoingMessage)).toThrow(
      expect.objectContaining({ code: "argument/invalid", argument }),
    );
  });

  it.each(["2026-02-30T25:00:00.000Z", "yesterday", "2026-03-22"])("rejects the date %s", (iso) => {
    const message = datagramVectors.find(({ decoded }) => decoded["kind"] === "qsoLogged")?.decoded;
    const changed = { ...message, timeOff: { iso, timespec: "utc" } } as unknown as OutgoingMessage;
    expect(() => encodeDatagram(changed)).toThrow(expect.objectContaining({ argument: "timeOff" }));
  });

  it("writes texts of any length", () => {
    const adif = "é".repeat(100_000);
    expect(decodeDatagram(encodeDatagram({ kind: "loggedAdif", id: "WSJT-X", adif }))).toMatchObject({
      adif,
    });
  });
});

describe("instantOf", () => {
  it("is undefined for a time that was never set", () => {
    expect(instantOf(null)).toBeUndefined();
  });

  it("computes the moment where the datagram has the offset", () => {
    expect(instantOf({ iso: "2026-03-22T12:01:00.000Z", timespec: "utc" })).toEqual(
      new Date("2026-03-22T12:01:00Z"),
    );
    const east = { iso: "2026-03-22T13:01:00.000", timespec: "offset", offsetSeconds: 3600 } as const;
    expect(instantOf(east)).toEqual(new Date("2026-03-22T12:01:00Z"));
    expect(
      instantOf({ iso: "2026-03-22T13:01:00.000", timespec: "zone", zone: "Europe/Berlin" }),
    ).toBeUndefined();
  });
});
