/** Errors in log lines. */
import { expect, it } from "vitest";

import { errorText } from "../../src/federation/error-text.js";

it("names the causes of an error, by their code where Node gives no message", () => {
  // As net.connect reports it if all addresses of a host refuse.
  const refused = Object.assign(new AggregateError([], ""), { code: "ECONNREFUSED" });
  const failed = new TypeError("request to idp.example.org: no response", { cause: refused });
  expect(errorText(failed)).toBe("request to idp.example.org: no response (ECONNREFUSED)");
  expect(errorText(new Error("outer", { cause: failed }))).toBe(
    "outer (request to idp.example.org: no response (ECONNREFUSED))",
  );
  expect(errorText("text")).toBe("unknown error");
});
