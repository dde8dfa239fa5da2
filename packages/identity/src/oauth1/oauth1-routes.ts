/** `/v3/OS-OAUTH1`: consumers, request tokens, their authorization, and access tokens. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";

import { formatTimestamp } from "../platform/clock.js";
import { acceptLoginBodies } from "../platform/http/body-parsing.js";
import { homeIn, type ExtensionPrefix } from "../platform/http/extension-prefix.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import { createRoutes } from "../platform/http/route.js";
import { rejectDelegated } from "../policy/delegation-rejections.js";
import type { ConsumerService, CreatedConsumer } from "./consumer-service.js";
import { type IssuedOAuth1Token, type OAuth1Service } from "./oauth1-service.js";
import {
  Authorization,
  ChangedConsumer,
  ConsumerView,
  NewConsumer,
  VerifierResponse,
  type StoredConsumer,
} from "./oauth1-store.js";
import { readOAuth1Request, type OAuth1Request, type OAuth1Verifier } from "./oauth1-verification.js";

export interface OAuth1RoutesDeps extends ResourceDeps {
  readonly consumers: ConsumerService;
  readonly oauth1: OAuth1Service;
  readonly oauth1Verifier: OAuth1Verifier;
}

export const OAUTH1: ExtensionPrefix = { prefix: "/v3/OS-OAUTH1", putReplaces: false, homeName: "OS-OAUTH1" };
export const OAUTH1_TAG = "OAuth 1.0a";
const FORM = { content: { "application/x-www-form-urlencoded": { schema: Type.String() } } };
const CONSUMERS = "/v3/OS-OAUTH1/consumers";

export function addOAuth1Routes(server: HttpServer, deps: OAuth1RoutesDeps): void {
  addConsumerRoutes(server, deps);
  addTokenRoutes(server, deps);
  const { oauth1 } = deps;
  createRoutes(server, OAUTH1_TAG)("PUT", "/v3/OS-OAUTH1/authorize/:request_token_id", {
    access: {
      action: "identity:authorize_request_token",
      target({ caller }) {
        rejectDelegated("oauth1", caller);
        return {};
      },
    },
    home: homeIn(OAUTH1, "authorize_request_token", "request_token_id"),
    summary: "Authorizes a request token with roles of the caller",
    body: Authorization,
    response: VerifierResponse,
    handle: async ({ params, body, caller }) => ({
      token: { oauth_verifier: await oauth1.authorize(params.request_token_id, body.roles ?? [], caller) },
    }),
  });
}

function addConsumerRoutes(server: HttpServer, { consumers, links, ...deps }: OAuth1RoutesDeps): void {
  const resource = createResource(
    server,
    { ...deps, links },
    {
      path: CONSUMERS,
      id: "consumer_id",
      name: "consumer",
      place: OAUTH1,
      tag: OAUTH1_TAG,
      schema: ConsumerView,
      view: (consumer: StoredConsumer | CreatedConsumer) => ({
        ...consumer.extra,
        id: consumer.id,
        description: consumer.description,
        ...("secret" in consumer && { secret: consumer.secret }),
        links: { self: links.self(CONSUMERS, consumer.id) },
      }),
    },
  );
  resource.list({ read: consumers.list });
  resource.create({ body: NewConsumer, create: consumers.create });
  resource.show({ read: consumers.get });
  resource.update({ body: ChangedConsumer, update: consumers.update });
  resource.delete({ summary: "Deletes a consumer and its access tokens", delete: consumers.delete });
}

/** Requests of consumers, which are signed, and without a token of this service. */
function addTokenRoutes(server: HttpServer, { oauth1, oauth1Verifier: verifier }: OAuth1RoutesDeps): void {
  server.register(async (scope) => {
    acceptLoginBodies(scope);
    function add(
      [path, relation]: readonly [path: string, relation: string],
      summary: string,
      create: (signed: OAuth1Request, request: FastifyRequest) => Promise<IssuedOAuth1Token>,
    ): void {
      (scope as HttpServer).post(
        `/v3/OS-OAUTH1/${path}`,
        {
          config: { access: "public", home: homeIn(OAUTH1, relation) },
          schema: { tags: [OAUTH1_TAG], summary, response: { 201: FORM } },
        },
        async (request, reply) => sendToken(reply, await create(readOAuth1Request(request), request)),
      );
    }
    add(["request_token", "request_tokens"], "Creates a request token", (signed, { headers }) => {
      const projectId = [headers["requested-project-id"]].flat().join("");
      return oauth1.createRequestToken(signed, { projectId, verifier });
    });
    add(
      ["access_token", "access_tokens"],
      "Exchanges an authorized request token for an access token",
      (signed) => oauth1.createAccessToken(signed, verifier),
    );
  });
}

/** As a form whose values are plain, as Keystone's clients read it. */
function sendToken(reply: FastifyReply, { id, secret, expiresAt }: IssuedOAuth1Token): FastifyReply {
  return reply
    .code(201)
    .type("application/x-www-form-urlencoded")
    .send(`oauth_token=${id}&oauth_token_secret=${secret}&oauth_expires_at=${formatTimestamp(expiresAt)}`);
}
