import { X509Certificate } from "node:crypto";

import { expect, it } from "vitest";

import { certificateDatesFault } from "../../../src/federation/protocols/saml2/provider-certificates.js";
import { newSigner, NOW } from "./test-provider.js";

const FROM = NOW - 1000;
const UNTIL = NOW + 86_400_000;

// RFC 5280, 4.1.2.5: from notBefore through notAfter, inclusive.
it.each([
  [FROM - 1, " is not valid before 2026-11-21T11:59:59Z"],
  [FROM, undefined],
  [UNTIL, undefined],
  [UNTIL + 1, " expired at 2026-11-22T12:00:00Z"],
])("a certificate is within its dates, both included: at %i", (now, fault) => {
  const certificate = new X509Certificate(newSigner().certificate);
  const found = certificateDatesFault(certificate, now);
  expect(found?.replace(/^certificate sha256:[0-9a-f]{64}/, "")).toBe(fault);
});
