/** The service with a SAML provider that has single logout. */
import { PUBLIC_URL } from "../../test-server.js";
import type { TestDatabases } from "../../databases.js";
import { DASHBOARD, ENV, loginServer, NAMED, type LoginResponse, type LoginServer } from "../login-server.js";
import {
  AUDIENCE,
  inEnvelope,
  ISSUER,
  metadata,
  NOW,
  PROVIDER,
  response,
  sign,
} from "../saml/test-provider.js";
import { LOGOUT_URL } from "./logout-messages.js";

export const PROTOCOL = "/v3/OS-FEDERATION/identity_providers/acme/protocols/saml2";
/** A page of the trusted dashboard. */
export const RETURN_URL = new URL("/auth/login/", DASHBOARD).href;

export interface Session {
  readonly nameId?: string;
  readonly index?: string;
  /** `IssueInstant` of the assertion. */
  readonly issued?: string;
}

export interface SamlLogoutService extends LoginServer {
  /** Logs in with an assertion. @returns The token; empty if rejected. */
  logIn(session?: Session, options?: LogInOptions): Promise<string>;
  /** Whether a replica accepts a token: 200 or 404. */
  check(token: string, replica?: number): Promise<number>;
  post(fields: Readonly<Record<string, string>>, options?: PostFormOptions): Promise<LoginResponse>;
}

export interface LogInOptions {
  readonly protocol?: string;
  readonly replica?: number;
}

export interface PostFormOptions extends LogInOptions {
  readonly url?: string;
  readonly address?: string;
}

/** Metadata with single logout. */
export function logoutMetadata({
  bindings = ["HTTP-Redirect", "HTTP-POST"],
  signer = PROVIDER,
} = {}): string {
  const services = bindings.map(
    (binding) =>
      `<md:SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:${binding}" Location="https://idp.example.org/slo?realm=x" ResponseLocation="https://idp.example.org/slo/return"/>`,
  );
  return metadata(signer).replace("<md:SingleSignOnService", `${services.join("")}<md:SingleSignOnService`);
}

export const SETTINGS = {
  type: "saml2",
  idp_metadata_xml: logoutMetadata(),
  sp_entity_id: AUDIENCE,
  logout: true,
};

export async function samlLogoutService(
  databases: TestDatabases,
  { env = {}, now = NOW }: { readonly env?: Readonly<Record<string, string>>; readonly now?: number } = {},
): Promise<SamlLogoutService> {
  const server = await loginServer(databases, { ...ENV, ...env }, { now, replicas: 2 });
  const timeIn = (seconds: number) =>
    `${new Date(server.time.now + seconds * 1000).toISOString().slice(0, 19)}Z`;
  const put = async (path: string, body: object) => {
    const { status, text } = await server.ask("PUT", `/v3/OS-FEDERATION/${path}`, { body });
    if (status !== 201) throw new Error(text);
  };
  await put("identity_providers/acme", { identity_provider: { enabled: true, remote_ids: [ISSUER] } });
  await put("mappings/saml", { mapping: { rules: [NAMED] } });
  const protocol = { mapping_id: "saml", settings: SETTINGS };
  await put("identity_providers/acme/protocols/saml2", { protocol });
  let assertions = 0;

  return {
    ...server,
    async logIn(
      { nameId = "alice", index, issued = timeIn(0) } = {},
      { protocol: id = "saml2", replica = 0 } = {},
    ) {
      assertions += 1;
      const assertionId = `_session${assertions}`;
      const path = PROTOCOL.replace(/saml2$/, id);
      const parts = {
        assertionId,
        nameId,
        recipient: `${PUBLIC_URL}${path}/auth`,
        destination: `${PUBLIC_URL}${path}/auth`,
        issued: `IssueInstant="${issued}"`,
        notBefore: timeIn(-5),
        notOnOrAfter: timeIn(300),
        sessionNotOnOrAfter: timeIn(8 * 3600),
      };
      const named = index === undefined ? "" : ` SessionIndex="${index}"`;
      const xml = response(parts).replace("<saml:AuthnStatement", `<saml:AuthnStatement${named}`);
      const { token } = await server.ask("POST", `${path}/auth`, {
        replica,
        headers: { "content-type": "application/vnd.paos+xml" },
        body: Buffer.from(inEnvelope(sign(xml, assertionId))),
      });
      return token;
    },
    async check(token, replica = 0) {
      return (await server.ask("GET", "/v3/auth/tokens", { replica, headers: { "x-subject-token": token } }))
        .status;
    },
    post: (fields, { url = LOGOUT_URL, replica = 0, address = "127.0.0.1" } = {}) =>
      server.ask("POST", url.replace(PUBLIC_URL, ""), {
        replica,
        address,
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: Buffer.from(new URLSearchParams(fields).toString()),
      }),
  };
}
