import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";

import { withStatus } from "../../../src/cli/terminal/progress.js";
import { toJson } from "../../../src/cli/session.js";
import { toPrintable } from "../../../src/cli/terminal/terminal.js";

describe("toPrintable", () => {
  it("writes what can't be shown as escapes", () => {
    expect(
      toPrintable("a\u0000b\u001b[1mc\u007fd\u009be\nf\tg\u00adh\u2028i\u202ej\ufeffk\ud800l\u{e0001}m"),
    ).toBe("a\\x00b\\x1b[1mc\\x7fd\\x9be\\nf\\tg\\xadh\\u{2028}i\\u{202e}j\\u{feff}k\\u{d800}l\\u{e0001}m");
  });

  it("leaves letters, signs and emoji as they are", () => {
    expect(toPrintable("Ñandú 東京 48° 😀")).toBe("Ñandú 東京 48° 😀");
  });
});

describe("toJson", () => {
  it("is plain text for a terminal and the same value for a program, whatever is in it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const json = toJson({ text });
        expect(json.split("\n").map(toPrintable).join("\n")).toBe(json);
        expect(JSON.parse(json)).toEqual({ text });
      }),
    );
  });
});

describe("withStatus", () => {
  /** A task of some seconds, and what is written on standard error while it runs. */
  async function written(seconds: number, isTerminal: boolean): Promise<{ value: string; text: string }> {
    vi.useFakeTimers();
    try {
      let text = "";
      const stderr = {
        write: (part: string) => (text += part),
        ready: async () => true,
        isTerminal,
        columns: 80,
      };
      const task = new Promise<string>((resolve) => setTimeout(() => resolve("done"), seconds * 1000));
      const pending = withStatus({ stderr, env: {} }, "Loading", task);
      await vi.advanceTimersByTimeAsync(seconds * 1000);
      const value = await pending;
      await vi.advanceTimersByTimeAsync(5000);
      return { value, text };
    } finally {
      vi.useRealTimers();
    }
  }

  it("shows a line with a dot for each second while a task runs, and removes it", async () => {
    expect(await written(2.5, true)).toEqual({ value: "done", text: "Loading ...\r\u001B[K" });
  });

  it("shows nothing for a short task, and nothing without a terminal", async () => {
    expect(await written(0.2, true)).toEqual({ value: "done", text: "" });
    expect(await written(2.5, false)).toEqual({ value: "done", text: "" });
  });
});
