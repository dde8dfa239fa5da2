/** docs/identity/failed-federated-logins.md lists every step and reason in the code, and no others. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import ts from "typescript";
import { describe, expect, it } from "vitest";

import { MAPPING_FAILURES } from "../../src/mappings/rules/mapping-failure.js";

const SOURCE = fileURLToPath(new URL("../../src/", import.meta.url));
const PAGE = readFileSync(
  new URL("../../../../docs/identity/failed-federated-logins.md", import.meta.url),
  "utf8",
);

/** Checks of protocols, results of test logins, records of logins, remedies, and options of the service reject nothing. */
const WITHOUT_REASONS =
  /^federation\/(?:(?:provider-checks|provider-health|failed-logins)\/|(?:provider-remedies|federation-options)\.ts$)/;

/** The choice of entities, schemas, checks and forms of settings, the lists of protocols, and the readers of what authors of rules paste. */
const OF_SETTINGS =
  /^federation\/protocols\/.*(?:-settings|-checks|(?:openid|saml2|settings)-form|\w+-kinds|pasted-\w+|settings-parts|protocol-type-routes|entity-(?:routes|lists|index)|\/index)\.ts$/;

/** Where rejections of federated logins, and log lines about them, are written. */
const FILES = [
  ...readdirSync(`${SOURCE}federation`, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `federation/${file}`),
  "platform/outgoing/outgoing-requests.ts",
].filter(
  (file) =>
    !/(?:websso-pages|discovery-page)\.ts$/.test(file) &&
    !WITHOUT_REASONS.test(file) &&
    !OF_SETTINGS.test(file),
);

/** Pages, and their content security policies. */
const MARKUP = /^(<|default-src)/;

/** Texts that are no reasons. */
const OTHER_TEXTS = [
  // Of test logins.
  "the identity provider is disabled: logins are rejected until it is enabled",
  // Where no protocol of the service has logout messages.
  "no protocol receives logout messages",
  // Names of purges.
  "used assertions and one-time ids",
  "sessions at providers",
  // Of statements.
  "(kind, id) in …",
  "delete from … where (…) in…",
  // Of responses, and of the API document.
  "You are not authorized to perform the requested action.",
  "Could not find role: …",
  "role: … must be within the same domain as the identity provider: …",
  "Request must have an origin query parameter",
  "Too many logins. Please try again later.",
  "This user has to log in with a further method too, which a login in a browser does not offer.",
  "Shows the service's SAML metadata",
  "The logout was rejected.",
  "Receives SAML logout messages",
  "Logs a user out, or receives a logout token",
  // Of the log.
  "metadata is too large to be kept for an outage of the provider",
  "federated logout refused",
  "Logs a browser in, and sends it to a dashboard with its token",
  "Logs in by an identity provider",
  "Sends the browser that asked for a test login to the provider",
  "federated login refused",
  // A cookie.
  "…=…; Path=…; Max-Age=…; HttpOnly; SameSite=Lax…",
  // Of checks that passed.
  "without a NameID",
  "NameID has the format ……",
  ": another one at each login, which identifies no user",
  // Metadata and settings are rejected with these when they are stored.
  'settings: "idp_metadata_xml" has a key that is …: …',
  "too weak to sign",
  "signatures by EC keys are verified only",
  "the token's user is not a federated user",
  "the protocol requires a browser",
  // Faults of this service's own code, and names of algorithms.
  "request body must be text",
  "a test login returned, and another login begins",
  "a transaction ended without its work",
  "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519",
];

/** Parts of reasons, in the place of a value. */
const PARTS = [
  // Of conditions that no assertion satisfied.
  "rules[…].remote[…]: … …",
  "does not pass …",
  "has no value of any_one_of",
  "has a value of not_any_of",
  "that no provider has",
  "the attribute that IDENTITY_REMOTE_ID_ATTRIBUTE names",
  "for assertions (IDENTITY_FORWARDED_ASSERTION_HEADER)",
  "one that does not exist",
  "…; and others",
  "… s since 1970",
  "…, now … (leeway … s)",
  "…, … (leeway … s)",
  "… s ago",
  "check the clocks of both",
  "; not used: …",
  "a malformed certificate",
  " at line …, column …",
  "… (certificate …)",
  "beyond the first … of … certificates to sign with",
  "… is not valid before …",
  "… expired at …",
  "…, … (leeway … s); check the clocks of both",
  "it names no certificate",
  // What openid-client expects of claims.
  "the client_id of the settings",
  "the issuer of the settings",
  "the user's id",
  // The provider's own words.
  "content type …",
  "(public ones, or those of ca_certificates)",
  ", StatusMessage …",
  ", StatusDetail …",
  // The value expected, in test logins.
  "valid at …",
];

