/** `/v3/auth/OS-FEDERATION/saml2`: assertions for other clouds. */
import type { FastifyReply } from "fastify";
import { Type } from "typebox";

import type { Platform } from "../area.js";
import { extensionRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { K2kResponder, ResponseForProvider } from "./k2k-service.js";
import { keystoneEnvelope } from "./keystone-assertion.js";

const tags = ["SAML"];
const PREFIX = "/v3/auth/OS-FEDERATION";

const closed = { additionalProperties: false } as const;
const Named = Type.Object({ id: Type.String() }, closed);

/** The methods are those of a login request, and are ignored. */
const AssertionRequest = Type.Object({
  auth: Type.Object(
    {
      identity: Type.Object({ methods: Type.Optional(Type.Array(Type.Unknown())), token: Named }, closed),
      scope: Type.Object({ service_provider: Named }, closed),
    },
    closed,
  ),
});

export function addK2kRoutes(
  server: HttpServer,
  { k2kRespond, newId }: Pick<Platform, "newId"> & { readonly k2kRespond: K2kResponder },
): void {
  const schema = { tags, body: AssertionRequest, response: { 200: Type.String() } };
  const home = [{ relation: extensionRelation("OS-FEDERATION", "saml2") }];

  server.post(
    `${PREFIX}/saml2`,
    {
      config: { access: "public", home },
      schema: { ...schema, summary: "Makes an assertion for another cloud" },
    },
    async ({ body: { auth } }, reply) => {
      const made = await k2kRespond(auth.identity.token.id, auth.scope.service_provider.id);
      return sendTo(reply, made, made.response);
    },
  );

  server.post(
    `${PREFIX}/saml2/ecp`,
    {
      config: { access: "public" },
      schema: { ...schema, summary: "Makes an assertion for another cloud, in SOAP" },
    },
    async ({ body: { auth } }, reply) => {
      const made = await k2kRespond(auth.identity.token.id, auth.scope.service_provider.id);
      const relayState = `${made.provider.relayStatePrefix}${newId()}`;
      return sendTo(reply, made, keystoneEnvelope(made.response, relayState));
    },
  );
}

/** The headers name the URLs to which the client takes the assertion. */
function sendTo(reply: FastifyReply, { provider }: ResponseForProvider, xml: string): FastifyReply {
  return reply
    .header("x-sp-url", provider.spUrl)
    .header("x-auth-url", provider.authUrl)
    .header("content-type", "text/xml")
    .send(xml);
}
