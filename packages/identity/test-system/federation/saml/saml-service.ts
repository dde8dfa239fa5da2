/** A service process for a test, and its configuration with identity providers by an administrator. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TestDatabases } from "../../../test/databases.js";
import { freePort } from "../../free-port.js";
import { adminClient } from "../../reliability/admin-client.js";
import { startService } from "../../service-process.js";
import { USER, type ProviderParty } from "./provider-party.js";

export interface SamlService {
  /** Where it is reached. */
  readonly url: string;
  /** Asks as the administrator of the system; what is answered with 400 or more throws. */
  readonly ask: <Answer>(method: string, path: string, body?: object) => Promise<Answer>;
  /** Makes a provider known, by its metadata and with a protocol "saml2", and the service to the provider. */
  readonly introduce: (id: string, party: ProviderParty, settings?: object) => Promise<void>;
  /** Validates a token as the administrator. */
  readonly read: (token: string) => Promise<TokenResponse>;
  /** What the service has written so far. */
  readonly output: () => string;
  readonly close: () => Promise<void>;
}

export interface TokenResponse {
  readonly token: { readonly methods: readonly string[]; readonly user: { readonly name: string } };
}

const RULES = [
  {
    remote: [{ type: "uid" }, { type: "mail" }, { type: "eduPersonAffiliation", any_one_of: ["staff"] }],
    local: [{ user: { name: "{0}", email: "{1}" } }],
  },
];

/** @param env Settings of the service; `IDENTITY_PUBLIC_URL` is where browsers find it. */
export async function startSamlService(
  databases: TestDatabases,
  env: Readonly<Record<string, string>> = {},
): Promise<SamlService> {
  const place = await databases.create();
  const folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  const port = await freePort();
  const service = await startService({ databaseUrl: place.url, folder, port, env });
  const { url } = service;
  const publicUrl = env["IDENTITY_PUBLIC_URL"] ?? url;
  const { token } = await adminClient(url);

  async function ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await fetch(url + path, {
      method,
      headers: { "x-auth-token": token, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as Answer;
  }
  await ask("PUT", "/v3/OS-FEDERATION/mappings/saml", { mapping: { rules: RULES } });

  return {
    url,
    output: () => service.output(),
    ask,
    async introduce(id, party, settings = { idp_metadata_xml: party.metadata }) {
      // In a domain of its own: users of one name are others at each provider.
      const provider = { enabled: true, remote_ids: [party.entityId] };
      await ask("PUT", providerPath(id), { identity_provider: provider });
      await ask("PUT", protocolPath(id), {
        protocol: { mapping_id: "saml", settings: { type: "saml2", ...settings } },
      });
      const metadata = await (await fetch(`${url}/v3/OS-FEDERATION/saml2/metadata`)).text();
      await party.trust({ metadata, entityId: `${publicUrl}/v3/OS-FEDERATION/saml2/idp` });
    },
    async read(subject) {
      const headers = { "x-auth-token": token, "x-subject-token": subject };
      return (await (await fetch(`${url}/v3/auth/tokens`, { headers })).json()) as TokenResponse;
    },
    async close() {
      await service.stop();
      await place.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function providerPath(id: string): string {
  return `/v3/OS-FEDERATION/identity_providers/${id}`;
}

export function protocolPath(id: string): string {
  return `${providerPath(id)}/protocols/saml2`;
}

/** The form with which a browser returns from a provider, and its cookie. */
export interface SamlForm {
  readonly action: string;
  readonly body: URLSearchParams;
  readonly headers: { readonly cookie: string };
}

/** Logs in at the provider's page as a browser does. @returns The form for the service. */
export async function logInAtProvider(url: string, party: ProviderParty): Promise<SamlForm> {
  const step = await fetch(url, { redirect: "manual" });
  const cookie = step.headers.get("set-cookie")?.split(";")[0] ?? "";
  const location = step.headers.get("location");
  const loginPage =
    location === null
      ? await post(`${party.url}/sso`, { SAMLRequest: field(await step.text(), "SAMLRequest") })
      : await readPage(await fetch(location));
  const request = field(loginPage, "request");
  const answer = await post(`${party.url}/login`, { ...USER, request });
  const [, action = ""] = /action="([^"]*)"/.exec(answer) ?? [];
  const body = new URLSearchParams({ SAMLResponse: field(answer, "SAMLResponse") });
  return { action, body, headers: { cookie } };
}

/** Sends the service's AuthnRequest to the provider without its signature. */
export async function sendUnsignedRequest(url: string, party: ProviderParty): Promise<Response> {
  const step = await fetch(url, { redirect: "manual" });
  const location = step.headers.get("location");
  if (location !== null) return fetch(location.replace(/&Signature=.*/, ""));
  const xml = Buffer.from(field(await step.text(), "SAMLRequest"), "base64").toString();
  const unsigned = Buffer.from(xml.replace(/<ds:Signature .*<\/ds:Signature>/s, "")).toString("base64");
  return fetch(`${party.url}/sso`, {
    method: "POST",
    body: new URLSearchParams({ SAMLRequest: unsigned }),
  });
}

async function post(url: string, form: Readonly<Record<string, string>>): Promise<string> {
  return readPage(await fetch(url, { method: "POST", body: new URLSearchParams(form) }));
}

async function readPage(answer: Response): Promise<string> {
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${text}`);
  return text;
}

function field(page: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? "";
}
