/** Requests that fail before a response: the message names the cause, such as an expired certificate. */
import { generateKeyPairSync } from "node:crypto";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";

import { afterEach, describe, expect, it } from "vitest";

import { reasonOf } from "../../../src/federation/provider-checks/check.js";
import { errorText } from "../../../src/federation/provider-words.js";
import { createOutgoingFetch, type Lookup } from "../../../src/platform/outgoing/outgoing-requests.js";
import { selfSignedCertificate } from "../../../src/saml/self-signed-certificate.js";

const HOUR_MS = 3_600_000;
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const key = privateKey.export({ type: "pkcs8", format: "pem" });
/** By itself, from and until so many hours from now. */
function certificate(commonName: string, from = -1, until = 1): string {
  const now = Date.now();
  const der = selfSignedCertificate(privateKey, {
    commonName,
    from: now + from * HOUR_MS,
    until: now + until * HOUR_MS,
  });
  return `-----BEGIN CERTIFICATE-----\n${der
    .toString("base64")
    .match(/.{1,64}/g)
    ?.join("\n")}\n-----END CERTIFICATE-----\n`;
}

let server: Server | undefined;
afterEach(() => server?.close());
const here: Lookup = (_, __, done) => done(null, [{ address: "127.0.0.1", family: 4 }]);

async function failure(pem: string, authorities?: readonly string[], lookup = here): Promise<unknown> {
  const listening = createServer({ key, cert: pem }, (_, response) => response.end("found"));
  server = listening;
  await new Promise<void>((done) => listening.listen(0, "127.0.0.1", done));
  const { port } = listening.address() as AddressInfo;
  const fetch = createOutgoingFetch({ allowsHttp: false, allowsPrivate: () => true, authorities }, lookup);
  return fetch(`https://op.test:${port}/`, { method: "GET", headers: {} }).then(
    () => "answered",
    (error: unknown) => error,
  );
}

describe("a failed connection", () => {
  it.each([
    ["expired", certificate("op.test", -2, -1), "has expired (CERT_HAS_EXPIRED)"],
    ["not yet valid", certificate("op.test", 1, 2), "is not yet valid (CERT_NOT_YET_VALID)"],
    ["of another host", certificate("other.test"), "names other hosts (ERR_TLS_CERT_ALTNAME_INVALID)"],
  ])("names a certificate that is %s", async (_, pem, words) => {
    const error = await failure(pem, [pem]);
    for (const text of [errorText(error), reasonOf(error)])
      expect(text).toMatch(/^request to op\.test:\d+: no response: its TLS certificate /);
    expect(reasonOf(error)).toMatch(new RegExp(`${words.replaceAll(/[()]/g, String.raw`\$&`)}$`));
  });

  it("names a certificate of an unknown authority, and the setting", async () => {
    expect(reasonOf(await failure(certificate("op.test")))).toMatch(
      /is not issued by a known authority \(public ones, or those of ca_certificates\) \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/,
    );
  });

  it("names a host that does not resolve", async () => {
    const missing: Lookup = (host, _, done) =>
      done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND" }), []);
    const error = await failure(certificate("op.test"), undefined, missing);
    expect(reasonOf(error)).toMatch(/no response: its host name does not resolve \(ENOTFOUND\)$/);
    expect(errorText(error)).toContain("(getaddrinfo ENOTFOUND op.test)");
  });

  it("is none with a certificate that is trusted, valid, and of the host", async () => {
    const pem = certificate("op.test");
    expect(await failure(pem, [pem])).toBe("answered");
  });
});
