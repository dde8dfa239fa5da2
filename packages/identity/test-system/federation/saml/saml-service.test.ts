/** SAML from the configuration of providers to a login by browser, keystoneauth and `openstack`. */
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { postgresDatabases, sqliteDatabases } from "../../../test/databases.js";
import { newSigner } from "../../../test/federation/saml/test-provider.js";
import { runProgram } from "../../run-program.js";
import { USER, type PartyOptions, type ProviderParty } from "./provider-party.js";
import { startPysaml2 } from "./pysaml2-provider.js";
import {
  sendUnsignedRequest,
  logInAtProvider,
  protocolPath,
  startSamlService,
  type SamlService,
} from "./saml-service.js";
import { startSamlify } from "./samlify-provider.js";

const DASHBOARD = "http://127.0.0.1:1/dashboard";
const PROGRAMS = [
  { program: "pysaml2", start: startPysaml2 },
  { program: "samlify", start: startSamlify },
] as const;
const WAYS: readonly { readonly way: string; readonly options: Omit<PartyOptions, "signer"> }[] = [
  { way: "that signs assertions", options: {} },
  { way: "that signs responses too, and takes forms", options: { signsResponse: true, post: true } },
  { way: "that encrypts assertions", options: { encrypt: true } },
];
const KINDS = PROGRAMS.flatMap(({ program, start }) =>
  WAYS.map(({ way, options }, index) => ({ id: `${program}${index}`, program, way, start, options })),
);
/** The first of each program. */
const SPEAKING_SOAP = new Set(PROGRAMS.map(({ program }) => `${program}0`));

for (const databases of [sqliteDatabases, postgresDatabases])
  describe(`SAML, with ${databases.name}`, () => {
    let service: SamlService;
    beforeAll(async () => {
      service = await startSamlService(databases, { IDENTITY_TRUSTED_DASHBOARDS: DASHBOARD });
    });
    afterAll(() => service.close());

    describe.each(KINDS)("and a provider of $program $way", ({ id, start, program, options }) => {
      let party: ProviderParty;
      beforeAll(async () => {
        party = await start({ signer: newSigner(), ...options });
        await service.introduce(id, party);
      });
      afterAll(() => party.close());

      it("logs in a browser, once", async () => {
        const url = `${service.url}${protocolPath(id)}/auth`;
        const { action, ...form } = await logInAtProvider(url, party);
        expect(action).toBe(url);
        const entered = await fetch(action, { method: "POST", ...form });
        expect(entered.status).toBe(201);
        expect(await entered.json()).toMatchObject({
          token: {
            methods: ["saml2"],
            user: { name: "alice", "OS-FEDERATION": { identity_provider: { id } } },
          },
        });
        expect((await fetch(action, { method: "POST", ...form })).status).toBe(401);
      });

      it("rejects a Response that was changed in transit", async () => {
        const { action, body, headers } = await logInAtProvider(
          `${service.url}${protocolPath(id)}/auth`,
          party,
        );
        const xml = Buffer.from(body.get("SAMLResponse") ?? "", "base64").toString();
        // Encrypted text can't be changed in place: its end is cut off instead.
        const changed =
          options.encrypt === true
            ? xml.replace(/.{8}(<\/[\w:]*CipherValue>)/, "AAAAAAAA$1")
            : xml.replaceAll(">alice<", ">admin<");
        expect(changed).not.toBe(xml);
        const form = new URLSearchParams({ SAMLResponse: Buffer.from(changed).toString("base64") });
        const entered = await fetch(action, { method: "POST", body: form, headers });
        expect(entered.status).toBe(401);
      });

      it("has the provider refuse a request that was not signed", async () => {
        const answer = await sendUnsignedRequest(`${service.url}${protocolPath(id)}/auth`, party);
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(await answer.text()).toMatch(/signed|signature|_SIG_/i);
      });

      it("sends a browser to the dashboard that it came from, with a token", async () => {
        const path = `/v3/auth/OS-FEDERATION/identity_providers/${id}/protocols/saml2/websso?origin=${encodeURIComponent(DASHBOARD)}`;
        const { action, ...form } = await logInAtProvider(service.url + path, party);
        const entered = await fetch(action, { method: "POST", ...form });
        const page = await entered.text();
        expect({ status: entered.status, isForm: page.includes(`action="${DASHBOARD}"`) }).toEqual({
          status: 200,
          isForm: true,
        });
        expect(page).toMatch(/name="token"[^>]* value="gAAAA/);
      });

      // Providers that accept redirects: pysaml2 rewrites a SOAP request, and would miss a required signature.
      if (!SPEAKING_SOAP.has(id)) return;
      it("logs in keystoneauth's v3samlpassword, with the right password", async () => {
        const script = fileURLToPath(new URL("keystoneauth-saml.py", import.meta.url));
        const input = JSON.stringify({
          url: service.url,
          idp: `${party.url}/ecp`,
          provider: id,
          passwords: [USER.password, "wrong"],
        });
        const { output, errors } = await runProgram(["/usr/bin/python3", script], {
          input,
          env: { NO_PROXY: "127.0.0.1", PYTHONDONTWRITEBYTECODE: "1" },
        });
        if (output === "") throw new Error(errors);
        expect(JSON.parse(output)).toEqual([
          { user: "alice", methods: ["saml2"] },
          { error: "AuthorizationFailure" },
        ]);
      });

      // The command does what keystoneauth does: it takes seconds, and once will do.
      if (program !== "pysaml2") return;
      it("logs in the openstack command, with v3samlpassword", async () => {
        const { output, errors } = await runProgram(
          ["/usr/bin/openstack", "token", "issue", "-f", "json", "-c", "id"],
          {
            env: {
              OS_AUTH_TYPE: "v3samlpassword",
              OS_AUTH_URL: `${service.url}/v3`,
              OS_IDENTITY_PROVIDER: id,
              OS_PROTOCOL: "saml2",
              OS_IDENTITY_PROVIDER_URL: `${party.url}/ecp`,
              OS_USERNAME: USER.username,
              OS_PASSWORD: USER.password,
              OS_IDENTITY_API_VERSION: "3",
              NO_PROXY: "127.0.0.1",
            },
          },
        );
        expect(errors).toBe("");
        const { id: token } = JSON.parse(output) as { id: string };
        expect(await service.read(token)).toMatchObject({
          token: { methods: ["saml2"], user: { name: "alice" } },
        });
      });
    });
  });
