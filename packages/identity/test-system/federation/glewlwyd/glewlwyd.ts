/** Glewlwyd as OpenID provider. */
import { readFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Signer } from "../../../test/federation/saml/test-provider.js";
import { freePort } from "../../free-port.js";
import { runProgram } from "../../run-program.js";
import { startParty } from "../party-process.js";

const TABLES = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3";
const MODULES = "/usr/lib/glewlwyd";
const KIM = { username: "kim", password: "kim's password" } as const;

export const CLIENT = { id: "identity", secret: "glewlwyd-secret" } as const;

export interface GlewlwydOptions {
  readonly signer: Signer;
  /** Of the client. */
  readonly redirectUri: string;
}

export interface Glewlwyd {
  readonly issuer: string;
  /** Logs kim in and consents, as its pages do. @returns Where an authorization request then leads the browser. */
  authorize(url: string): Promise<string>;
  close(): Promise<void>;
}

export async function startGlewlwyd(options: GlewlwydOptions): Promise<Glewlwyd> {
  const folder = await mkdtemp(join(tmpdir(), "hamkit-glewlwyd-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const issuer = `${url}/api/oidc`;
  const database = join(folder, "glewlwyd.db");
  const tables = await readFile(TABLES, "utf8");
  const { exit, errors } = await runProgram(["/usr/bin/sqlite3", database], { input: tables });
  if (exit !== 0) throw new Error(errors);
  await writeFile(join(folder, "glewlwyd.conf"), configuration({ url, port, database }));
  const process = await startParty({
    command: ["/usr/bin/glewlwyd", "--config-file", join(folder, "glewlwyd.conf")],
    env: {},
    readyUrl: `${url}/config`,
  });

  // The password of its first tables.
  const admin = await openSession(url, { username: "admin", password: "password" });
  await admin("POST", "mod/plugin/", plugin(issuer, options));
  await admin("POST", "client/?source=database", client(options.redirectUri));
  const scope = ["openid", "g_profile"];
  await admin("POST", "user/?source=database", { ...KIM, name: "Kim", enabled: true, scope });
  const kim = await openSession(url, KIM);
  await kim("PUT", `auth/grant/${CLIENT.id}`, { scope: "openid" });
  return {
    issuer,
    async authorize(request) {
      // The parameter with which its login page goes on.
      const { headers } = await kim("GET", `${request.slice(`${url}/api/`.length)}&g_continue`);
      return headers.get("location") ?? "";
    },
    async close() {
      await process.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** @returns Sends a request to its API. @throws It is answered with 400 or more. */
async function openSession(url: string, user: { readonly username: string; readonly password: string }) {
  let cookie = "";
  const ask = async (method: string, path: string, body?: object): Promise<Response> => {
    const answer = await fetch(`${url}/api/${path}`, {
      method,
      redirect: "manual",
      headers: { "content-type": "application/json", cookie },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const { headers } = await ask("POST", "auth/", user);
  cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
  return ask;
}

function plugin(issuer: string, { signer }: GlewlwydOptions): object {
  return {
    module: "oidc",
    name: "oidc",
    display_name: "OpenID Connect",
    enabled: true,
    parameters: {
      iss: issuer,
      "jwt-type": "rsa",
      "jwt-key-size": "256",
      key: signer.privateKey.export({ type: "pkcs8", format: "pem" }),
      cert: signer.publicKey.export({ type: "spki", format: "pem" }),
      "access-token-duration": 3600,
      "refresh-token-duration": 3600,
      "code-duration": 60,
      "auth-type-code-enabled": true,
      "auth-type-refresh-enabled": true,
      "pkce-allowed": true,
      "subject-type": "public",
      "allowed-scope": ["openid"],
      claims: [{ name: "preferred_username", "user-property": "username", type: "string", mandatory: true }],
    },
  };
}

function client(redirectUri: string): object {
  return {
    client_id: CLIENT.id,
    name: CLIENT.id,
    confidential: true,
    client_secret: CLIENT.secret,
    token_endpoint_auth_method: ["client_secret_basic"],
    enabled: true,
    authorization_type: ["code"],
    redirect_uri: [redirectUri],
    scope: ["openid"],
  };
}

function configuration(place: { url: string; port: number; database: string }): string {
  return `port=${place.port}
bind_address="127.0.0.1"
external_url="${place.url}"
login_url="login.html"
api_prefix="api"
log_mode="console"
log_level="WARNING"
cookie_secure=0
session_key="GLEWLWYD2_SESSION_ID"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="${MODULES}/user"
client_module_path="${MODULES}/client"
user_auth_scheme_module_path="${MODULES}/scheme"
plugin_module_path="${MODULES}/plugin"
hash_algorithm="SHA512"
database = { type = "sqlite3"; path = "${place.database}"; };
`;
}
