/** samlify's identity provider, which shares no code with the service except XML signatures. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { randomUUID } from "node:crypto";

import * as samlify from "samlify";

import { freePort } from "../../free-port.js";
import { USER, type PartyOptions, type ProviderParty } from "./provider-party.js";

type IdentityProvider = ReturnType<typeof samlify.IdentityProvider>;
type ServiceProvider = ReturnType<typeof samlify.ServiceProvider>;
type Begun = Awaited<ReturnType<IdentityProvider["parseLoginRequest"]>>;

const { binding } = samlify.Constants.namespace;
const NAME_FORMAT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";

/** Samlify's template, with the AuthnStatement that its default lacks. */
const RESPONSE = samlify.SamlLib.defaultLoginResponseTemplate.context
  .replace(
    "{AuthnStatement}",
    '<saml:AuthnStatement AuthnInstant="{IssueInstant}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>',
  )
  .replace(
    "{AttributeStatement}",
    `<saml:AttributeStatement>${attribute("uid", "{NameID}")}${attribute("mail", "{NameID}@example.org")}${attribute("eduPersonAffiliation", "staff", "member")}</saml:AttributeStatement>`,
  );

function attribute(name: string, ...values: readonly string[]): string {
  const texts = values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`);
  return `<saml:Attribute Name="${name}">${texts.join("")}</saml:Attribute>`;
}

export async function startSamlify(options: PartyOptions): Promise<ProviderParty> {
  const port = await freePort();
  const url = `http://${options.host ?? "127.0.0.1"}:${port}`;
  // The tests with pysaml2 validate messages against their schemas.
  samlify.setSchemaValidator({ validate: () => Promise.resolve("not looked at") });
  const provider = identityProvider(url, options);
  let service: ServiceProvider | undefined;
  /** Pending requests of browsers, until the user has logged in. */
  const begun = new Map<string, Begun>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (service === undefined) throw new Error("no service provider is registered");
    const { pathname, search } = new URL(request.url ?? "", url);
    const body = await bodyOf(request);
    const form = Object.fromEntries(new URLSearchParams(body));
    if (pathname === "/login") return logIn(form, response, service);
    if (pathname === "/ecp") return carry(request, body, response, service);
    const read =
      request.method === "POST"
        ? await provider.parseLoginRequest(service, "post", { body: form })
        : await provider.parseLoginRequest(service, "redirect", signedQuery(search));
    const id = randomUUID();
    begun.set(id, read);
    send(response, page("Log in at samlify", "/login", LOGIN_FIELDS + hidden("request", id)));
  }

  async function logIn(
    form: Record<string, string>,
    response: ServerResponse,
    to: ServiceProvider,
  ): Promise<void> {
    const read = begun.get(form["request"] ?? "");
    if (read === undefined || !isUser(form["username"], form["password"])) throw new Error("wrong password");
    const { context, consumer } = await respond(provider, to, read);
    const script = "<script>document.forms[0].submit()</script>";
    send(
      response,
      page("You are logged in", consumer, `${hidden("SAMLResponse", context)}<button>Continue</button>`) +
        script,
    );
  }

  /** Samlify knows nothing of SOAP: what it is given is what is in the envelope. */
  async function carry(
    { headers }: IncomingMessage,
    envelope: string,
    response: ServerResponse,
    to: ServiceProvider,
  ): Promise<void> {
    const [username, password] = Buffer.from(headers.authorization?.slice(6) ?? "", "base64")
      .toString()
      .split(":");
    if (!isUser(username, password)) {
      response.writeHead(401, { "www-authenticate": "Basic" }).end();
      return;
    }
    const [message = ""] = /<samlp:AuthnRequest [^]*<\/samlp:AuthnRequest>/.exec(envelope) ?? [];
    const body = { SAMLRequest: Buffer.from(message).toString("base64") };
    const read = await provider.parseLoginRequest(to, "post", { body });
    const { context, consumer } = await respond(provider, to, read);
    const xml = Buffer.from(context, "base64").toString();
    send(response, soap(xml, consumer), "text/xml; charset=utf-8");
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(403, { "content-type": "text/plain" }).end(String(error));
    });
  });
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  return {
    url,
    entityId: `${url}/metadata`,
    metadata: provider.getMetadata(),
    async trust({ metadata }) {
      service = samlify.ServiceProvider({
        metadata: options.post === true ? metadata : withOneCertificate(metadata),
        wantMessageSigned: options.signsResponse ?? false,
      });
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function identityProvider(
  url: string,
  { signer, encrypt = false, post = false }: PartyOptions,
): IdentityProvider {
  const sso = { Binding: post ? binding.post : binding.redirect, Location: `${url}/sso` };
  return samlify.IdentityProvider({
    entityID: `${url}/metadata`,
    signingCert: signer.certificate,
    privateKey: signer.privateKey.export({ type: "pkcs8", format: "pem" }),
    requestSignatureAlgorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    wantAuthnRequestsSigned: true,
    isAssertionEncrypted: encrypt,
    nameIDFormat: [NAME_FORMAT],
    singleSignOnService: [sso],
    loginResponseTemplate: { context: RESPONSE, attributes: [] },
  });
}

/** The Response and its target: the request's ACS URL, if it is in the service's metadata. */
async function respond(provider: IdentityProvider, service: ServiceProvider, read: Begun) {
  const request = read.extract.request as { id: string; assertionConsumerServiceUrl: string };
  const consumer = request.assertionConsumerServiceUrl;
  if (!service.getMetadata().includes(`Location="${consumer}"`))
    throw new Error(`unknown consumer URL ${consumer}`);
  const now = new Date();
  const end = new Date(now.getTime() + 300_000).toISOString();
  const id = `_${randomUUID()}`;
  const values = {
    ID: id,
    AssertionID: `_${randomUUID()}`,
    Destination: consumer,
    SubjectRecipient: consumer,
    Audience: service.entityMeta.getEntityID(),
    Issuer: provider.entityMeta.getEntityID(),
    IssueInstant: now.toISOString(),
    StatusCode: samlify.Constants.StatusCode.Success,
    ConditionsNotBefore: now.toISOString(),
    ConditionsNotOnOrAfter: end,
    SubjectConfirmationDataNotOnOrAfter: end,
    NameIDFormat: NAME_FORMAT,
    NameID: USER.username,
    InResponseTo: request.id,
  };
  const { context } = await provider.createLoginResponse(service, read as never, "post", {}, (template) => ({
    id,
    context: samlify.SamlLib.replaceTagsByValue(template, values),
  }));
  return { context, consumer };
}

/**
 * Of several certificates samlify reads none where it is an address that is signed, and it looks for them in both roles: it is given
 * the role that it has to do with, and the first certificate of that one.
 */
export function withOneCertificate(metadata: string): string {
  let seen = 0;
  return metadata
    .replace(/<md:IDPSSODescriptor .*<\/md:IDPSSODescriptor>/s, "")
    .replaceAll(/<md:KeyDescriptor use="signing">.*?<\/md:KeyDescriptor>/gs, (key) =>
      seen++ === 0 ? key : "",
    );
}

/** A query with what of it is signed. */
function signedQuery(search: string) {
  const octetString = search.slice(1).replace(/&Signature=.*/, "");
  return { query: Object.fromEntries(new URLSearchParams(search)), octetString };
}

function isUser(username: string | undefined, password: string | undefined): boolean {
  return username === USER.username && password === USER.password;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk as string;
  return text;
}

function send(response: ServerResponse, text: string, type = "text/html; charset=utf-8"): void {
  response.writeHead(200, { "content-type": type }).end(text);
}

const LOGIN_FIELDS = `<label>User <input name="username" autofocus></label><label>Password <input name="password" type="password"></label><button>Log in</button>`;

function hidden(name: string, value: string): string {
  return `<input type="hidden" name="${name}" value="${value}">`;
}

function page(title: string, action: string, fields: string): string {
  return `<!doctype html><title>${title}</title><h1>${title}</h1><form method="post" action="${action}">${fields}</form>`;
}

function soap(xml: string, consumer: string): string {
  const header = `<ecp:Response xmlns:ecp="urn:oasis:names:tc:SAML:2.0:profiles:SSO:ecp" S:mustUnderstand="1" S:actor="http://schemas.xmlsoap.org/soap/actor/next" AssertionConsumerServiceURL="${consumer}"/>`;
  return `<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Header>${header}</S:Header><S:Body>${xml}</S:Body></S:Envelope>`;
}
