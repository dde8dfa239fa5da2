/** The service's own metadata: signed again when keys or protocols change, not per request. */
import { SignedXml } from "xml-crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi, type MockInstance } from "vitest";

import type { App } from "../../src/app.js";
import { createSamlKeys } from "../../src/saml/saml-keys.js";
import { systemClock } from "../../src/platform/clock.js";
import { toMasterKey } from "../../src/platform/secrets/sealing.js";
import { sqliteDatabases } from "../databases.js";
import { ADMIN_PASSWORD, testReplicas, type TestReplicas } from "../test-app.js";
import { PUBLIC_URL } from "../test-server.js";
import { metadata } from "../federation/saml/test-provider.js";

const URLS = ["/v3/OS-FEDERATION", "/v3/EXT-FEDERATION", "/EXT-FEDERATION"].map(
  (prefix) => `${prefix}/saml2/metadata`,
);
/** That of the services in tests. */
const MASTER_KEY = toMasterKey(Buffer.alloc(32, 7));
const [URL] = URLS as [string];
const PROVIDER = "/v3/OS-FEDERATION/identity_providers/acme";

describe(`the service's metadata, with ${sqliteDatabases.name}`, () => {
  let replicas: TestReplicas;
  let signs: MockInstance;
  let token: string;
  const one = () => replicas.apps[0] as App;
  const other = () => replicas.apps[1] as App;

  beforeAll(async () => {
    replicas = await testReplicas(sqliteDatabases, 2, {});
    signs = vi.spyOn(SignedXml.prototype, "computeSignature");
    const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
    const identity = { methods: ["password"], password: { user } };
    const auth = { identity, scope: { system: { all: true } } };
    const login = await one().server.inject({ method: "POST", url: "/v3/auth/tokens", payload: { auth } });
    token = String(login.headers["x-subject-token"]);
    await ask("PUT", "/v3/OS-FEDERATION/mappings/acme", {
      mapping: { rules: [{ remote: [{ type: "NAME_ID" }], local: [{ user: { name: "{0}" } }] }] },
    });
    await ask("PUT", PROVIDER, { identity_provider: { enabled: true } });
  });
  afterEach(() => signs.mockClear());
  afterAll(async () => {
    signs.mockRestore();
    await replicas.remove();
  });

  async function ask(method: "PUT" | "PATCH" | "DELETE" | "POST", url: string, payload?: object) {
    const headers = { "x-auth-token": token };
    const answer = await one().server.inject({ method, url, headers, ...(payload && { payload }) });
    if (answer.statusCode >= 400) throw new Error(answer.body);
  }
  const read = async (app = one(), url = URL) => (await app.server.inject({ url })).body;
  const putProtocol = (id: string) =>
    ask("PUT", `${PROVIDER}/protocols/${id}`, {
      protocol: { mapping_id: "acme", settings: { type: "saml2", idp_metadata_xml: metadata() } },
    });

  it("is signed once for a thousand requests, at all its addresses", async () => {
    const first = await read();
    expect(first).toContain("<ds:SignatureValue>");
    signs.mockClear();
    for (let round = 0; round < 100; round++)
      expect(new Set(await Promise.all(URLS.map((url) => read(one(), url))))).toEqual(new Set([first]));
    await Promise.all(Array.from({ length: 700 }, async () => read()));
    expect(signs).not.toHaveBeenCalled();
  });

  it("is not signed again after other changes", async () => {
    const first = await read();
    await ask("POST", "/v3/regions", { region: {} });
    await ask("POST", "/v3/users", { user: { name: "kim", domain_id: "default", password: "kimpw" } });
    expect(await read()).toBe(first);
    expect(signs).not.toHaveBeenCalled();
  });

  it("has a protocol from its creation to its deletion, on the other replica too", async () => {
    const acs = `Location="${PUBLIC_URL}${PROVIDER}/protocols/late/auth"`;
    expect(await read(other())).not.toContain(acs);
    await putProtocol("late");
    expect(await read()).toContain(acs);
    await expect.poll(() => read(other())).toContain(acs);
    // A provider that is being set up is disabled: the other side has to know the address already.
    await ask("PATCH", PROVIDER, { identity_provider: { enabled: false } });
    expect(await read()).toContain(acs);
    await ask("PATCH", PROVIDER, { identity_provider: { enabled: true } });
    expect(await read()).toContain(acs);
    await ask("DELETE", `${PROVIDER}/protocols/late`);
    expect(await read()).not.toContain(acs);
    await expect.poll(() => read(other())).not.toContain(acs);
  });

  it("has a new key as soon as keys are rotated, by another process too", async () => {
    const before = await read();
    const { database } = other();
    const keys = createSamlKeys({ database, masterKey: MASTER_KEY, clock: systemClock, commonName: "x" });
    const { signing, keys: ring } = await keys.rotate();
    const certificates = ring.map(({ certificate }) => certificate.raw.toString("base64"));
    expect(certificates.filter((certificate) => !before.includes(certificate))).toHaveLength(1);
    for (const app of [one(), other()])
      await expect.poll(async () => certificatesIn(await read(app))).toEqual(new Set(certificates));
    expect(signing.number).toBe(2);
  });
});

function certificatesIn(xml: string): Set<string> {
  const descriptors = xml.replace(/<ds:Signature .*?<\/ds:Signature>/s, "");
  return new Set(Array.from(descriptors.matchAll(/<ds:X509Certificate>([^<]*)</g), ([, text = ""]) => text));
}
