/** How the service proves to a provider that it is the client which it says. */
import { createPrivateKey, type KeyObject } from "node:crypto";

import { importPKCS8, type CryptoKey } from "jose";
import * as openid from "openid-client";

import type { OpenIdSettings } from "./openid-settings.js";

type AuthMethod = NonNullable<OpenIdSettings["client_auth_method"]>;

/** As the settings tell, or else by what they hold. */
export function clientProof(settings: OpenIdSettings): Promise<openid.ClientAuth> {
  return METHODS[settings.client_auth_method ?? usualMethod(settings)](settings);
}

const METHODS: Readonly<Record<AuthMethod, (settings: OpenIdSettings) => Promise<openid.ClientAuth>>> = {
  client_secret_basic: async ({ client_secret: secret }) => basicAuth(needed(secret, "client_secret")),
  client_secret_post: async ({ client_secret: secret }) =>
    openid.ClientSecretPost(needed(secret, "client_secret")),
  private_key_jwt: async ({ client_private_key: key }) =>
    openid.PrivateKeyJwt(await readKey(needed(key, "client_private_key"))),
  none: async () => openid.None(),
};

/**
 * The client's id and secret are encoded as in forms, but letters that mean themselves there stay as they are: providers that
 * don't decode them understand the dots and tildes of Google and Entra ID, too.
 *
 * @see RFC 6749, 2.3.1
 */
function basicAuth(secret: string): openid.ClientAuth {
  return (_provider, { client_id: id }, _body, headers) => {
    const pair = [id, secret].map((part) => encodeURIComponent(part).replaceAll("%20", "+")).join(":");
    headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
  };
}

function usualMethod({ client_secret, client_private_key }: OpenIdSettings): AuthMethod {
  if (client_private_key) return "private_key_jwt";
  return client_secret ? "client_secret_basic" : "none";
}

function needed(value: string | null | undefined, name: string): string {
  if (!value) throw new TypeError(`the settings have no ${name}`);
  return value;
}

async function readKey(pem: string): Promise<CryptoKey> {
  const key = createPrivateKey(pem);
  return importPKCS8(key.export({ type: "pkcs8", format: "pem" }).toString(), algorithmOf(key));
}

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): string {
  const name = type === "ec" ? `ec ${details?.namedCurve ?? ""}` : (type ?? "");
  const algorithm = { rsa: "RS256", ed25519: "EdDSA", ...CURVES }[name];
  if (algorithm === undefined)
    throw new TypeError(`client_private_key is of a kind that doesn't sign: ${name}`);
  return algorithm;
}

const CURVES: Readonly<Record<string, string>> = {
  "ec prime256v1": "ES256",
  "ec secp384r1": "ES384",
  "ec secp521r1": "ES512",
};
