import { describe, expect, it } from "vitest";

import { parseMessage } from "../../src/wsjtx.js";
import { messageVectors } from "./vectors.js";
import { cpuMs } from "../fixtures/cpu-time.js";

describe("parseMessage", () => {
  it("has vectors of every kind of message", () => {
    expect(messageVectors.length).toBeGreaterThan(100);
    expect(new Set(messageVectors.map(({ kind }) => kind)).size).toBe(22);
  });

  it.each(messageVectors)("vector $id: $text", ({ id: _id, text, mode, note: _note, type, ...members }) => {
    const parsed = parseMessage(text, { mode }) as unknown as Record<string, unknown>;
    expect(parsed).toMatchObject(members);
    // A vector's type can have a remark behind it, and is left out where it follows from the vectors before.
    const [expectedType = parsed["type"]] = typeof type === "string" ? type.split(" ") : [];
    expect(parsed["type"]).toBe(expectedType);
    // Nothing more than the vector has, but for what vectors name at their first occurrence only.
    const { type: _type, contest: _contest, payload: _payload, ...found } = parsed;
    const { contest: _expectedContest, payload: _expectedPayload, ...expected } = members;
    expect(found).toEqual(expected);
  });

  it.each([
    // An unknown hash on either side, and calls that type 4 sends in full.
    ["<...> <...> RR73", { kind: "rr73", hashed: ["to", "de"] }],
    ["CQ <PJ4/K1ABC> FK52", { kind: "cq", de: "PJ4/K1ABC", hashed: ["de"], grid: "FK52", type: "1" }],
    // MSK144's short messages: one hash of both calls.
    ["<K1ABC W9XYZ> -05", { kind: "report", to: "K1ABC", de: "W9XYZ", report: -5, hashed: ["to", "de"] }],
    [
      "<K1ABC W9XYZ> R+03",
      { kind: "rogerReport", to: "K1ABC", de: "W9XYZ", report: 3, hashed: ["to", "de"] },
    ],
    // A CQ with a report can't have been sent.
    ["CQ K1ABC -05", { kind: "cq", de: "K1ABC", ambiguous: true }],
    ["CQ K1ABC R-05", { kind: "cq", de: "K1ABC", ambiguous: true }],
    // Reports end at 50.
    ["W9XYZ K1ABC -51", { kind: "freeText" }],
    // Swaziland's prefix, and the limits of exchanges.
    ["CQ 3DA0RU KG53", { kind: "cq", de: "3DA0RU", grid: "KG53", type: "1" }],
    ["K1ABC W9XYZ 33A WI", { kind: "freeText" }],
    ["K1ABC W9XYZ 0A WI", { kind: "freeText" }],
    ["K1ABC W9XYZ 519 MA", { kind: "freeText" }],
    ["K1ABC W9XYZ 559 0000", { kind: "freeText" }],
    ["K1ABC W9XYZ 559 8000", { kind: "freeText" }],
    ["<K1ABC> <W9XYZ> 510001 FN42AA", { kind: "freeText" }],
    // What programs add.
    ["TNX BOB 73 GL           ? a3", { kind: "freeText", type: "0.0", flags: ["lowConfidence", "ap3"] }],
    [
      "K1ABC W9XYZ -20                       q25",
      { kind: "report", to: "K1ABC", de: "W9XYZ", report: -20, type: "1", flags: ["q25"] },
    ],
    ["QTH BOSTON ?", { kind: "freeText", type: "0.0" }],
    // Texts of no message.
    ["", { kind: "freeText" }],
    ["CQ", { kind: "freeText", type: "0.0" }],
    ["FFFFFFFFFFFFFFFFFF", { kind: "freeText" }],
    ["x".repeat(100_000), { kind: "freeText" }],
    ["cq k1abc fn42", { kind: "cq", de: "K1ABC", grid: "FN42", type: "1" }],
  ])("reads %s", (text, expected) => {
    const { type, ...parsed } = parseMessage(text) as unknown as Record<string, unknown>;
    const { type: expectedType = type, ...members } = expected as Record<string, unknown>;
    expect(parsed).toEqual(members);
    expect(type).toBe(expectedType);
  });

  it.each([
    ["K1ABC FN42 37", { kind: "wspr", de: "K1ABC", grid: "FN42", powerDbm: 37 }],
    ["ZL1ABC RR73 0", { kind: "wspr", de: "ZL1ABC", grid: "RR73", powerDbm: 0 }],
    ["K1ABC FN42 38", { kind: "unknown?", ambiguous: true }],
    ["K1ABC FN42 63", { kind: "unknown?", ambiguous: true }],
    ["CQ K1ABC FN42", { kind: "unknown?", ambiguous: true }],
  ])("reads %s as FST4W", (text, expected) => {
    expect(parseMessage(text, { mode: "fst4w" })).toEqual(expected);
  });

  it("has no locator RR73 in any message but those of WSPR", () => {
    for (const text of [
      "CQ K1ABC RR73",
      "W9XYZ K1ABC RR73",
      "W9XYZ K1ABC R RR73",
      "DE K1ABC RR73",
      "K1ABC RR73",
    ])
      expect(parseMessage(text)).not.toHaveProperty("grid");
  });

  it("reads any text, and fast: regular expressions that backtrack would take minutes", () => {
    const start = cpuMs();
    for (const part of ["A1", "A1/", "<", "CQ ", " ", "0", "? "]) {
      for (let length = 0; length < 100; length++) parseMessage(part.repeat(length));
    }
    expect(cpuMs() - start).toBeLessThan(1000);
  });

  it("takes the mode of a status, also one that was never set", () => {
    expect(parseMessage("CQ K1ABC FN42", { mode: null })).toMatchObject({ kind: "cq" });
    expect(() => parseMessage("CQ", { mode: 5 as never })).toThrow("mode: 5 is not the name of a mode");
  });

  it.each([undefined, null, 5])("takes text only: %s", (value) => {
    expect(() => parseMessage(value as unknown as string)).toThrow(/^text: .* is not a string$/);
  });
});
