/** Dry runs, lint and replays of mapping rules, below `/mappings` of the federation. */
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";

import type { FastifyReply } from "fastify";

import { isoTime } from "../../federation/leeway.js";
import type { ProtocolTypes } from "../../federation/protocols/protocol-type.js";
import type { HeldRole } from "../../grants/held-roles.js";
import type { IdentityProvider } from "../../identity-providers/identity-provider.js";
import type { ProtocolKey, StoredProtocol } from "../../identity-providers/protocols/protocol-store.js";
import { lintRules } from "../../mappings/lint/lint-rules.js";
import { compileMappingInSlices, type Mapping } from "../../mappings/rules/compile-mapping.js";
import type { Assertion } from "../../mappings/rules/evaluate-mapping.js";
import { traceMapping, type RuleTrace } from "../../mappings/rules/trace-mapping.js";
import { BODY_LIMITS } from "../../platform/http/body-limits.js";
import type { ExtensionPrefix } from "../../platform/http/extension-prefix.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import { createRoutes } from "../../platform/http/route.js";
import {
  DraftEvaluation,
  DraftLint,
  EvaluationResponse,
  LintResponse,
  PastedBody,
  PastedResponse,
  ReplayBody,
  ReplayResponse,
  StoredEvaluation,
} from "./dry-run-schema.js";
import type { ChangedTarget } from "./login-changes.js";
import type { LoginPreview, PreviewLogin } from "./login-preview.js";
import { readPasted } from "./pasted-assertion.js";
import type { Replay, ReplayRequest } from "./replay.js";
import type { ListRuleAccess } from "./rule-access.js";

export interface DryRunRoutesDeps {
  readonly mappings: { readonly getCompiled: (id: string) => Promise<Mapping> };
  readonly identityProviders: { readonly get: (id: string) => Promise<IdentityProvider> };
  readonly protocols: {
    readonly get: (key: ProtocolKey) => Promise<StoredProtocol>;
  };
  readonly types: Pick<ProtocolTypes, "types">;
  readonly previewLogin: PreviewLogin;
  readonly listRuleAccess: ListRuleAccess;
  readonly replay: (request: ReplayRequest) => Promise<Replay>;
}

export function addDryRunRoutes(
  server: HttpServer,
  { prefix }: ExtensionPrefix,
  deps: DryRunRoutesDeps,
): void {
  const { mappings, listRuleAccess, replay } = deps;
  const collection = `${prefix}/mappings` as const;
  const route = createRoutes(server, "mappings");
  // They are sent at every keystroke and change nothing.
  const dryRun = { access: "identity:get_mapping", isRead: true } as const;

  route("POST", `${collection}/:mapping_id/evaluate`, {
    ...dryRun,
    summary: "Reports the result of a mapping for an assertion, and why",
    body: StoredEvaluation,
    response: EvaluationResponse,
    handle: async ({ params: { mapping_id: mappingId }, body }, reply) =>
      evaluate(reply, { mapping: await mappings.getCompiled(mappingId), mappingId, ...namesOf(body) }),
  });
  route("POST", `${collection}/evaluate`, {
    ...dryRun,
    bodyLimit: BODY_LIMITS.dryRun,
    summary: "Reports the result of rules that are not stored for an assertion, and why",
    body: DraftEvaluation,
    response: EvaluationResponse,
    handle: async ({ body }, reply) => {
      const mapping = await compileMappingInSlices({ rules: body.rules, schemaVersion: body.schema_version });
      return evaluate(reply, { mapping, mappingId: "of this request", ...namesOf(body) });
    },
  });
  route("POST", `${collection}/lint`, {
    ...dryRun,
    bodyLimit: BODY_LIMITS.dryRun,
    summary:
      "Reports likely mistakes in rules, and every group, project role and local user that they can give",
    body: DraftLint,
    response: LintResponse,
    async handle({ body: { rules, schema_version: schemaVersion } }) {
      const mapping = await compileMappingInSlices({ rules, schemaVersion });
      const { access, isTruncated } = await listRuleAccess(mapping);
      return {
        lint: lintRules(mapping),
        access: access.map(({ domainId, isAdmin, ...entry }) =>
          Object.assign(entry, { domain_id: domainId, is_admin: isAdmin }),
        ),
        truncated: isTruncated,
      };
    },
  });
  route("POST", `${collection}/assertion`, {
    ...dryRun,
    bodyLimit: BODY_LIMITS.dryRun,
    summary:
      "Names the attributes of an assertion (JSON, a JWT or SAML XML) as a login does, without verifying it",
    body: PastedBody,
    response: PastedResponse,
    async handle({ body: { text, identity_provider_id: idpId, protocol_id: id } }) {
      const protocol =
        idpId === undefined || id === undefined ? undefined : await deps.protocols.get({ idpId, id });
      const { leftOut, ...pasted } = readPasted(text, deps.types.types, protocol);
      return { ...pasted, left_out: leftOut };
    },
  });
  route("POST", `${collection}/:mapping_id/replay`, {
    // It reports what was recorded of logins.
    access: "identity:update_mapping",
    auditedAs: "identity:replay_mapping",
    bodyLimit: BODY_LIMITS.dryRun,
    summary: "Replays the recorded logins of a mapping's protocols against new rules",
    body: ReplayBody,
    response: ReplayResponse,
    handle: async ({ params: { mapping_id: mappingId }, body }) => ({
      replay: replayView(
        await replay({
          mappingId,
          rules: body.rules,
          schemaVersion: body.schema_version,
          idpId: body.identity_provider_id,
          protocolId: body.protocol_id,
        }),
      ),
    }),
  });

  async function evaluate(reply: Pick<FastifyReply, "type">, { mapping, assertion, ...login }: Evaluation) {
    const { trace, ...others } = traceMapping(mapping, assertion);
    const resulting = login.idpId === undefined ? {} : await loginView(mapping, assertion, login);
    return sendTrace(reply, trace, { ...others, lint: lintRules(mapping), ...resulting });
  }

  async function loginView(
    mapping: Mapping,
    attributes: Assertion,
    { idpId = "", protocolId = "", mappingId }: Omit<Evaluation, "mapping" | "assertion">,
  ) {
    const provider = await deps.identityProviders.get(idpId);
    const outcome = await deps.previewLogin({ mapping, mappingId, provider, protocolId, attributes });
    if (outcome.kind === "accepted") return { login: previewView(outcome.preview), refusal: null };
    const { step, reason } = outcome.facts;
    return { login: null, refusal: { step, reason } };
  }
}

