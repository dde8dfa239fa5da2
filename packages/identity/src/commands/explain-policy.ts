/** Why a request would be allowed or denied: the work of `policy explain`, loaded on demand. Nothing is changed. */
import { tokenForRules } from "../auth/token-response.js";
import type { Config } from "../config.js";
import { openService, type OpenService } from "../open-service.js";
import { systemClock as clock } from "../platform/clock.js";
import { createHttpServer } from "../platform/http/http-server.js";
import { addRouteHook } from "../platform/http/route-hooks.js";
import { newId, newRequestId } from "../platform/ids.js";
import { createLog } from "../platform/log.js";
import { callerAttributes } from "../policy/caller-attributes.js";
import { guardRoutes } from "../policy/guard.js";
import { holdPolicy, type ObservedDecision } from "../policy/held-policy.js";
import { policyOf, readTexts, settingsOf } from "../policy/load-policy.js";
import { createPolicy, scopeTypeOf, type PolicyInForce } from "../policy/policy-in-force.js";
import { explainRule, linesOf } from "../policy/rules/explain-rule.js";
import type { TokenScope } from "../tokens/token-payload.js";
import { openMigrated } from "./open-migrated.js";
import { NO_LINKS, requireNamedUser, type UserReference } from "./user-access.js";

export interface ExplainedRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body: unknown;
  readonly caller: UserReference;
  readonly scope: TokenScope;
}

/** @returns Lines for the operator. @throws {Error} The caller does not exist, or has no role in the scope. */
export async function explainRequest(config: Config, request: ExplainedRequest): Promise<readonly string[]> {
  // Nothing is migrated here.
  await (await openMigrated(config.database.url)).close();
  const settings = settingsOf(config);
  const inForce = policyOf(readTexts(settings), settings);
  const service = await openService(config, { clock, newId, publicUrl: NO_LINKS });
  try {
    return await explainIn(service, request, { config, policy: asRules(inForce, config) });
  } finally {
    await service.database.close();
  }
}

/** All actions decided by their rules as texts, also those that no file affects. */
function asRules({ written, builtIn }: PolicyInForce, config: Config): PolicyInForce {
  return createPolicy({ ...settingsOf(config), written, builtIn: [...builtIn.values()] });
}

async function explainIn(
  { areas, links }: OpenService,
  { method, path, body, caller, scope }: ExplainedRequest,
  { config, policy }: { readonly config: Config; readonly policy: PolicyInForce },
): Promise<readonly string[]> {
  const user = await requireNamedUser(areas, caller);
  const found = await areas.tokens.facts.read({ userId: user.id, scope });
  if (!("facts" in found)) throw new Error(`user ${user.id} gets no such token: ${found.fault}`);
  const { facts } = found;
  const server = createHttpServer({
    ...config.server,
    links,
    newRequestId,
    log: createLog("silent", { write: () => {} }),
  });
  let decision: ObservedDecision | undefined;
  const now = clock.now();
  const payload = {
    userId: user.id,
    methods: ["password"],
    scope,
    auditId: "",
    issuedAt: now,
    expiresAt: now,
  };
  guardRoutes(server, {
    authenticate: async () => facts.credentials,
    policy: holdPolicy(policy),
    showToken: () => tokenForRules({ payload, facts }),
    observe: (observed) => {
      decision = observed;
    },
  });
  // After the decision: no handler runs.
  server.addHook("onRoute", (route) =>
    addRouteHook(route, "preValidation", (_request, reply) => void reply.code(200).send()),
  );
  for (const area of Object.values(areas)) if ("addRoutes" in area) area.addRoutes(server);
  const response = await server.inject({
    method: method as "GET",
    url: path,
    headers: { "x-auth-token": "explained" },
    ...(body !== undefined && { payload: body as object }),
  });
  await server.close();
  if (decision === undefined)
    return [
      response.statusCode === 200
        ? `${method} ${path} is a public route: no rule is asked.`
        : `${method} ${path}: ${response.statusCode} ${response.body}, before a rule is asked.`,
    ];
  return explained(policy, decision);
}

function explained(policy: PolicyInForce, decision: ObservedDecision): string[] {
  const { action, isAllowed, caller, target, token } = decision;
  const place = policy.written.get(action);
  const scopes = policy.affected.get(action)?.scopes;
  const type = scopeTypeOf(caller);
  const isScopeRight = scopes === undefined || scopes.includes(type);
  const rule = policy.rules.get(action) ?? { kind: "deny" };
  const question = { rules: policy.rules, caller: callerAttributes(caller, token), target };
  return [
    `${action}: ${isAllowed ? "allowed" : "denied"}`,
    `Rule: ${place === undefined ? "built in" : `${place.file}:${place.line}`}`,
    ...(isScopeRight
      ? []
      : [`The action is for tokens of ${scopes.join(", ")}, and this one is for a ${type}.`]),
    ...linesOf(explainRule(rule, question)),
  ];
}
