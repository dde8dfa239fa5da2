/** lasso, the library of mod_auth_mellon, as service provider and as identity provider. */
import type { LightMyRequestResponse } from "fastify";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../../test/databases.js";
import {
  alice,
  adminService,
  assertionFor,
  type AdminService,
} from "../../../test/federation/saml/admin-service.js";
import { ISSUER, metadata, newSigner, type Signer } from "../../../test/federation/saml/test-provider.js";
import { PUBLIC_URL } from "../../../test/test-server.js";
import { askPython } from "../../python.js";

const ENTITY = `${PUBLIC_URL}/v3/OS-FEDERATION/saml2/idp`;
const SP_URL = "https://sp.example.com/mellon/postResponse";
const PROVIDER = "/v3/OS-FEDERATION/identity_providers/lasso";
const PROTOCOL = `${PROVIDER}/protocols/saml2`;
const AUTH = `${PROTOCOL}/auth`;
const RULES = [
  {
    remote: [{ type: "uid" }, { type: "groups", any_one_of: ["staff"] }],
    local: [{ user: { name: "{0} of lasso" } }],
  },
];

type Binding = "redirect" | "post" | "paos";

/** What lasso answers: what was refused has nothing else. */
interface Answer {
  readonly refused?: string;
  readonly message?: string;
  readonly url?: string;
}

