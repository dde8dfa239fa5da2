import { describe, expect, it } from "vitest";

import { IOError } from "../../../src/errors.js";
import { readLines, streamLines, withInputLines } from "../../../src/cli/input/input-lines.js";

async function* chunks(...values: readonly (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  yield* values;
}

async function collect(stream: AsyncIterable<string>): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of stream) lines.push(line);
  return lines;
}

describe("streamLines", () => {
  it("gives each line without its end, empty ones and the last one too", async () => {
    expect(await collect(streamLines(chunks("a\nb\r\n\n c \nd")))).toEqual(["a", "b", "", " c ", "d"]);
    expect(await collect(streamLines(chunks("a\n")))).toEqual(["a"]);
    expect(await collect(streamLines(chunks()))).toEqual([]);
  });

  it("joins what was cut anywhere: in a line, its end, or a character", async () => {
    const bytes = new TextEncoder().encode("äb\r\n日c\n");
    const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect(await collect(streamLines(chunks(...single)))).toEqual(["äb", "日c"]);
  });

  it("gives a line before the next one is there", async () => {
    let asked = 0;
    async function* source(): AsyncGenerator<string> {
      for (const text of ["a\n", "b\n"]) {
        asked++;
        yield text;
      }
    }
    const lines = streamLines(source());
    expect(await lines.next()).toEqual({ done: false, value: "a" });
    expect(asked).toBe(1);
    await lines.return(undefined);
  });

  it("gives a line without an end in pieces", async () => {
    const pieces = await collect(streamLines(chunks(...Array.from({ length: 50 }, () => "x".repeat(1000)))));
    expect(pieces.join("")).toBe("x".repeat(50_000));
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(20_000);
  });

  it("throws an IOError where the stream fails, after the lines before", async () => {
    async function* broken(): AsyncGenerator<string> {
      yield "a\nb";
      throw new Error("EIO");
    }
    const lines = streamLines(broken());
    expect((await lines.next()).value).toBe("a");
    await expect(lines.next()).rejects.toThrow(IOError);
  });
});

describe("readLines", () => {
  it("leaves out blank lines and remarks", async () => {
    expect(await readLines(chunks("# calls\n DH1TW \r\n\r\nW1AW\rK1JT"))).toEqual(["DH1TW", "W1AW", "K1JT"]);
  });
});

describe("withInputLines", () => {
  it("puts the lines in place of the first -, and reads nothing without one", async () => {
    expect(await withInputLines(["A", "-", "B", "-"], () => chunks("C\nD\n"))).toEqual(["A", "C", "D", "B"]);
    const unasked = (): never => {
      throw new Error("asked");
    };
    expect(await withInputLines(["A"], unasked)).toEqual(["A"]);
  });
});
