/** What an operator does in a day, by the file alone. */
import { afterAll, beforeAll, expect, it } from "vitest";

import { sqliteDatabases } from "../databases.js";
import { metadata, newSigner } from "../federation/saml/test-provider.js";
import { documentService, type DocumentService } from "./federation-file.js";

let service: DocumentService;
beforeAll(async () => {
  service = await documentService(sqliteDatabases);
});
afterAll(() => service.remove());

const DOMAIN = `version: 1
domains:
  - name: Lab
projects:
  - { domain: Lab, name: one }
  - { domain: Lab, name: two }
  - { domain: Lab, name: three }
groups:
  - { domain: Lab, name: admins }
  - { domain: Lab, name: readers }
grants:
  - { group: { name: admins, domain: Lab }, role: admin, domain: Lab }
  - { group: { name: admins, domain: Lab }, role: admin, domain: Lab, inherited: true }
  - { group: { name: readers, domain: Lab }, role: reader, domain: Lab, inherited: true }
`;
const AUDITORS = `  - { group: { name: auditors, domain: Lab }, role: reader, system: all }\n`;
const indented = (text: string) => text.trim().replaceAll("\n", "\n            ");
const provider = (...certificates: string[]) => `mappings:
  - { id: lab, rules: [{ local: [{ user: { name: "{0}" } }], remote: [{ type: NAME_ID }] }] }
identity_providers:
  - id: lab
    domain: Lab
    enabled: true
    protocols:
      - id: saml2
        mapping: lab
        settings:
          type: saml2
          idp_metadata_xml: |
            ${indented(metadata())}
          idp_certificates:
${certificates.map((each) => `          - |\n            ${indented(each)}\n`).join("")}`;

it("creates a domain with projects and groups, moves a certificate, and lets an auditor read", async () => {
  const [old, next] = [newSigner().certificate, newSigner().certificate];
  expect(await service.apply(DOMAIN + provider(old))).toContain("12 creates, 0 changes, 0 deletes");
  const rolling = await service.apply(DOMAIN + provider(old, next));
  expect(rolling).toMatch(/^~ protocol lab\/saml2\n {4}settings\.idp_certificates\[1\]: none -> /);
  expect(await service.apply(DOMAIN + provider(next))).toContain("0 creates, 1 change, 0 deletes");
  const audited = DOMAIN.replace("grants:", "  - { domain: Lab, name: auditors }\ngrants:") + AUDITORS;
  expect(await service.apply(audited)).toBe(
    "+ group Lab/auditors\n+ grant reader to Lab/auditors on the system\n2 creates, 0 changes, 0 deletes\n",
  );
  const text = await service.export();
  expect(await service.apply(text)).toBe("0 creates, 0 changes, 0 deletes\n");
  const other = await documentService(sqliteDatabases);
  try {
    await other.apply(text);
    // Projects that no grant and no limit names are the cloud's, and not exported.
    expect(await other.export()).toBe(text);
  } finally {
    await other.remove();
  }
});

it("shows what others have changed since, and puts it right", async () => {
  const before = await service.export();
  await service.apply("version: 1\nidentity_providers:\n  - { id: lab, domain: Lab, enabled: false }\n");
  expect(await service.plan(before)).toContain("~ identity provider lab\n    enabled: false -> true\n");
  await service.apply(before);
  expect(await service.export()).toBe(before);
});
