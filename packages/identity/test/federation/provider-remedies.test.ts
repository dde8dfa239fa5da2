/** What is shown of a provider's refusal: its words, and what to do about those that are known. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { KNOWN_ANSWERS, providerAnswer, STANDARD_ANSWERS } from "../../src/federation/provider-remedies.js";
import { oauthWords } from "../../src/federation/provider-words.js";

const textsOf = (reason: string) => providerAnswer(reason).remedies?.map(({ text }) => text);

describe("the answer of a provider", () => {
  // As Microsoft's reference of error codes and Okta's and Keycloak's sources spell them.
  it.each([
    [
      "AADSTS7000215: Invalid client secret provided. Ensure the secret being sent is the value.",
      "AADSTS7000215",
    ],
    ["AADSTS50105: Your administrator has configured the application to block users.", "AADSTS50105"],
    ["AADSTS500113: No reply address is registered for the application.", "AADSTS500113"],
    ["User is not assigned to the client application.", "not assigned to the client application"],
    ["Invalid client or Invalid client credentials", "Invalid client or Invalid client credentials"],
    ["Invalid client credentials", "Invalid client credentials"],
    ["MSIS9622: Client authentication failed.", "MSIS9622"],
  ])("has its words and one remedy: %s", (description, text) => {
    const reason = `token request failed: error invalid_client; ${oauthWords({ error_description: description }).join("; ")}`;
    expect(providerAnswer(reason).provider_words).toBe(description);
    expect(textsOf(reason)).toEqual([text]);
  });

  it("has the standard's remedy where the provider's own words are not known", () => {
    const reason = `token request failed: error_description "client authentication failed"; status 401; error invalid_client`;
    expect(providerAnswer(reason)).toMatchObject({
      provider_words: "client authentication failed",
      remedies: [{ text: "error invalid_client", guide: "docs/identity/openid-connect.md" }],
    });
  });

  it("has the words of a SAML status, with quotes as they came", () => {
    const reason = String.raw`provider answered with status "x", StatusMessage "the \"name\" \\ is unknown", expected "y"`;
    expect(providerAnswer(reason)).toEqual({ provider_words: String.raw`the "name" \ is unknown` });
  });

  it("is empty where the provider said nothing, and names few remedies where it lists codes", () => {
    expect(providerAnswer("audience mismatch")).toEqual({});
    const all = KNOWN_ANSWERS.flatMap(({ rows }) => rows.map(([text]) => text)).join(", ");
    expect(textsOf(all)).toHaveLength(3);
  });
});

const OF_ANY = { guide: "../openid-connect", provider: "any provider", rows: STANDARD_ANSWERS };

describe.each([...KNOWN_ANSWERS, OF_ANY].map((known) => [known.guide, known] as const))(
  "docs/identity/providers/%s.md",
  (guide, { provider, rows }) => {
    it("has the table of its known answers", () => {
      const text = readFileSync(
        new URL(`../../../../docs/identity/providers/${guide}.md`, import.meta.url),
        "utf8",
      );
      const [, after = ""] = text.split(`\n## What ${provider} answers\n`);
      const [, ...shown] = (after.split("\n## ")[0] ?? "")
        .split("\n")
        .filter((line) => line.startsWith("|") && !line.startsWith("| -"))
        .map((line) =>
          line
            .split("|")
            .slice(1, -1)
            .map((cell) => cell.trim()),
        );
      expect(shown).toEqual(rows.map(([answer, ...others]) => [`\`${answer}\``, ...others]));
    });
  },
);
