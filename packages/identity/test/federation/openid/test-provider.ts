/** A third-party OpenID provider on this computer; its users log in without a prompt. */
import { createPublicKey, generateKeyPairSync, randomUUID, type JsonWebKey } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { CompactSign, importJWK, SignJWT } from "jose";
import { Provider, type Configuration } from "oidc-provider";

export const CLIENT_ID = "identity";
export const CLIENT_SECRET = "a secret of the client and the provider";
/** A client without a secret, for logins with a code on another device. */
export const DEVICE_CLIENT_ID = "device";
/** The audience of JWTs. */
export const AUDIENCE = "https://identity.example.org";
export const PASSWORD = "kimpw";

/** Keys of clients that prove themselves by a signature; the clients are `signer-rsa` and so on. */
export const CLIENT_KEYS = {
  rsa: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey,
  ec: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
};

/** Where browsers come back to in these tests. */
export const AUTH_URL = "http://127.0.0.1:5900/v3/OS-FEDERATION/identity_providers/op/protocols/openid/auth";

/** What the provider knows of kim. */
export const KIM = {
  sub: "kim",
  preferred_username: "kim.example",
  email: "kim@example.org",
  email_verified: true,
  groups: ["staff", "operators"],
  address: { country: "FI", geo: { zone: 15 } },
};

/** The provider's classes of authentication. */
export const ACR = { password: "urn:example:password", mfa: "urn:example:mfa" };

