/** The message of an error with those of its causes. */
import { describe, expect, it } from "vitest";

import { messageOf } from "../../src/platform/errors.js";

describe("messageOf", () => {
  const missing = new Error("ENOENT: no such file");

  it("has the causes in parentheses", () => {
    const refused = new Error("login failed", { cause: new Error("no answer", { cause: missing }) });
    expect(messageOf(refused)).toBe("login failed (no answer (ENOENT: no such file))");
  });

  it("says once what the message has already: the commands printed the reason of an unreadable file twice", () => {
    const unreadable = new Error("a.conf can't be read: ENOENT: no such file", { cause: missing });
    expect(messageOf(unreadable)).toBe("a.conf can't be read: ENOENT: no such file");
  });
});
