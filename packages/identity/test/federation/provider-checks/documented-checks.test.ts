/** The table of checks in the documentation is complete. */
import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

import { startProvider } from "../openid/test-provider.js";
import { metadata, newSigner } from "../saml/test-provider.js";
import { samlReader } from "../../../src/federation/protocols/saml2/saml-reader.js";
import type { ForwardedSettings } from "../../../src/federation/protocols/forwarded/forwarded-settings.js";
import type { AnyOpenIdSettings } from "../../../src/federation/protocols/openid/openid-settings.js";
import type { Saml2Settings } from "../../../src/federation/protocols/saml2/saml2-settings.js";
import { compileMapping } from "../../../src/mappings/rules/compile-mapping.js";
import { PROTOCOL_TYPES } from "../protocol-types.js";
import { checkWith, protocolChecks } from "./checked-protocol.js";

const DOCUMENT = new URL("../../../../../docs/identity/protocol-checks.md", import.meta.url);

/** The names in the first column of the table. */
function documented(): string[] {
  const rows = readFileSync(DOCUMENT, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  return rows.flatMap((row) =>
    Array.from((row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g), ([, name = ""]) => name),
  );
}

it("docs/identity/protocol-checks.md lists all checks, and no others", async () => {
  const op = await startProvider();
  const signer = newSigner();
  const pem = signer.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const settings: readonly (AnyOpenIdSettings | Saml2Settings | ForwardedSettings)[] = [
    { type: "openid", issuer: op.issuer, client_id: "x" },
    { type: "saml2", idp_metadata_xml: metadata(), sp_certificate: signer.certificate, sp_private_key: pem },
    { type: "forwarded" },
  ];
  // Settings of each type that have all of its checks.
  expect(settings.map(({ type }) => type)).toEqual(PROTOCOL_TYPES.map(({ type }) => type));
  const reader: typeof samlReader = {
    ...samlReader,
    readMetadata: async (task) => ({
      ...(await samlReader.readMetadata(task)),
      validUntil: Date.now() + 60_000,
      cacheMs: undefined,
    }),
  };
  // By a name that may change, of which one check warns.
  const rules = [{ local: [{ user: { name: "{0}" } }], remote: [{ type: "mail" }] }];
  const mappings = {
    get: async (id: string) => ({ id, rules, schemaVersion: "1.0" as const }),
    getCompiled: async () => compileMapping({ rules }),
  };
  const reports = await Promise.all(
    settings.map((each) => checkWith(protocolChecks({ reader, mappings }), each)),
  );
  await op.close();
  const names = new Set(reports.flatMap(({ checks }) => checks.map(({ check }) => check)));
  expect(documented().toSorted()).toEqual([...names].toSorted());
});
