/** `/v3/OS-FEDERATION/document`, an extension of this service: the federation as one document, its plan and its apply. */
import { Type, type Static } from "typebox";

import type { Clock } from "../platform/clock.js";
import { BODY_LIMITS } from "../platform/http/body-limits.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { createRoutes } from "../platform/http/route.js";
import { nullable, series } from "../platform/http/validation/schema-parts.js";
import type { NewId } from "../platform/ids.js";
import { NotAllowedError } from "../policy/guard.js";
import type { MayDo } from "../policy/held-policy.js";
import type { Action } from "../policy/is-allowed.js";
import { affectedLogins, type AffectedLoginsDeps } from "./affected-logins.js";
import { recordChanges } from "./change-audit.js";
import { changesView, describeChanges, type DocumentChange } from "./differences.js";
import { SECTIONS } from "./document.js";
import type { FederationDocuments } from "./federation-document.js";
import { revisionOf } from "./plan-revision.js";
import type { MadeChange } from "./reconcile.js";
import { secretsOfRequest } from "./secret-references.js";

export interface DocumentRoutesDeps extends AffectedLoginsDeps {
  readonly documents: FederationDocuments;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Whether each change is an event of the audit trail. */
  readonly keepsTrail: boolean;
}

/** What an export reads. */
const READS: readonly Action[] = [
  "identity:list_domains",
  "identity:list_projects",
  "identity:list_groups",
  "identity:list_roles",
  "identity:list_role_assignments",
  "identity:list_limits",
  "identity:list_mappings",
  "identity:list_identity_providers",
  "identity:list_service_providers",
];

const ExportQuery = Type.Object({
  format: Type.Optional(Type.Enum(["yaml", "json"])),
  /** Only this section. */
  section: Type.Optional(Type.Enum([...SECTIONS])),
  /** Only this identity provider, and the mappings of its protocols. */
  identity_provider: Type.Optional(Type.String()),
  /** Only this mapping. */
  mapping: Type.Optional(Type.String()),
  /** Only this service provider. */
  service_provider: Type.Optional(Type.String()),
});

const DocumentBody = Type.Object(
  {
    /** YAML or JSON. */
    document: Type.String(),
    /** The secrets that the document refers to by `{ env: NAME }`, by these names; stored ones are kept if left out. */
    secrets: Type.Optional(Type.Record(Type.String(), Type.String({ writeOnly: true }))),
  },
  { additionalProperties: false },
);
const ApplyBody = Type.Object(
  {
    ...DocumentBody.properties,
    /** That of a plan: other changes are refused. */
    revision: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

const ChangesResponse = Type.Object({
  changes: series(
    Type.Object({
      change: Type.Enum(["create", "update", "delete"]),
      kind: Type.String(),
      name: Type.String(),
      fields: series(
        Type.Object({
          field: Type.String(),
          from: Type.Optional(nullable(Type.Unknown())),
          to: Type.Optional(nullable(Type.Unknown())),
          secret: Type.Optional(Type.Boolean()),
          is_set: Type.Optional(Type.Boolean()),
        }),
      ),
    }),
  ),
  /** The same as `hamkit-identity federation` prints it. */
  lines: series(Type.String()),
  /** For an apply that is to make these changes, or none. */
  revision: Type.String(),
  /** Of a plan: what recorded logins would become. */
  logins: Type.Optional(
    series(
      Type.Object({
        subject: Type.String(),
        logins: Type.Integer(),
        same: Type.Integer(),
        changes: series(Type.String()),
      }),
    ),
  ),
});

export function addDocumentRoutes(
  server: HttpServer,
  { documents, clock, newId, keepsTrail, ...affected }: DocumentRoutesDeps,
): void {
  const route = createRoutes(server, "federation");
  const path = "/v3/OS-FEDERATION/document";

  route("GET", path, {
    access: "identity:list_identity_providers",
    summary: "Exports the federation as one document",
    query: ExportQuery,
    response: Type.Unknown(),
    async handle(request, reply) {
      const { format = "yaml", section, identity_provider, mapping, service_provider } = request.query;
      requireActions(READS, request.server.decisions.within(request));
      const text = await documents.export(format, {
        section,
        identityProvider: identity_provider,
        mapping,
        serviceProvider: service_provider,
      });
      return reply.type(format === "json" ? "application/json" : "application/yaml").send(text);
    },
  });
  // A plan takes the locks of an apply, and compares secrets.
  route("POST", `${path}/plan`, {
    access: "identity:create_identity_provider",
    isRead: true,
    bodyLimit: BODY_LIMITS.federationDocument,
    summary: "Shows what the apply of a document would change",
    body: DocumentBody,
    response: ChangesResponse,
    async handle(request) {
      requireActions(READS, request.server.decisions.within(request));
      const { document, changes } = await documents.plan(given(request.body));
      return { ...view(changes), logins: await affectedLogins(document, changes, affected) };
    },
  });
  route("PUT", path, {
    access: "identity:create_identity_provider",
    auditedAs: "identity:apply_federation_document",
    bodyLimit: BODY_LIMITS.federationDocument,
    summary: "Makes the service what a document states: all of it, or nothing",
    body: ApplyBody,
    response: ChangesResponse,
    async handle(request) {
      const { body, caller, id, ip } = request;
      const decide = request.server.decisions.within(request);
      requireActions(READS, decide);
      const record = { clock, newId, request: id, caller: { userId: caller.userId, address: ip } };
      const changes = await documents.apply(given(body), {
        revision: body.revision,
        check: (made) => requireActions(actionsOf(made), decide),
        record: async (transaction, made) =>
          keepsTrail ? recordChanges(transaction, made, record) : undefined,
      });
      return view(changes);
    },
  });
}

/** The caller may do on any resource what the changes do: the document is no way around the policy. */
function requireActions(actions: Iterable<Action>, decide: MayDo): void {
  for (const action of actions) if (!decide({ action })) throw new NotAllowedError(action);
}

const actionsOf = (changes: readonly MadeChange[]): Set<Action> =>
  new Set(changes.map(({ action }) => action as Action));

function given({ document: text, secrets }: Static<typeof DocumentBody>) {
  return { text, file: "document", secrets: secrets && secretsOfRequest(secrets) };
}

function view(changes: readonly DocumentChange[]) {
  return { changes: changesView(changes), lines: describeChanges(changes), revision: revisionOf(changes) };
}