interface Question {
  readonly role: "service provider" | "identity provider";
  readonly binding: Binding;
  readonly message: string;
  /** Lasso's own metadata. */
  readonly own: string;
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("lasso", () => {
  let service: AdminService;
  let signer: Signer;
  let ourMetadata: string;
  beforeAll(async () => {
    service = await adminService(sqliteDatabases);
    signer = newSigner();
    await service.admin("PUT", "/v3/OS-FEDERATION/service_providers/lasso", {
      service_provider: { auth_url: SP_URL, sp_url: SP_URL, enabled: true },
    });
    await service.admin("PUT", "/v3/OS-FEDERATION/mappings/lasso", { mapping: { rules: RULES } });
    await service.admin("PUT", PROVIDER, {
      identity_provider: { enabled: true, domain_id: "default", remote_ids: [ISSUER] },
    });
    await service.admin("PUT", PROTOCOL, {
      protocol: { mapping_id: "lasso", settings: { type: "saml2", idp_metadata_xml: metadata(signer) } },
    });
    ourMetadata = (await service.ask("GET", "/v3/OS-FEDERATION/saml2/metadata")).body;
  });
  afterAll(() => service.remove());

  function ask(question: Question): Answer {
    const key = signer.privateKey.export({ type: "pkcs8", format: "pem" });
    const { certificate } = signer;
    return askPython("federation/saml/lasso-party.py", {
      ...question,
      service: ourMetadata,
      key,
      certificate,
    }) as Answer;
  }

  describe("as another cloud's service provider", () => {
    let messages: Record<"post" | "paos", string>;
    beforeAll(async () => {
      const { member } = await alice(service);
      const made = async (path: string) =>
        (await service.ask("POST", `/v3/auth/OS-FEDERATION/${path}`, assertionFor(member, "lasso"))).body;
      messages = { post: await made("saml2"), paos: await made("saml2/ecp") };
    });

    function bring(binding: "post" | "paos", change = (xml: string) => xml): Answer {
      const xml = change(messages[binding]);
      const message = binding === "post" ? base64(xml) : xml;
      return ask({ role: "service provider", binding, message, own: serviceProvider(signer) });
    }

    it.each(["post", "paos"] as const)("reads who one of our users is, by %s", (binding) => {
      expect(bring(binding)).toEqual({
        issuer: ENTITY,
        name: "alice",
        recipient: SP_URL,
        isInTime: true,
        attributes: {
          openstack_user: ["alice"],
          openstack_roles: expect.arrayContaining(["member", "reader"]) as string[],
          openstack_project: ["p1"],
          openstack_project_domain: ["Default"],
          openstack_user_domain: ["Default"],
          openstack_groups: ['JSON:{"name": "galice", "domain": {"name": "Default"}}'],
        },
      });
    });

    it.each(["post", "paos"] as const)("refuses what was changed, or not signed, by %s", (binding) => {
      const changed = bring(binding, (xml) => xml.replace(">alice<", ">admin<"));
      expect(changed).toEqual({ refused: "DsSignatureVerificationFailedError" });
      const unsigned = bring(binding, withoutSignature);
      expect(unsigned).toEqual({ refused: "DsSignatureNotFoundError" });
    });
  });

  describe("as an identity provider", () => {
    beforeEach(() => use("HTTP-Redirect"));

    /** Has the protocol be this one, whose provider takes requests in this way. */
    async function use(binding: string, settings: object = {}): Promise<void> {
      await service.admin("PATCH", PROTOCOL, {
        protocol: {
          mapping_id: "lasso",
          settings: {
            idp_metadata_xml: metadata(signer, binding),
            sp_certificate: null,
            sp_private_key: null,
            ...settings,
          },
        },
      });
    }

    /** The request of a login, as it reaches the provider, and what the browser keeps. */
    async function begin(binding: Binding): Promise<{ readonly message: string; readonly cookie: string }> {
      const step = await service.app.server.inject({
        method: "GET",
        url: AUTH,
        headers: binding === "paos" ? PAOS_HEADERS : {},
      });
      const cookie = String(step.headers["set-cookie"]).split(";")[0] ?? "";
      if (binding === "paos") return { message: step.body, cookie };
      const [, value = ""] = /name="SAMLRequest" value="([^"]+)"/.exec(step.body) ?? [];
      const query = binding === "redirect" ? new URL(String(step.headers.location)).search.slice(1) : "";
      return { message: binding === "post" ? value : query.replace("realm=x&", ""), cookie };
    }

    function answerTo(message: string, binding: Binding): Answer {
      const post = binding === "redirect" ? "HTTP-Redirect" : binding === "post" ? "HTTP-POST" : "SOAP";
      const own = metadata(signer, post).replace(
        "<md:IDPSSODescriptor",
        '<md:IDPSSODescriptor WantAuthnRequestsSigned="true"',
      );
      return ask({ role: "identity provider", binding, message, own });
    }

    function enter(message: string, cookie: string): Promise<LightMyRequestResponse> {
      return service.app.server.inject({
        method: "POST",
        url: AUTH,
        headers: { "content-type": "application/x-www-form-urlencoded", cookie },
        payload: new URLSearchParams({ SAMLResponse: message }).toString(),
      });
    }

    it.each([
      ["redirect", "HTTP-Redirect"],
      ["post", "HTTP-POST"],
    ] as const)("knows our request by %s, and lets a user in, once", async (binding, published) => {
      await use(published);
      const { message, cookie } = await begin(binding);
      const answer = answerTo(message, binding);
      expect(answer).toMatchObject({ url: PUBLIC_URL + AUTH, issuer: ENTITY });
      const entered = await enter(answer.message ?? "", cookie);
      expect([entered.statusCode, entered.body]).toEqual([201, expect.anything()]);
      expect(entered.json()).toMatchObject({
        token: { methods: ["saml2"], user: { name: "alice of lasso" } },
      });
      expect((await enter(answer.message ?? "", cookie)).statusCode).toBe(401);
    });

    it("logs in a client that carries the messages, once", async () => {
      const { message } = await begin("paos");
      const answer = answerTo(message, "paos");
      const carry = () =>
        service.app.server.inject({
          method: "POST",
          url: AUTH,
          headers: { "content-type": "application/vnd.paos+xml" },
          payload: answer.message ?? "",
        });
      const entered = await carry();
      expect(entered.statusCode).toBe(201);
      expect(entered.json()).toMatchObject({ token: { user: { name: "alice of lasso" } } });
      expect((await carry()).statusCode).toBe(401);
    });

    it.each([
      ["redirect", "HTTP-Redirect", "DsInvalidSignatureError"],
      ["post", "HTTP-POST", "DsSignatureVerificationFailedError"],
      ["paos", "SOAP", "DsSignatureVerificationFailedError"],
    ] as const)(
      "rejects a request by %s that another key has signed, or none",
      async (binding, published, reason) => {
        const other = newSigner();
        const key = other.privateKey.export({ type: "pkcs8", format: "pem" });
        await use(published, { sp_certificate: other.certificate, sp_private_key: key });
        const { message } = await begin(binding);
        const unsigned =
          binding === "redirect"
            ? message.replace(/&Signature=.*/, "")
            : binding === "post"
              ? base64(withoutSignature(Buffer.from(message, "base64").toString()))
              : withoutSignature(message);
        expect([answerTo(message, binding), answerTo(unsigned, binding)]).toEqual([
          { refused: reason },
          { refused: "DsSignatureNotFoundError" },
        ]);
      },
    );

    it("rejects a Response that was changed, signed by another key, or sent by another browser", async () => {
      const { message, cookie } = await begin("redirect");
      const xml = Buffer.from(answerTo(message, "redirect").message ?? "", "base64").toString();
      expect(xml).toContain(">alice<");
      const tries = [
        [xml.replaceAll(">alice<", ">admin<"), cookie],
        [withoutSignature(xml), cookie],
        [xml, "a=b"],
      ] as const;
      for (const [text, browser] of tries) expect((await enter(base64(text), browser)).statusCode).toBe(401);
      const { message: again, cookie: fresh } = await begin("redirect");
      const answer = answerTo(again, "redirect");
      await use("HTTP-Redirect", { idp_metadata_xml: metadata(newSigner()) });
      expect((await enter(answer.message ?? "", fresh)).statusCode).toBe(401);
    });
  });
});

function withoutSignature(xml: string): string {
  return xml.replace(/<(?:ds:)?Signature [^]*<\/(?:ds:)?Signature>/, "");
}

const PAOS_HEADERS = {
  accept: "*/*, application/vnd.paos+xml",
  paos: 'ver="urn:liberty:paos:2003-08";"urn:oasis:names:tc:SAML:2.0:profiles:SSO:ecp"',
};

/** lasso's metadata as a service provider. */
function serviceProvider({ certificate }: Signer): string {
  const der = certificate.replaceAll(/-----.*-----|\s/g, "");
  const endpoints = ["HTTP-POST", "PAOS"].map(
    (binding, index) =>
      `<md:AssertionConsumerService index="${index}" Binding="urn:oasis:names:tc:SAML:2.0:bindings:${binding}" Location="${SP_URL}"/>`,
  );
  return `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://sp.example.com/mellon/metadata">
<md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
<md:KeyDescriptor><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${der}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
${endpoints.join("\n")}
</md:SPSSODescriptor>
</md:EntityDescriptor>`;
}