/** Messages of jose and openid-client, or of several parts: other tests provoke them. */
const OTHER_REASONS = new Set([
  'unexpected "aud" claim value',
  'unexpected "iss" claim value',
  '"exp" claim timestamp check failed',
  '"nbf" claim timestamp check failed',
  'signature verification failed: "alg" is …, "kid" is …, expected a key of the JWKS, "kid" …',
  'no applicable key found in the JSON Web Key Set: "alg" is …, "kid" is …, expected a key of the JWKS, "kid" …',
  'missing required "aud" claim: missing, expected …',
  'JWT "…" (…) claim missing: expected …',
  "…: invalid_client; status …; …",
  "…: invalid_client; redirect URI sent: …; status …; error_description …",
  "group ignored",
  "InResponseTo is …: the login is unknown, …",
  "InResponseTo is …: the login began at another provider",
  "InResponseTo is …: the login was finished before (replayed)",
  "the user's … contains the … U+…",
  "the user's … has more than … characters",
  "mapping …, …: no-rule-matched",
  "mapping …, …: no-such-value",
]);

interface Found {
  readonly text: string;
  readonly file: string;
}

/** Texts of three words or more, with `…` for values, and the names of steps. */
function readSource(file: string): { readonly texts: Found[]; readonly steps: string[] } {
  const source = ts.createSourceFile(file, readFileSync(SOURCE + file, "utf8"), ts.ScriptTarget.Latest, true);
  const texts: Found[] = [];
  const steps: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isTrace(node)) return;
    const text = textOf(node);
    if (text !== undefined && text.trim().split(/\s+/).length > 2 && !MARKUP.test(text))
      texts.push({ text, file });
    steps.push(...stepOf(node));
    if (text === undefined || ts.isTemplateExpression(node)) ts.forEachChild(node, visit);
  };
  visit(source);
  return { texts, steps };
}

/** What a test login shows of checks that passed: `trace.passed(...)`, and functions such as `tracedGroups`. */
function isTrace(node: ts.Node): boolean {
  if (ts.isCallExpression(node)) return node.expression.getText().endsWith(".passed");
  return ts.isFunctionDeclaration(node) && /^traced?[A-Z]/.test(node.name?.text ?? "");
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("…");
}

/** `step: "mapping"`, `refusing("metadata", …)`, `refused("header", …)`. */
function stepOf(node: ts.Node): string[] {
  if (ts.isPropertyAssignment(node) && node.name.getText() === "step" && ts.isStringLiteral(node.initializer))
    return [node.initializer.text];
  if (!ts.isCallExpression(node) || !["refusing", "refused"].includes(node.expression.getText())) return [];
  const [first, second] = node.arguments;
  return first !== undefined && second !== undefined && ts.isStringLiteral(first) ? [first.text] : [];
}

/** Whether a text has a pattern's form, or is a part of the reason that a pattern describes. Values are `…` in both. */
function fits(text: string, pattern: string): boolean {
  return new RegExp(`^${formOf(pattern)}$`, "s").test(text) || new RegExp(formOf(text), "s").test(pattern);
}

function formOf(pattern: string): string {
  return pattern
    .split("…")
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
    .join(".*");
}

/** The codes of headings and of entries, up to the arrow: steps, messages and reasons. */
const documented = PAGE.split(/^(?=#|- )/m)
  .filter((part) => /^(?:### |- )/.test(part))
  .map((part) => part.split("→", 1).join())
  .flatMap((part) => Array.from(part.matchAll(/`([^`]+)`/g), ([, code = ""]) => code));
const patterns = documented.filter((code) => code.includes(" "));

const read = FILES.map(readSource);
const texts = read.flatMap((each) => each.texts);
const steps = new Set(read.flatMap((each) => each.steps));

describe("docs/identity/failed-federated-logins.md", () => {
  it("has every reason that the code gives", () => {
    const known = [...patterns, ...OTHER_TEXTS, ...PARTS];
    expect(texts.filter(({ text }) => !known.some((pattern) => fits(text, pattern)))).toEqual([]);
    expect(texts.length).toBeGreaterThan(100);
  });

  it("has every step", () => {
    expect([...steps].filter((step) => !documented.includes(step))).toEqual([]);
    expect(steps.size).toBeGreaterThan(20);
  });

  it("has no reason that the code does not give", () => {
    const own = patterns.filter((pattern) => !OTHER_REASONS.has(pattern));
    expect(own.filter((pattern) => !texts.some(({ text }) => fits(text, pattern)))).toEqual([]);
    expect(own.length).toBeGreaterThan(80);
  });

  it("has every failure of mappings", () => {
    const reasons = new Set(documented.map((code) => code.split(": ").at(-1)));
    expect(MAPPING_FAILURES.filter((failure) => !reasons.has(failure))).toEqual([]);
  });

  it("would notice a new reason", () => {
    const invented = "the moon is in the wrong phase: …, expected …";
    expect(patterns.filter((pattern) => fits(invented, pattern))).toEqual([]);
  });
});
