/** Providers with weak keys: their signatures are rejected. */
import { createPrivateKey } from "node:crypto";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../databases.js";
import { adminService, type AdminService } from "./admin-service.js";
import { samlLogin, type SamlLogin } from "./saml-login.js";
import { metadata, newSigner, NOW, PROVIDER, signedResponse, type Signer } from "./test-provider.js";

const WEAK = [512, 1024, 2040].map((bits) => ({ bits, signer: newSigner(bits) }));
const weak = newSigner(1024);

/** By `openssl req -x509` for `openssl ecparam -name prime192v1 -genkey`, and the same for secp224r1. */
const EC_CERTIFICATES = {
  "192 bits (prime192v1)": `-----BEGIN CERTIFICATE-----
MIIBXDCCAROgAwIBAgIUSyligRnvVDGFbFO2IRoahIVHAY4wCgYIKoZIzj0EAwIw
EzERMA8GA1UEAwwIcHJvdmlkZXIwIBcNMjYxMTIyMDgzNzM4WhgPMjEyNjEwMjkw
ODM3MzhaMBMxETAPBgNVBAMMCHByb3ZpZGVyMEkwEwYHKoZIzj0CAQYIKoZIzj0D
AQEDMgAEKDIcageYwdumThbHCen3+P+8tIV1cNI44x4yF4YOEhxj5HvLGupmU6jv
J91HAX9bo1MwUTAdBgNVHQ4EFgQUcylAad0RfsfxKMHVWUEDfra515gwHwYDVR0j
BBgwFoAUcylAad0RfsfxKMHVWUEDfra515gwDwYDVR0TAQH/BAUwAwEB/zAKBggq
hkjOPQQDAgM3ADA0AhgHvODBybSHs2R9VR7C++Vz+4UdHH+ecBoCGHiGiF29YGOO
x6DX9Thr8y710NgL7OCWBQ==
-----END CERTIFICATE-----
`,
  "224 bits (secp224r1)": `-----BEGIN CERTIFICATE-----
MIIBajCCARigAwIBAgIUMGcOwPCB8lwpDi2mqcdqilCwGvMwCgYIKoZIzj0EAwIw
EzERMA8GA1UEAwwIcHJvdmlkZXIwIBcNMjYxMTIyMDgzNzM4WhgPMjEyNjEwMjkw
ODM3MzhaMBMxETAPBgNVBAMMCHByb3ZpZGVyME4wEAYHKoZIzj0CAQYFK4EEACED
OgAEqdj3zy5vz1rvNU7hPy0WlQlIOSi1DU14YTjgEB0F4qd33awCnUyTCm9prmmw
IIBPfG2tueoz4v+jUzBRMB0GA1UdDgQWBBScdgnFfzbu8vpIErBOYiW3vDWeizAf
BgNVHSMEGDAWgBScdgnFfzbu8vpIErBOYiW3vDWeizAPBgNVHRMBAf8EBTADAQH/
MAoGCCqGSM49BAMCA0AAMD0CHQCt5f3W/4ToO0GvURgy5NMg5sk7V0i3KaUeOOvV
AhxtcQ09UoFhoVspCKbhUfahuZaF2q5tnBwv7nXG
-----END CERTIFICATE-----
`,
};

const DESCRIPTOR = /<md:KeyDescriptor.*<\/md:KeyDescriptor>/;
/** Metadata of a provider with several keys. */
function metadataOf(first: Signer, second: Signer): string {
  const [added = ""] = DESCRIPTOR.exec(metadata(second)) ?? [];
  return metadata(first).replace(DESCRIPTOR, (own) => own + added);
}
const pem = (key: Signer["privateKey"]) => key.export({ type: "pkcs8", format: "pem" }).toString();

describe("a login by a provider whose key is too weak", () => {
  let login: SamlLogin;
  let count = 0;
  beforeAll(async () => {
    login = await samlLogin(sqliteDatabases);
  });
  beforeEach(() => login.setNow(NOW));
  afterAll(() => login.close());

  async function logIn(signer: Signer) {
    const { id, cookie } = await login.begin();
    const assertionId = `_weak${++count}`;
    return login.post(signedResponse({ inResponseTo: id, assertionId }, { of: assertionId, signer }), {
      cookie,
    });
  }

  it.each(WEAK)("of $bits bits in the metadata is rejected and logged", async ({ bits, signer }) => {
    login.setSettings({ idp_metadata_xml: metadata(signer) });
    await expect(logIn(signer)).rejects.toMatchObject({
      facts: {
        step: "signature",
        reason: expect.stringContaining(
          `expected none (the provider's metadata); not used: RSA key of ${bits} bits, expected at least 2048 (certificate sha256:`,
        ) as string,
      },
    });
  });

  it("is refused where the certificate is pinned", async () => {
    login.setSettings({ idp_certificates: [weak.certificate] });
    await expect(logIn(weak)).rejects.toThrow(/not used: RSA key of 1024 bits/);
  });

  it("is refused beside a good key of the provider, which counts", async () => {
    login.setSettings({ idp_metadata_xml: metadataOf(weak, PROVIDER) });
    await expect(logIn(weak)).rejects.toThrow(/not used: RSA key of 1024 bits/);
    expect((await logIn(PROVIDER)).attributes).toMatchObject({ NAME_ID: "alice" });
  });
});

