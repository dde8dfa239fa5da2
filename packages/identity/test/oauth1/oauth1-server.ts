/** The whole service, with administrators who authorize consumers of OAuth 1.0a, and signed requests. */
import { createHmac, randomUUID } from "node:crypto";

import { credentialServer, type Member } from "../application-credentials/application-credential-server.js";
import type { TestDatabases } from "../databases.js";
import { PUBLIC_URL } from "../test-server.js";

export type OAuth1Server = Awaited<ReturnType<typeof oauth1Server>>;

/** The id and secret of a consumer or token. */
export interface Pair {
  readonly id: string;
  readonly secret: string;
}

export interface Signed {
  readonly method?: string;
  readonly consumer: Pair;
  readonly token?: Pair;
  /** In addition to the usual ones, or instead of them. */
  readonly parameters?: Readonly<Record<string, string>>;
}

const escape = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

export async function oauth1Server(databases: TestDatabases, env: Record<string, string> = {}) {
  const server = await credentialServer(databases, env);

  /** The header of a request, signed as a client does. */
  function sign(path: string, { method = "POST", consumer, token, parameters = {} }: Signed): string {
    const values: Record<string, string> = {
      oauth_consumer_key: consumer.id,
      oauth_nonce: randomUUID(),
      oauth_signature_method: "HMAC-SHA1",
      oauth_timestamp: String(Math.floor(server.time.now / 1000)),
      oauth_version: "1.0",
      ...(token !== undefined && { oauth_token: token.id }),
      ...parameters,
    };
    const pairs = Object.keys(values)
      .toSorted()
      .map((name) => `${name}=${escape(values[name] ?? "")}`);
    const base = [method, PUBLIC_URL + path, pairs.join("&")].map(escape).join("&");
    const signature = createHmac("sha1", `${consumer.secret}&${token?.secret ?? ""}`)
      .update(base)
      .digest("base64");
    const header = Object.entries({ ...values, oauth_signature: signature });
    return `OAuth ${header.map(([name, value]) => `${name}="${escape(value)}"`).join(", ")}`;
  }

  async function form(path: string, headers: Readonly<Record<string, string>>) {
    const answer = await server.inject({ method: "POST", url: path, headers });
    const values = Object.fromEntries(new URLSearchParams(answer.body));
    const { oauth_token: id = "", oauth_token_secret: secret = "", oauth_expires_at: expiresAt } = values;
    return {
      status: answer.statusCode,
      type: answer.headers["content-type"],
      token: { id, secret },
      expiresAt,
    };
  }

  async function newConsumer(): Promise<Pair> {
    const { body } = await server.ask("POST", CONSUMERS, {
      body: { consumer: { description: "a program" } },
    });
    return body.consumer as Pair;
  }
  const requestToken = (by: Pair, projectId: string, parameters: Signed["parameters"] = {}) =>
    form(REQUEST_TOKEN, {
      authorization: sign(REQUEST_TOKEN, {
        consumer: by,
        parameters: { oauth_callback: "oob", ...parameters },
      }),
      ...(projectId !== "" && { "requested-project-id": projectId }),
    });
  const authorize = (
    token: Pick<Pair, "id">,
    by: Pick<Member, "token">,
    roles: unknown = [{ name: "member" }],
  ) => server.send("PUT", `/v3/OS-OAUTH1/authorize/${token.id}`, { token: by.token, body: { roles } });
  const accessToken = (by: Pair, token: Pair, verifier: string, parameters: Signed["parameters"] = {}) =>
    form(ACCESS_TOKEN, {
      authorization: sign(ACCESS_TOKEN, {
        consumer: by,
        token,
        parameters: { oauth_verifier: verifier, ...parameters },
      }),
    });
  const logIn = (
    by: Pair,
    token: Pair,
    { scope, authorization }: { scope?: object; authorization?: string } = {},
  ) =>
    server.authenticate({ methods: ["oauth1"], oauth1: {} }, scope, {
      authorization: authorization ?? sign("/v3/auth/tokens", { consumer: by, token }),
    });

  return {
    ...server,
    logInByCredential: server.logIn,
    sign,
    form,
    consumer: newConsumer,
    requestToken,
    authorize,
    accessToken,
    logIn,
    /** A consumer's access token, authorized by a user with some of the user's roles. */
    async authorized(
      user: Member,
      roles: unknown = [{ name: "member" }],
    ): Promise<{ consumer: Pair; token: Pair }> {
      const by = await newConsumer();
      const { token: requested } = await requestToken(by, user.projectId);
      const { body } = await authorize(requested, user, roles);
      const { token } = await accessToken(by, requested, body.token.oauth_verifier as string);
      return { consumer: by, token };
    },
  };
}

export const CONSUMERS = "/v3/OS-OAUTH1/consumers";
export const REQUEST_TOKEN = "/v3/OS-OAUTH1/request_token";
export const ACCESS_TOKEN = "/v3/OS-OAUTH1/access_token";
