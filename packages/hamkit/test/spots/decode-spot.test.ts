import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { ArgumentTypeError, ValueError } from "../../src/errors.js";
import type { ClusterLine } from "../../src/spots/spot.js";
import { decodeSpot, decodeSpots } from "../../src/spots/decode-spot.js";

const now = new Date("2024-03-01T12:30:00Z");

async function collect(lines: AsyncIterable<ClusterLine>): Promise<ClusterLine[]> {
  const all: ClusterLine[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

/** What no answer may have, whatever the line. */
function faultsOf(answer: ClusterLine): string[] {
  const faults: string[] = [];
  if ("time" in answer && Number.isNaN(answer.time.getTime())) faults.push("invalid date");
  if ("frequency" in answer && !(answer.frequency > 0)) faults.push("no frequency");
  const { line: _, ...read } = answer;
  if (Object.values(read).some((value) => typeof value === "string" && /\p{Cc}/u.test(value)))
    faults.push("control character");
  if (Object.values(read).some((value) => Number.isNaN(value))) faults.push("not a number");
  return faults;
}

/** The time that a task takes when nothing else slows it down. */
function quickestMs(task: () => unknown): number {
  const times = Array.from({ length: 20 }, () => {
    const start = performance.now();
    task();
    return performance.now() - start;
  });
  return Math.min(...times);
}

describe("decodeSpot", () => {
  it.each([
    ["DX de DH1TW:     14025.0  JA1ABC       cq                             1200Z", "spot"],
    ["dx de dh1tw:     14025.0  ja1abc       cq                             1200z", "spot"],
    ["PC11^14010.0^R155AP^11-Apr-2014^1711Z^^R9CAC^RN6BN^H95^~", "spot"],
    ["WWV de W0MU <18Z> :   SFI=120, A=5, K=2, No Storms", "wwv"],
    ["WCY de DK0WCY-1 <22> : K=4 expK=2 A=14 R=0 SFI=68 SA=qui GMF=act Au=no", "wcy"],
    ["To ALL de DH1TW: hi", "announcement"],
    ["WX de G3XYZ: rain", "announcement"],
    ["DH1TW de W3LPL  1-Mar-2024 1200Z   CCC >", "unknown"],
    ["hello world", "unknown"],
    ["", "unknown"],
    ["DX de", "unknown"],
    ["PC92^W3LPL^43200^C^1H9DH1TW^H99^", "unknown"],
  ])("decodes %j as %s", (line, kind) => {
    expect(decodeSpot(line, { now })).toMatchObject({ kind, line });
  });

  it("takes the time of a line without a date to be near the present when it isn't told another", () => {
    const spot = decodeSpot("DX de DH1TW:  14025.0  JA1ABC  cq  1200Z");
    if (spot.kind !== "spot") throw new Error(spot.kind);
    expect(Math.abs(spot.time.getTime() - Date.now())).toBeLessThanOrEqual(12 * 3_600_000 + 1000);
  });

  it("reads a line with its end, with bells, and with rubbish of telnet before it", () => {
    const line = "\u0000\u0007DX de DH1TW:\t14025.0  JA1ABC  cq  1200Z\u0007\u0007\r\n";
    expect(decodeSpot(line, { now })).toMatchObject({ kind: "spot", dx: "JA1ABC", comment: "cq", line });
  });

  it("turns what commands a terminal into blanks: escape sequences, and the direction of writing", () => {
    const hostile = "DX de DH1TW: 14025.0 JA1ABC a\u001b[2Jb\u009bc\u202ed\u2066e\u007f 1200Z";
    expect(decodeSpot(hostile, { now })).toMatchObject({ comment: "a [2Jb c d e" });
  });

  it("replaces a line end inside by a blank, so that one line has one result", () => {
    const two = "To ALL de DH1TW: hi\nDX de K1A: 14025.0 K1B x 1200Z";
    expect(decodeSpot(two, { now })).toMatchObject({
      kind: "announcement",
      text: "hi DX de K1A: 14025.0 K1B x 1200Z",
    });
  });

  it("doesn't read lines of more than 1000 characters", () => {
    const spot = (length: number): string => {
      const [head, tail] = ["DX de DH1TW: 14025.0 JA1ABC ", " 1200Z"];
      return head + "x".repeat(length - head.length - tail.length) + tail;
    };
    expect(decodeSpot(spot(1000), { now })).toMatchObject({ kind: "spot" });
    expect(decodeSpot(spot(1001), { now })).toEqual({ kind: "unknown", line: spot(1001) });
    expect(decodeSpot("DX de ".repeat(2_000_000), { now }).kind).toBe("unknown");
  });

  it("returns a result with the line for any text", () => {
    const anything = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.tuple(
        fc.constantFrom("DX de ", "PC11^", "PC61^", "PC23^", "PC73^", "WWV de ", "WCY de ", "To "),
        fc.string(),
      ),
      fc.array(
        fc.constantFrom(
          "DX de ",
          "K1A",
          "-#",
          ":",
          " ",
          "14025.0",
          "9",
          "Z",
          "1200Z",
          "^",
          "<12>",
          "SFI=",
          "\u0000",
        ),
        { maxLength: 40 },
      ),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const line = Array.isArray(text) ? text.join("") : text;
        const answer = decodeSpot(line, { now });
        expect(answer.line).toBe(line);
        expect(faultsOf(answer)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it("reads the longest hostile lines as fast as others", () => {
    const attacks = [" ", "9", "A", ":", "1200Z ", "CW-", "+9 ", "UP ", "5 5 ", "^", "K=1 "].flatMap(
      (piece) =>
        ["DX de ", "DX de K1A: 14025 K1B ", "PC61^", "WCY de K1A <12> : ", "To ALL de "].map((head) =>
          (head + piece.repeat(1000)).slice(0, 1000),
        ),
    );
    // A piece that takes quadratic time takes a millisecond and more; the slowest of these, 0.1 ms.
    expect(attacks.filter((line) => quickestMs(() => decodeSpot(line, { now })) > 0.5)).toEqual([]);
  });

  it("rejects values that are not strings, and invalid dates", () => {
    expect(() => decodeSpot(undefined as unknown as string)).toThrow(ArgumentTypeError);
    expect(() => decodeSpot("", { now: new Date(Number.NaN) })).toThrow(ValueError);
    expect(() => decodeSpot("", { now: 0 as unknown as Date })).toThrow(ValueError);
  });
});

describe("decodeSpots", () => {
  const lines = [
    "login:",
    "DX de DH1TW:  14025.0  JA1ABC  cq  2359Z",
    "DX de DH1TW:  14025.0  JA1ABC  cq  0001Z",
  ];

  it("decodes every line of an array in order", async () => {
    const kinds = (await collect(decodeSpots(lines))).map(({ kind }) => kind);
    expect(kinds).toEqual(["unknown", "spot", "spot"]);
  });

  it("reads a stream, and reads the clock for each line", async () => {
    async function* stream(): AsyncGenerator<string> {
      for (const line of lines) yield await Promise.resolve(line);
    }
    const moments = ["2024-02-29T23:58:00Z", "2024-02-29T23:59:30Z", "2024-03-01T00:01:10Z"].map(
      (text) => new Date(text),
    );
    const clock = (): Date => moments.shift() ?? now;
    const times = (await collect(decodeSpots(stream(), { clock }))).map(
      (line) => "time" in line && line.time.toISOString(),
    );
    expect(times).toEqual([false, "2024-02-29T23:59:00.000Z", "2024-03-01T00:01:00.000Z"]);
  });

  it("ends the stream when its reader has enough", async () => {
    let ended = false;
    function* endless(): Generator<string> {
      try {
        for (;;) yield "To ALL de DH1TW: hi";
      } finally {
        ended = true;
      }
    }
    for await (const { kind } of decodeSpots(endless())) {
      expect(kind).toBe("announcement");
      break;
    }
    expect(ended).toBe(true);
  });

  it("passes on the error of a connection that breaks", async () => {
    async function* broken(): AsyncGenerator<string> {
      yield "hi";
      throw await Promise.resolve(new Error("connection lost"));
    }
    await expect(collect(decodeSpots(broken()))).rejects.toThrow("connection lost");
  });

  it("rejects a single text, which would be a line for each character", async () => {
    await expect(collect(decodeSpots("DX de DH1TW"))).rejects.toThrow(ArgumentTypeError);
  });
});
