/** Simulates a guide's OpenID provider, with the tokens that the guide shows. */
import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

import { publicKey, signingKeys, type SigningKeys } from "../../../test/federation/openid/test-provider.js";

export type Claims = Readonly<Record<string, unknown>>;

/** What a provider does in a way of its own. */
export interface OpenIdQuirks {
  /** Members of the discovery document in addition to those that every provider has, or with other addresses. */
  readonly discovery: (url: string) => Claims;
  /** Of access tokens; `undefined` where they are opaque. */
  readonly accessHeader: Claims | undefined;
  /** Name of the verification URI in device authorization responses. */
  readonly verification?: string;
}

export interface SimulatedTokens {
  readonly issuer: string;
  readonly client: { readonly id: string; readonly secret: string };
  /** May be another one, for the command line. */
  readonly deviceClientId: string;
  readonly accessToken: Claims;
  readonly idToken: Claims;
  readonly userInfo: Claims;
  readonly tokenInfo: Claims;
}

export interface SimulatedOpenId {
  readonly keys: SigningKeys;
  /** The current tokens; tests change them. */
  tokens: SimulatedTokens;
  /** An access token of the claims. */
  issue(claims: Claims, header?: Claims): Promise<string>;
  /** @returns Whether there was something to answer. */
  answer: (request: IncomingMessage, body: URLSearchParams, response: ServerResponse) => Promise<boolean>;
}

/** Pending authorization requests, until the code is redeemed. */
interface Asked {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly nonce: string;
}

const OPAQUE = "ya29.a0AfB_opaque";
const DEVICE_CODE = "a code of a device";

export function simulateOpenId(url: string, quirks: OpenIdQuirks, tokens: SimulatedTokens): SimulatedOpenId {
  const keys = signingKeys("first");
  const codes = new Map<string, Asked>();
  const simulated: SimulatedOpenId = {
    keys,
    tokens,
    async issue(claims, header = {}) {
      if (quirks.accessHeader === undefined) return OPAQUE;
      return keys.sign({ ...claims, ...times() }, { typ: undefined, ...quirks.accessHeader, ...header });
    },
    async answer(request, body, response) {
      const { pathname, searchParams } = new URL(request.url ?? "", url);
      const { pathname: issuerPath } = new URL(simulated.tokens.issuer);
      const document = discovery();
      const pathOf = (endpoint: string) => new URL(String(document[endpoint])).pathname;
      const paths: Readonly<Record<string, () => unknown>> = {
        [`${issuerPath.replace(/\/$/, "")}/.well-known/openid-configuration`]: () => document,
        [pathOf("jwks_uri")]: () => ({ keys: [publicKey(keys)] }),
        [pathOf("authorization_endpoint")]: () => authorize(searchParams, response),
        [pathOf("token_endpoint")]: () => token(request, body),
        "/device/code": () => device(body),
        [pathOf("userinfo_endpoint")]: () => simulated.tokens.userInfo,
        "/tokeninfo": () => tokenInfo(request),
      };
      const work = paths[pathname];
      if (work === undefined) return false;
      try {
        const answer = await work();
        if (answer !== undefined) sendJson(response, 200, answer);
      } catch (error) {
        sendJson(response, 400, { error: (error as Error).message });
      }
      return true;
    },
  };

  function discovery(): Claims {
    return {
      issuer: simulated.tokens.issuer,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      userinfo_endpoint: `${url}/userinfo`,
      jwks_uri: `${url}/jwks`,
      ...quirks.discovery(url),
    };
  }

  function authorize(query: URLSearchParams, response: ServerResponse): undefined {
    if (query.get("client_id") !== simulated.tokens.client.id) throw new Error("unauthorized_client");
    const code = randomUUID();
    const redirectUri = query.get("redirect_uri") ?? "";
    codes.set(code, {
      challenge: query.get("code_challenge") ?? "",
      redirectUri,
      nonce: query.get("nonce") ?? "",
    });
    const back = new URLSearchParams({ code, state: query.get("state") ?? "" }).toString();
    response.writeHead(302, { location: `${redirectUri}?${back}` }).end();
  }

  async function token({ headers }: IncomingMessage, body: URLSearchParams): Promise<Claims> {
    checkClient(headers.authorization, body);
    const granted = {
      access_token: await simulated.issue(simulated.tokens.accessToken),
      token_type: "Bearer",
    };
    if (body.get("grant_type") === "authorization_code") {
      const nonce = redeem(body);
      const idToken = await keys.sign({ ...simulated.tokens.idToken, ...times(), nonce }, { typ: "JWT" });
      return { ...granted, id_token: idToken };
    }
    const isPassword = body.get("grant_type") === "password" && body.get("password") === "...";
    if (!isPassword && body.get("device_code") !== DEVICE_CODE) throw new Error("invalid_grant");
    return granted;
  }

  function checkClient(authorization: string | undefined, body: URLSearchParams): void {
    const { client, deviceClientId } = simulated.tokens;
    const basic = Buffer.from((authorization ?? "").replace(/^Basic /, ""), "base64").toString();
    const [id, secret] =
      authorization === undefined ? [body.get("client_id"), body.get("client_secret")] : basic.split(":");
    if (![client.id, deviceClientId].includes(id ?? "") || secret !== client.secret)
      throw new Error("invalid_client");
  }

  /** @see RFC 7636 */
  function redeem(body: URLSearchParams): string {
    const asked = codes.get(body.get("code") ?? "");
    codes.delete(body.get("code") ?? "");
    const proof = createHash("sha256").update(body.get("code_verifier") ?? "");
    if (asked?.challenge !== proof.digest("base64url") || asked.redirectUri !== body.get("redirect_uri"))
      throw new Error("invalid_grant");
    return asked.nonce;
  }

  function device(body: URLSearchParams): Claims {
    if (body.get("client_id") !== simulated.tokens.deviceClientId) throw new Error("unauthorized_client");
    const address = { [quirks.verification ?? "verification_uri"]: `${url}/device` };
    return { device_code: DEVICE_CODE, user_code: "GQVQ-JKEC", expires_in: 1800, interval: 1, ...address };
  }

  function tokenInfo({ method, headers }: IncomingMessage): Claims {
    if (method !== "POST" || headers.authorization !== `Bearer ${OPAQUE}`) throw new Error("invalid_token");
    return simulated.tokens.tokenInfo;
  }

  return simulated;
}

function times(): Claims {
  const seconds = Math.floor(Date.now() / 1000);
  return { iat: seconds, exp: seconds + 300 };
}

function sendJson(response: ServerResponse, status: number, answer: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
}
