/** LemonLDAP::NG's portal as OpenID provider and as SAML identity provider, in Plack's own web server. */
import { createPublicKey } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Signer } from "../../../test/federation/saml/test-provider.js";
import { freePort } from "../../free-port.js";
import { startParty, type PartyProcess } from "../party-process.js";

const PORTAL = fileURLToPath(new URL("portal.psgi", import.meta.url));

/** A user of its demonstration. */
export const DEMO_USER = { user: "dwho", password: "dwho" } as const;

export const CLIENT = { id: "identity", secret: "portal-secret" } as const;

/** What it signs with and what it publishes, which are a pair unless a test says otherwise. */
export interface PortalKeys {
  readonly id: string;
  readonly signer: Signer;
  readonly published?: Signer;
}

export interface PortalOptions {
  readonly keys: PortalKeys;
  /** Of the client at the portal. */
  readonly redirectUri: string;
}

export interface Portal {
  readonly url: string;
  readonly entityId: string;
  output(): string;
  /** Has the portal know a SAML service provider. */
  trust(service: { readonly metadata: string }): Promise<void>;
  /** Has it sign with other keys from now on. */
  rotate(keys: PortalKeys): Promise<void>;
  close(): Promise<void>;
}

export async function startPortal(options: PortalOptions): Promise<Portal> {
  const folder = await mkdtemp(join(tmpdir(), "hamkit-lemonldap-"));
  await Promise.all(["conf", "sessions", "locks"].map((name) => mkdir(join(folder, name))));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let { keys } = options;
  let serviceMetadata: string | undefined;
  let process: PartyProcess | undefined;

  /** The portal reads its configuration at its start. */
  async function restart(): Promise<void> {
    await process?.close();
    const configuration = {
      ...common(url, folder),
      ...openId(url, options.redirectUri, keys),
      ...saml(keys, serviceMetadata),
    };
    await writeFile(join(folder, "conf/lmConf-1.json"), JSON.stringify(configuration));
    process = await startParty({
      command: [
        "/usr/bin/plackup",
        "--host",
        "127.0.0.1",
        "--port",
        String(port),
        "-E",
        "deployment",
        PORTAL,
      ],
      env: { PORTAL_CONFIGURATION: join(folder, "conf") },
      readyUrl: `${url}/.well-known/openid-configuration`,
    });
  }
  await restart();
  return {
    url,
    entityId: `${url}/saml/metadata`,
    output: () => process?.output() ?? "",
    async trust({ metadata }) {
      serviceMetadata = metadata;
      await restart();
    },
    async rotate(next) {
      keys = next;
      await restart();
    },
    async close() {
      await process?.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function common(url: string, folder: string): object {
  return {
    cfgNum: 1,
    cfgAuthor: "test",
    cfgDate: 1,
    key: "a key for cookies",
    domain: "127.0.0.1",
    portal: `${url}/`,
    securedCookie: 0,
    authentication: "Demo",
    userDB: "Same",
    passwordDB: "Demo",
    registerDB: "Null",
    demoExportedVars: { cn: "cn", mail: "mail", uid: "uid" },
    locationRules: { "127.0.0.1": { default: "accept" } },
    // What the service's rules for SAML ask for.
    macros: { affiliation: '"staff"' },
    globalStorage: "Apache::Session::File",
    globalStorageOptions: {
      Directory: join(folder, "sessions"),
      LockDirectory: join(folder, "locks"),
    },
  };
}

function openId(url: string, redirectUri: string, { id, signer, published = signer }: PortalKeys): object {
  return {
    issuerDBOpenIDConnectActivation: 1,
    oidcServiceMetaDataIssuer: url,
    oidcServiceAllowAuthorizationCodeFlow: 1,
    oidcServiceKeyIdSig: id,
    oidcServicePrivateKeySig: privateKey(signer),
    oidcServicePublicKeySig: createPublicKey(published.privateKey).export({ type: "spki", format: "pem" }),
    oidcRPMetaDataExportedVars: { identity: { preferred_username: "uid", email: "mail" } },
    oidcRPMetaDataOptions: {
      identity: {
        oidcRPMetaDataOptionsClientID: CLIENT.id,
        oidcRPMetaDataOptionsClientSecret: CLIENT.secret,
        oidcRPMetaDataOptionsRedirectUris: redirectUri,
        oidcRPMetaDataOptionsPostLogoutRedirectUris: redirectUri.replace(/auth$/, "logout"),
        oidcRPMetaDataOptionsLogoutBypassConfirm: 1,
        oidcRPMetaDataOptionsBypassConsent: 1,
        oidcRPMetaDataOptionsRequirePKCE: 1,
        oidcRPMetaDataOptionsIDTokenSignAlg: "RS256",
        oidcRPMetaDataOptionsAllowPasswordGrant: 1,
        oidcRPMetaDataOptionsAccessTokenJWT: 1,
        oidcRPMetaDataOptionsAccessTokenSignAlg: "RS256",
        oidcRPMetaDataOptionsAccessTokenClaims: 1,
      },
    },
  };
}

function saml({ signer, published = signer }: PortalKeys, serviceMetadata: string | undefined): object {
  const basic = "urn:oasis:names:tc:SAML:2.0:attrname-format:basic";
  return {
    issuerDBSAMLActivation: 1,
    samlServicePrivateKeySig: privateKey(signer),
    samlServicePublicKeySig: published.certificate,
    ...(serviceMetadata !== undefined && {
      samlSPMetaDataXML: { identity: { samlSPMetaDataXML: serviceMetadata } },
      samlSPMetaDataOptions: {
        identity: {
          samlSPMetaDataOptionsEncryptionMode: "none",
          samlSPMetaDataOptionsSignSSOMessage: 1,
          samlSPMetaDataOptionsCheckSSOMessageSignature: 1,
          samlSPMetaDataOptionsCheckSLOMessageSignature: 1,
          samlSPMetaDataOptionsSignSLOMessage: 1,
        },
      },
      // Whether it is required, its name, format and friendly name.
      samlSPMetaDataExportedAttributes: {
        identity: {
          uid: `1;uid;${basic};`,
          mail: `1;mail;${basic};`,
          affiliation: `1;eduPersonAffiliation;${basic};`,
        },
      },
    }),
  };
}

function privateKey({ privateKey: key }: Signer): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}
