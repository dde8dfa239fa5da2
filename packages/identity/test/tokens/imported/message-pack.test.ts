import { describe, expect, it } from "vitest";

import { decodeMessagePack, MessagePackError } from "../../../src/tokens/imported/message-pack.js";

const decode = (hex: string) => decodeMessagePack(Buffer.from(hex.replaceAll(" ", ""), "hex"));

describe("MessagePack", () => {
  // The formats of the specification, with the shortest payload or a limit of each.
  it.each<[string, string, unknown]>([
    ["positive fixint", "7f", 127],
    ["negative fixint", "e0", -32],
    ["nil", "c0", null],
    ["false", "c2", false],
    ["true", "c3", true],
    ["float 32", "ca 3fc00000", 1.5],
    ["float 64", "cb 3ff8000000000000", 1.5],
    ["uint 8", "cc ff", 255],
    ["uint 16", "cd 0100", 256],
    ["uint 32", "ce 00010000", 65_536],
    ["uint 64", "cf 0000000100000000", 2 ** 32],
    ["int 8", "d0 80", -128],
    ["int 16", "d1 8000", -32_768],
    ["int 32", "d2 80000000", -(2 ** 31)],
    ["int 64", "d3 ffffffff00000000", -(2 ** 32)],
    ["fixstr", "a2 6869", Buffer.from("hi")],
    ["str 8", "d9 02 6869", Buffer.from("hi")],
    ["str 16", "da 0002 6869", Buffer.from("hi")],
    ["str 32", "db 00000002 6869", Buffer.from("hi")],
    ["bin 8", "c4 02 6869", Buffer.from("hi")],
    ["bin 16", "c5 0002 6869", Buffer.from("hi")],
    ["bin 32", "c6 00000002 6869", Buffer.from("hi")],
    ["fixarray", "92 c0 01", [null, 1]],
    ["array 16", "dc 0002 c0 01", [null, 1]],
    ["array 32", "dd 00000002 c0 01", [null, 1]],
  ])("is read: %s", (_, hex, value) => {
    expect(decode(hex)).toEqual(value);
  });

  it.each([
    ["a map", "80"],
    ["an extension", "d4 00 00"],
    ["an integer above 2^53", "cf 0020000000000001"],
  ])("is rejected with %s", (_, hex) => {
    expect(() => decode(hex)).toThrow(MessagePackError);
  });
});
