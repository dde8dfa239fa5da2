/** A planned change of SimpleSAMLphp's key: both certificates are published before the new key signs, so that no login fails. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../../test/databases.js";
import { newSigner } from "../../../test/federation/saml/test-provider.js";
import { createFormBrowser } from "../form-browser.js";
import { USER } from "../saml/provider-party.js";
import { protocolPath, startSamlService, type SamlService } from "../saml/saml-service.js";
import { startSimpleSamlPhp, type SimpleSamlPhp } from "./simplesamlphp.js";

const PATH = protocolPath("rollover");

describe("a change of SimpleSAMLphp's key", () => {
  let service: SamlService;
  let party: SimpleSamlPhp;
  beforeAll(async () => {
    service = await startSamlService(sqliteDatabases, {
      IDENTITY_ALLOW_HTTP_ISSUERS: "on",
      IDENTITY_LOG_LEVEL: "info",
    });
    party = await startSimpleSamlPhp({ signer: newSigner() });
    await party.addKey("next", newSigner());
    await service.introduce("rollover", party, { idp_metadata_url: party.entityId });
  });
  afterAll(async () => {
    await party.close();
    await service.close();
  });

  /** As the service does each five minutes. @returns The number of signing certificates in the metadata. */
  async function refresh(): Promise<number> {
    await service.ask("POST", `${PATH}/refresh`);
    const metadata = await (await fetch(party.entityId)).text();
    return metadata.match(/<md:KeyDescriptor use="signing">/g)?.length ?? 0;
  }

  async function login(): Promise<number> {
    const browser = createFormBrowser();
    const page = await browser.submit(await browser.open(`${service.url}${PATH}/auth`), USER);
    return (await browser.submit(page, {})).status;
  }

  it("fails no login: the new key is trusted before it signs, and the old one until it is withdrawn", async () => {
    expect(await refresh()).toBe(1);
    expect(await login()).toBe(201);

    // The new certificate is published beside the old one, whose key goes on signing.
    await party.configure({ new_privatekey: "next.key", new_certificate: "next.pem" });
    expect(await refresh()).toBe(2);
    expect(await login()).toBe(201);

    // The new key signs: the service reads nothing again, and trusts it.
    const renewed = { privatekey: "next.key", certificate: "next.pem" };
    await party.configure(renewed);
    expect(await login()).toBe(201);

    // The service has read that the old certificate is gone: a thief of the old key gets no further.
    expect(await refresh()).toBe(1);
    expect(await login()).toBe(201);
    await party.configure({});
    const before = service.output().length;
    expect(await login()).toBe(401);
    await expect
      .poll(() => service.output().slice(before))
      .toMatch(/signature does not verify with any trusted certificate/);
  });
});
