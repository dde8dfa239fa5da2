import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

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
