/** Secrets in what providers say. */
import { describe, expect, it } from "vitest";

import { errorText, masked } from "../../src/federation/provider-words.js";
import { cpuMs } from "../cpu-time.js";

describe("a provider's words", () => {
  it.each([
    ['{"access_token":"abc","expires_in":60}', '{"access_token":"***","expires_in":60}'],
    ['{"refresh_token" : "a b', '{"refresh_token" : "***'],
    ["{'client_secret': 'x'}", "{'client_secret': '***'}"],
    [String.raw`{\"id_token\":\"x\"}`, String.raw`{\"id_token\":\"***\"}`],
    ["&quot;password&quot;:&quot;hunter2&quot;", "&quot;password&quot;:&quot;***&quot;"],
    ["grant_type=x&code=4/0AX4&client_secret=s&state=1", "grant_type=x&code=***&client_secret=***&state=1"],
    ["Authorization: Basic aWQ6c2VjcmV0", "Authorization: Basic ***"],
    ["token: tok_81723612", "token: ***"],
    ["got Cookie: session=abc; other=def", "got Cookie: ***"],
    ["Set-Cookie: sid=abc; HttpOnly", "Set-Cookie: ***"],
    ['{"cookie":"sid=abc","a":1}', '{"cookie":"***","a":1}'],
    ["sent Bearer opaque-token.x", "sent Bearer ***"],
    ["see https://u:p@host/a?b=c#d now", "see https://***@host/a?*** now"],
    ["see postgres://u:p@host now", "see postgres://***@host now"],
    ["eyJhbGciOiJkaXIifQ..iv.ct.tag", "***"],
    [`x ${"a1".repeat(20)} y`, "x *** y"],
  ])("have no secrets: %s", (text, expected) => {
    expect(masked(text)).toBe(expected);
  });

  it.each([
    "AADSTS7000222: The provided client secret keys for app '6c9e0c86-7d5e-4c43-9ba5-6bd6e1e3a0a5' are expired.",
    "Trace ID: 0e7c6b9c-5d7f-4f0e-8a43-3a5d5d0e0a00 Correlation ID: 6c9e0c86-7d5e-4c43-9ba5-6bd6e1e3a0a5",
    "invalid token: expired",
    "Error code: 50105",
    '{"error":{"code":"unsupported_country_region_territory"}}',
    "Basic authentication is required",
    "see https://login.example.com/error",
    "kim@example.org is not assigned",
  ])("stay as they are: %s", (text) => {
    expect(masked(text)).toBe(text);
  });

  it("have no secret of the request in any encoding, nor a part of one where they are cut off", () => {
    const secret = 'p"ä/ ~~~~~~~';
    for (const text of [
      secret,
      JSON.stringify(secret),
      encodeURIComponent(secret),
      Buffer.from(secret).toString("base64"),
    ])
      expect(masked(`a ${text} b`, [secret])).toMatch(/^a "?\*\*\*"?=* b$/);
    expect(masked(`${"word ".repeat(799)}abc-secret-xyz`, ["abc-secret-xyz"])).not.toContain("abc");
  });

  it("take linear time, whatever they are", () => {
    const started = cpuMs();
    for (const text of ["a://", "token:", "eyJ.", "a1", "token=", 'secret"', "-a", "Basic "])
      masked(text.repeat(200_000));
    expect(cpuMs() - started).toBeLessThan(1000);
  });
});

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