interface Evaluation {
  readonly mapping: Mapping;
  readonly mappingId: string;
  readonly assertion: Assertion;
  /** Without a provider, nothing is looked up. */
  readonly idpId: string | undefined;
  readonly protocolId: string | undefined;
}

interface EvaluationBody {
  readonly assertion: Assertion;
  readonly identity_provider_id?: string;
  readonly protocol_id?: string;
}

const namesOf = ({ assertion, identity_provider_id: idpId, protocol_id: protocolId }: EvaluationBody) => ({
  assertion,
  idpId,
  protocolId,
});

/** Sends a dry run rule by rule: each rule repeats the values it received, so the text may be forty times the request's. */
function sendTrace(reply: Pick<FastifyReply, "type">, trace: readonly RuleTrace[], others: object) {
  async function* text(): AsyncGenerator<string> {
    yield `${JSON.stringify(others).slice(0, -1)},"trace":[`;
    for (const [index, rule] of trace.entries()) {
      yield `${index === 0 ? "" : ","}${JSON.stringify(rule)}`;
      await nextTurn();
    }
    yield "]}";
  }
  return reply.type("application/json; charset=utf-8").send(Readable.from(text(), { objectMode: false }));
}

/** A preview as responses show it. */
export function previewView({ user, groups, missingGroups, projects, roles }: LoginPreview) {
  const { domainId, uniqueId, isNew, ...named } = user;
  return {
    user: { ...named, domain_id: domainId, unique_id: uniqueId, is_new: isNew },
    groups: groups.map(ofDomain),
    missing_groups: missingGroups,
    projects: projects.map((project) => ({
      ...ofDomain(project),
      is_new: project.isNew,
      roles: project.roles,
    })),
    roles: roles.map(({ role, target, isInherited, holder }: HeldRole) => ({
      role,
      target: targetView({ ...target, isInherited }),
      through: { id: holder.id, name: holder.name },
    })),
  };
}

const ofDomain = ({ id, name, domainId }: { id: string; name: string; domainId: string }) => ({
  id,
  name,
  domain_id: domainId,
});

const targetView = ({ kind, id, name, domainId, isInherited }: ChangedTarget) => ({
  kind,
  id,
  name,
  domain_id: domainId,
  inherited: isInherited,
});

function replayView({ changes, details, unrecorded, refusedByBoth, ...counts }: Replay) {
  return {
    ...counts,
    changes: changes.map(({ kind, text, count, role, target }) => ({
      kind,
      text,
      count,
      role,
      target: target && targetView(target),
    })),
    details: details.map(({ id, idpId, protocolId, recordedAt, user, changes: indexes }) => ({
      id,
      identity_provider_id: idpId,
      protocol_id: protocolId,
      recorded_at: isoTime(recordedAt),
      user,
      changes: indexes,
    })),
    refused_by_both: refusedByBoth,
    unrecorded: unrecorded.map(({ idpId, id, attributes }) => ({
      identity_provider_id: idpId,
      protocol_id: id,
      attributes,
    })),
  };
}
