/** Differences between a Keystone and this service that docs/identity/differences.md explains: they are no fault of an import. */
import { differencesOf, type ValueDifference } from "./response-differences.js";

/** A request that both services responded to with the same status. */
export interface ComparedResponse {
  /** With `/v3` and the query. */
  readonly path: string;
  /** Of the Keystone. */
  readonly body: unknown;
}

type Rule = (difference: ValueDifference, response: ComparedResponse) => boolean;

/** A link that differs in the response to such a request. */
const linkOf =
  (request: RegExp): Rule =>
  ({ path }, response) =>
    /(?:^|\/)(?:links|roles_links)(?:\/|$)/.test(path) && request.test(response.path);

/** By the section of docs/identity/differences.md. */
const RULES: Readonly<Record<string, Rule>> = {
  "links-of-implied-roles": linkOf(/^\/v3\/role_assignments/),
  "protocol-links-lead-to-the-protocol": linkOf(/^\/v3\/OS-FEDERATION\/identity_providers\/[^/]+\/protocols/),
  "legacy-regions-have-names": ({ path }) => /^endpoints?\/(?:\w+\/)?region$/.test(path),
  "system-roles-are-not-inherited": ({ path, target }, response) =>
    /^\/v3\/role_assignments\?.*inherited_to/.test(response.path) &&
    target === undefined &&
    path.includes('"system"'),
  "expiring-members-are-members": ({ path, source, target }, response) =>
    (source === undefined &&
      /^\/v3\/(?:groups\/\w+\/users|role_assignments\?.*effective)/.test(response.path)) ||
    (path.endsWith("/membership_expires_at") && target === source?.replace('000"', '000Z"')),
  // Keystone 22 has none.
  "schema-versions-are-checked": ({ path }) => path.endsWith("schema_version"),
  "scopes-are-enabled": ({ path, source, target }, response) =>
    (response.path === "/v3/auth/projects" &&
      target === undefined &&
      source?.includes('"enabled":false') === true) ||
    (response.path === "/v3/auth/system" && path === "system/0" && source === undefined),
  "tokens-of-federations-are-like-others": ({ path }, response) =>
    JSON.stringify(response.body).includes('"OS-FEDERATION"') &&
    /^token\/roles\/\w+\/(?:domain_id|description|options)$/.test(path),
  // Links are made here, not imported: releases of Keystone differ in them too.
  "links-lead-there": linkOf(/^/),
};

export interface ExplainedDifferences {
  readonly unknown: readonly ValueDifference[];
  /** Sections of docs/identity/differences.md. */
  readonly rules: readonly string[];
}

/** Compares the bodies of two responses, and sets aside what is known. */
export function explainDifferences(response: ComparedResponse, target: unknown): ExplainedDifferences {
  const rules = new Set<string>();
  const [from, to] = [response.body, target].map(assignmentsIn);
  const isListOfAssignments = from !== undefined && to !== undefined;
  const differences = isListOfAssignments ? differencesOf(from, to) : differencesOf(response.body, target);
  if (isListOfAssignments && differences.length < differencesOf(response.body, target).length)
    rules.add("links-of-implied-roles");
  const unknown = differences.filter((difference) => {
    const rule = Object.keys(RULES).find((name) => RULES[name]?.(difference, response));
    if (rule !== undefined) rules.add(rule);
    return rule === undefined;
  });
  return { unknown, rules: [...rules] };
}

/** Role assignments without links: Keystone repeats an effective one for each role that implies it, and names another of them. */
function assignmentsIn(body: unknown): unknown {
  const { role_assignments: assignments } = (body ?? {}) as { readonly role_assignments?: unknown };
  if (!Array.isArray(assignments)) return undefined;
  const texts = (assignments as readonly Readonly<Record<string, unknown>>[]).map(
    ({ scope, user, group, role }) => JSON.stringify([scope, user, group, role].map(sorted)),
  );
  return { role_assignments: [...new Set(texts)].map((id) => ({ id })) };
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value ?? null;
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => [name, sorted(member)]);
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
