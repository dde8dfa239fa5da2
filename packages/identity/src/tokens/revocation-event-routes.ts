/** `/v3/OS-REVOKE/events`: the revocation events, for services that validate tokens themselves. */
import { Type, type Static } from "typebox";

import type { Platform } from "../area.js";
import type { Moment } from "../platform/clock.js";
import { extensionRelation } from "../platform/discovery/json-home.js";
import { errorClass, InvalidError } from "../platform/errors.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { sendSlices } from "../platform/http/lists/long-list.js";
import { listEnd } from "../platform/http/lists/paging.js";
import { listOf, queryOf } from "../platform/http/validation/schema-parts.js";
import { formatTimestamp } from "../platform/clock.js";
import type { RevocationEvent } from "./revocation.js";
import type { Revocations } from "./revocations.js";

/** `since` is not a time. */
export class SinceError extends errorClass(
  InvalidError,
  "revocation/since",
  (since: string) => `invalidate date format ${since}`,
) {}

const PATH = "/v3/OS-REVOKE/events";

const optional = Type.Optional(Type.String());
const EventView = Type.Object({
  audit_id: optional,
  audit_chain_id: optional,
  user_id: optional,
  "OS-TRUST:trust_id": optional,
  "OS-OAUTH1:access_token_id": optional,
  "OS-OAUTH1:consumer_id": optional,
  project_id: optional,
  role_id: optional,
  domain_id: optional,
  domain_scope_id: optional,
  expires_at: optional,
  issued_before: Type.String(),
  revoked_at: Type.String(),
});

export function addRevocationEventRoutes(
  server: HttpServer,
  { revocations, links }: Pick<Platform, "links"> & { readonly revocations: Pick<Revocations, "since"> },
): void {
  const end = () => listEnd({ page: { limit: undefined, marker: undefined }, links, url: PATH }, undefined);
  server.get(
    PATH,
    {
      config: {
        access: "identity:list_revoke_events",
        home: [{ relation: extensionRelation("OS-REVOKE", "events") }],
      },
      schema: {
        tags: ["authentication"],
        summary: "Lists the events that revoke tokens",
        querystring: queryOf("since"),
        response: { 200: listOf("events", EventView) },
      },
    },
    async ({ query: { since = "" } }, reply) =>
      sendSlices(reply, "events", { slices: viewsOf(revocations.since(parseSince(since))), end }),
  );
}

async function* viewsOf(slices: AsyncIterable<readonly RevocationEvent[]>) {
  for await (const events of slices) yield events.filter(isExpressible).map(viewOf);
}

/** Other events name features that clients don't know: they would revoke all tokens there. */
function isExpressible({ identityProviderId, protocolId }: RevocationEvent): boolean {
  return identityProviderId === undefined && protocolId === undefined;
}

/** The members of a response, by features. */
const MEMBERS = {
  auditId: "audit_id",
  auditChainId: "audit_chain_id",
  userId: "user_id",
  trustId: "OS-TRUST:trust_id",
  accessTokenId: "OS-OAUTH1:access_token_id",
  consumerId: "OS-OAUTH1:consumer_id",
  projectId: "project_id",
  roleId: "role_id",
  domainId: "domain_id",
  domainScopeId: "domain_scope_id",
} as const;

function viewOf(event: RevocationEvent): Static<typeof EventView> {
  const features = Object.entries(MEMBERS) as [keyof typeof MEMBERS, string][];
  const named = features.filter(([feature]) => event[feature] !== undefined);
  return {
    ...Object.fromEntries(named.map(([feature, member]) => [member, event[feature]])),
    ...(event.expiresAt !== undefined && { expires_at: formatTimestamp(event.expiresAt) }),
    issued_before: formatTimestamp(event.issuedBefore),
    revoked_at: formatTimestamp(event.revokedAt),
  };
}

/** ISO 8601: a date, and a time in UTC or with an offset. */
const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/;

/** @returns The beginning of time for an empty text. */
function parseSince(since: string): Moment {
  if (since === "") return 0;
  const [, date, time = "00:00", offset = "Z"] = TIME.exec(since) ?? [];
  const moment = Date.parse(`${date}T${time}${offset}`);
  if (Number.isNaN(moment)) throw new SinceError(since);
  return moment;
}