export interface TestProvider {
  readonly issuer: string;
  readonly provider: Provider;
  readonly keys: SigningKeys;
  /** Paths that have been asked for, in their order. */
  readonly asked: readonly string[];
  /** Of the last request for a login; empty before the first. */
  readonly nonce: string;
  /** Handlers by path that replace the provider's own. */
  readonly answers: Map<string, RequestHandler>;
  /** How the next user is authenticated. */
  readonly authentication: { acr: string };
  /** A token of the provider's, by a grant that needs no browser. */
  token(parameters: Record<string, string>): Promise<Record<string, string>>;
  close(): Promise<void>;
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Makes a key that the provider has published, and what else it signs. */
export interface SigningKeys {
  /** The private key. */
  readonly jwk: JsonWebKey & { readonly kid: string; readonly alg: string };
  sign(claims: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>;
  /** Signs the text of a payload, character for character. */
  signText(payload: string, header?: Record<string, unknown>): Promise<string>;
}

export function signingKeys(kid: string): SigningKeys {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const jwk = { ...privateKey.export({ format: "jwk" }), kid, alg: "RS256", use: "sig" };
  return {
    jwk,
    async sign(claims, header = {}) {
      const key = await importJWK(jwk, "RS256");
      return new SignJWT(claims)
        .setProtectedHeader({ alg: "RS256", kid, typ: "at+jwt", ...header })
        .sign(key);
    },
    async signText(payload, header = {}) {
      const key = await importJWK(jwk, "RS256");
      return new CompactSign(new TextEncoder().encode(payload))
        .setProtectedHeader({ alg: "RS256", kid, typ: "at+jwt", ...header })
        .sign(key);
    },
  };
}

/** The public half of a key, as a provider publishes it. */
export function publicKey({ jwk: { kty, n, e, kid, alg } }: SigningKeys): object {
  return { kty, n, e, kid, alg, use: "sig" };
}

/** What a test adds to the provider. */
export interface ProviderAdditions {
  /** Of the client {@link CLIENT_ID}. */
  readonly client?: object;
  readonly features?: object;
}

/** @param redirectUri Where browsers come back to. */
export async function startProvider(
  redirectUri: string = AUTH_URL,
  additions: ProviderAdditions = {},
): Promise<TestProvider> {
  const asked: string[] = [];
  const answers = new Map<string, RequestHandler>();
  let nonce = "";
  const server = createServer();
  const issuer = `http://127.0.0.1:${await listen(server)}`;
  const keys = signingKeys("first");
  const provider = new Provider(issuer, configuration(keys, redirectUri, additions));
  acceptPasswords(provider);
  const authentication = { acr: ACR.password };
  logInAtOnce(provider, authentication);
  const answer = provider.callback();
  server.on("request", (request, response) => {
    const { pathname: path, searchParams } = new URL(request.url ?? "/", issuer);
    asked.push(path);
    nonce = searchParams.get("nonce") ?? nonce;
    const other = answers.get(path);
    if (other === undefined) void answer(request, response);
    else void other(request, response);
  });
  return {
    issuer,
    provider,
    keys,
    asked,
    get nonce() {
      return nonce;
    },
    answers,
    authentication,
    async token(parameters) {
      const basic = Buffer.from(`${CLIENT_ID}:${encodeURIComponent(CLIENT_SECRET)}`).toString("base64");
      const reply = await fetch(`${issuer}/token`, {
        method: "POST",
        headers: { authorization: `Basic ${basic}` },
        body: new URLSearchParams(parameters),
      });
      return (await reply.json()) as Record<string, string>;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return (server.address() as AddressInfo).port;
}

function configuration(
  keys: SigningKeys,
  redirectUri: string,
  { client: ofClient, features }: ProviderAdditions,
): Configuration {
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code", "client_credentials", "password", "refresh_token"],
        ...ofClient,
      },
      {
        client_id: "poster",
        client_secret: CLIENT_SECRET,
        token_endpoint_auth_method: "client_secret_post",
        redirect_uris: [redirectUri],
      },
      ...Object.entries(CLIENT_KEYS).map(([kind, key]) => ({
        client_id: `signer-${kind}`,
        token_endpoint_auth_method: "private_key_jwt" as const,
        jwks: { keys: [{ ...createPublicKey(key).export({ format: "jwk" }), use: "sig" } as never] },
        redirect_uris: [redirectUri],
      })),
      {
        client_id: DEVICE_CLIENT_ID,
        token_endpoint_auth_method: "none",
        redirect_uris: [],
        response_types: [],
        grant_types: ["urn:ietf:params:oauth:grant-type:device_code"],
      },
      {
        client_id: "other",
        client_secret: CLIENT_SECRET,
        redirect_uris: [],
        response_types: [],
        grant_types: ["client_credentials"],
      },
    ],
    acrValues: Object.values(ACR),
    jwks: { keys: [keys.jwk] },
    // Its own sends nothing to private addresses, such as logout tokens to a service on this computer.
    fetch(input, options = {}) {
      const { dispatcher: _dispatcher, ...others } = options;
      return fetch(input, others);
    },
    cookies: { keys: [randomUUID()] },
    pkce: { required: () => true },
    claims: {
      openid: ["sub"],
      profile: ["preferred_username", "groups", "address"],
      email: ["email", "email_verified"],
    },
    findAccount: (_, id) => ({ accountId: id, claims: async () => ({ ...KIM, sub: id }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    features: {
      ...features,
      devInteractions: { enabled: false },
      introspection: { enabled: true, allowedPolicy: () => true },
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        getResourceServerInfo: () => ({
          scope: "cloud openid profile",
          audience: AUDIENCE,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
    async loadExistingGrant({ oidc }) {
      const { client, session } = oidc;
      const clientId = client?.clientId ?? "";
      const known = session?.grantIdFor(clientId);
      if (known !== undefined) return oidc.provider.Grant.find(known);
      const grant = new oidc.provider.Grant({
        clientId,
        accountId: session?.accountId ?? "",
      });
      grant.addOIDCScope("openid profile email");
      await grant.save();
      return grant;
    },
  };
}

/** The grant of `v3oidcpassword`, which new providers don't have any more. */
function acceptPasswords(provider: Provider): void {
  provider.registerGrantType(
    "password",
    async (context) => {
      const { client, params } = context.oidc;
      const { username = "", password, scope } = params as Record<string, string | undefined>;
      if (password !== PASSWORD || client === undefined) {
        context.status = 400;
        context.body = { error: "invalid_grant" };
        return;
      }
      const grant = new provider.Grant({ clientId: client.clientId, accountId: username });
      grant.addOIDCScope(scope ?? "openid");
      const grantId = await grant.save();
      const owned = { accountId: username, client, grantId, gty: "password", scope: scope ?? "openid" };
      const accessToken = await new provider.AccessToken(owned).save();
      const refreshToken = await new provider.RefreshToken(owned).save();
      context.body = { access_token: accessToken, refresh_token: refreshToken, token_type: "Bearer" };
    },
    ["username", "password", "scope"],
  );
}

/** Kim is the only one who sits at a browser. */
function logInAtOnce(provider: Provider, authentication: TestProvider["authentication"]): void {
  provider.use(async (context, next) => {
    if (context.path.startsWith("/interaction/")) {
      await provider.interactionFinished(context.req, context.res, {
        login: { accountId: "kim", ...authentication },
      });
      context.respond = false;
    } else await next();
  });
}
