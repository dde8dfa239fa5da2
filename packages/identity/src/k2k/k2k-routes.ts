/** The metadata of the service, and `/v3/auth/OS-FEDERATION/saml2`: assertions for other clouds. */
import type { FastifyReply } from "fastify";
import { Type } from "typebox";

import { extensionRelation } from "../platform/discovery/json-home.js";
import type { ExtensionPlace } from "../platform/http/extension-place.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { NewId } from "../platform/ids.js";
import { FEDERATION_PLACES } from "../federation/federation-resources.js";
import { keystoneEnvelope } from "./ecp-envelope.js";
import type { ResponseForProvider, SamlProvider } from "./k2k-service.js";

export interface SamlProviderRoutesDeps {
  readonly saml: SamlProvider;
  readonly newId: NewId;
}

const tags = ["SAML"];
const PREFIX = "/v3/auth/OS-FEDERATION";

const closed = { additionalProperties: false } as const;
const Named = Type.Object({ id: Type.String() }, closed);

/** The methods are those of the form of a login, and nobody looks at them. */
const AssertionRequest = Type.Object({
  auth: Type.Object(
    {
      identity: Type.Object({ methods: Type.Optional(Type.Array(Type.Unknown())), token: Named }, closed),
      scope: Type.Object({ service_provider: Named }, closed),
    },
    closed,
  ),
});

/** The metadata under each prefix of the federation, and the assertions. */
export function addSamlProviderRoutes(server: HttpServer, deps: SamlProviderRoutesDeps): void {
  for (const place of FEDERATION_PLACES) addMetadataRoute(server, place, deps);
  addAssertionRoutes(server, deps);
}

function addMetadataRoute(
  server: HttpServer,
  { prefix }: ExtensionPlace,
  { saml }: SamlProviderRoutesDeps,
): void {
  server.get(
    `${prefix}/saml2/metadata`,
    {
      config: { access: "public" },
      schema: { tags, summary: "Shows the service's SAML metadata", response: { 200: Type.String() } },
    },
    async (_request, reply) => sendXml(reply, await saml.metadata()),
  );
}

function addAssertionRoutes(server: HttpServer, { saml, newId }: SamlProviderRoutesDeps): void {
  const schema = { tags, body: AssertionRequest, response: { 200: Type.String() } };
  const home = [{ relation: extensionRelation("OS-FEDERATION", "saml2") }];

  server.post(
    `${PREFIX}/saml2`,
    {
      config: { access: "public", home },
      schema: { ...schema, summary: "Makes an assertion for another cloud" },
    },
    async ({ body: { auth } }, reply) => {
      const made = await saml.respond(auth.identity.token.id, auth.scope.service_provider.id);
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
      const made = await saml.respond(auth.identity.token.id, auth.scope.service_provider.id);
      const relayState = `${made.provider.relayStatePrefix}${newId()}`;
      return sendTo(reply, made, keystoneEnvelope(made.response, relayState));
    },
  );
}

/** The client is told where to take it. */
function sendTo(reply: FastifyReply, { provider }: ResponseForProvider, xml: string): FastifyReply {
  return sendXml(reply.header("x-sp-url", provider.spUrl).header("x-auth-url", provider.authUrl), xml);
}

function sendXml(reply: FastifyReply, xml: string): FastifyReply {
  return reply.header("content-type", "text/xml").send(xml);
}