describe("settings of a protocol with a key that is too weak", () => {
  const PROTOCOL = "/v3/OS-FEDERATION/identity_providers/acme/protocols";
  let service: AdminService;
  let token: string;
  beforeAll(async () => {
    service = await adminService(sqliteDatabases);
    token = await service.login("admin", { system: { all: true } }, "adminpw");
    await service.admin("PUT", "/v3/OS-FEDERATION/mappings/acme", {
      mapping: { rules: [{ remote: [{ type: "NAME_ID" }], local: [{ user: { name: "{0}" } }] }] },
    });
    await service.admin("PUT", "/v3/OS-FEDERATION/identity_providers/acme", {
      identity_provider: { enabled: true, domain_id: "default" },
    });
    await send("PUT", "kept", { type: "saml2", idp_metadata_xml: metadata() });
  });
  afterAll(() => service.remove());

  async function send(method: "PUT" | "PATCH", id: string, settings: object) {
    const answer = await service.ask(
      method,
      `${PROTOCOL}/${id}`,
      { protocol: { mapping_id: "acme", settings } },
      token,
    );
    const { error } = answer.json<{ error?: { message: string } }>();
    return [answer.statusCode, error?.message] as const;
  }
  const saml = (others: object) => ({ type: "saml2", idp_metadata_xml: metadata(), ...others });
  const RSA_1024 = "RSA key of 1024 bits, expected at least 2048";

  const REFUSED: readonly (readonly [string, object, string])[] = [
    [
      "metadata",
      saml({ idp_metadata_xml: metadata(weak) }),
      `settings: "idp_metadata_xml" has a key that is too weak to sign: ${RSA_1024} (certificate sha256:`,
    ],
    [
      "metadata with a good key too",
      saml({ idp_metadata_xml: metadataOf(PROVIDER, weak) }),
      `settings: "idp_metadata_xml" has a key that is too weak to sign: ${RSA_1024} (certificate sha256:`,
    ],
    [
      "a pinned certificate",
      saml({ idp_certificates: [PROVIDER.certificate, weak.certificate] }),
      `settings: "idp_certificates[1]" has an ${RSA_1024}`,
    ],
    [
      "a pinned signer of the metadata",
      saml({ idp_metadata_certificates: [PROVIDER.certificate, weak.certificate] }),
      `settings: "idp_metadata_certificates[1]" has an ${RSA_1024}`,
    ],
    ...Object.entries(EC_CERTIFICATES).map(
      ([what, certificate]) =>
        [
          `a pinned certificate of EC with ${what}`,
          saml({ idp_certificates: [certificate] }),
          `settings: "idp_certificates[0]" has an EC key of ${what}, expected a curve of at least 256`,
        ] as const,
    ),
    [
      "what is no certificate",
      saml({ idp_certificates: ["-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"] }),
      'settings: "idp_certificates[0]" is no X.509 certificate in PEM',
    ],
    [
      "a certificate of the service's own",
      saml({ sp_certificate: weak.certificate, sp_private_key: pem(weak.privateKey) }),
      `settings: "sp_certificate" has an ${RSA_1024}`,
    ],
    [
      "a key of the service's own",
      saml({ sp_certificate: PROVIDER.certificate, sp_private_key: pem(weak.privateKey) }),
      `settings: "sp_private_key" has an ${RSA_1024}`,
    ],
    [
      "a client's key",
      {
        type: "openid",
        issuer: "https://op.example.org",
        client_id: "c",
        client_private_key: pem(weak.privateKey),
      },
      `settings: "client_private_key" has an ${RSA_1024}`,
    ],
  ];

  it.each(REFUSED)("are refused when they are sent: %s", async (_, settings, message) => {
    for (const [method, id] of [
      ["PUT", "new"],
      ["PATCH", "kept"],
    ] as const)
      expect(await send(method, id, settings)).toEqual([400, expect.stringContaining(message)]);
    const { protocol } = await service.admin<{ protocol: { settings: object } }>("GET", `${PROTOCOL}/kept`);
    expect(protocol.settings).toMatchObject({ idp_metadata_xml: metadata() });
  });

  it("leave strong ones alone, and metadata that can't be read before its address is right", async () => {
    const key = pem(createPrivateKey(pem(PROVIDER.privateKey)));
    const own = { sp_certificate: PROVIDER.certificate, sp_private_key: key };
    expect(await send("PUT", "good", saml(own))).toEqual([201, undefined]);
    expect(await send("PATCH", "good", saml({ idp_metadata_xml: "<later/>" }))).toEqual([200, undefined]);
  });
});
