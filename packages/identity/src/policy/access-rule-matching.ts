/** The requests that delegated tokens may be used for: access rules of application credentials, and none for signed requests. */
import { errorClass, ForbiddenError, UnauthorizedError } from "../platform/errors.js";
import { routedPath, spelledAsRouted } from "../platform/http/request-target.js";

/** A request that an application credential allows. */
export interface AccessRule {
  readonly id: string;
  /** The type of the service: `compute`. */
  readonly service: string;
  readonly method: string;
  /** `*` and `{name}` match one segment, `**` any rest. */
  readonly path: string;
}

/** Tokens of signed EC2 and S3 requests are for services to validate, not to call this one with. */
export class SignedRequestTokenError extends errorClass(
  ForbiddenError,
  "policy/signed-request-token",
  "You are not authorized to perform the requested action.",
) {}

/** No access rule of the caller's application credential allows the request. */
export class AccessRuleError extends errorClass(
  UnauthorizedError,
  "policy/access-rules",
  (method: string, path: string) =>
    `no access rule of service type identity allows ${method} ${path} by this application credential`,
) {}

/** Any token may be validated, as keystonemiddleware has it. */
const VALIDATION = { method: "GET", path: "/v3/auth/tokens" };

/** The type of this service in access rules. */
const OWN_SERVICE_TYPE = "identity";

/** A request whose route is known: rules are matched with the path of the route, never with the target as the client spelled it. */
export type RoutedRequest = Parameters<typeof routedPath>[0] & { readonly method: string };

/** What the checks read of a delegation. */
interface RuledDelegation {
  readonly kinds: readonly string[];
  readonly accessRules?: readonly AccessRule[];
}

/**
 * Checks that a delegated token may be used for a request to this service.
 *
 * @throws {SignedRequestTokenError} {@link AccessRuleError}
 */
export function requireUsable({ kinds, accessRules }: RuledDelegation, request: RoutedRequest): void {
  if (kinds.includes("ec2credential")) throw new SignedRequestTokenError();
  if (accessRules === undefined) return;
  const { method } = request;
  const path = routedPath(request);
  const allows = (rule: AccessRule) =>
    rule.service === OWN_SERVICE_TYPE &&
    rule.method === method &&
    matchesPath(spelledAsRouted(rule.path), path);
  const isValidation = method === VALIDATION.method && path === VALIDATION.path;
  if (isValidation || accessRules.some(allows)) return;
  throw new AccessRuleError(method, path);
}

/**
 * Whether an access rule's pattern matches a path.
 *
 * Follows all ways through the pattern at once: a regular expression with many `**` could take years.
 */
export function matchesPath(pattern: string, path: string): boolean {
  const parts = pattern.match(/\{[^{}]*\}|\*\*|\*|[^]/g) ?? [];
  /** Adds a place in the pattern, and those behind it that need no more characters. */
  function reach(places: Set<number>, place: number): void {
    places.add(place);
    if (parts[place] === "**") reach(places, place + 1);
  }
  let places = new Set<number>();
  reach(places, 0);
  for (const character of path.split("")) {
    const next = new Set<number>();
    for (const place of places) {
      const part = parts[place] ?? "";
      const isSegment = part === "*" || (part.length > 1 && part !== "**");
      if (part === "**" || (isSegment && character !== "/")) reach(next, place);
      if (isSegment ? character !== "/" : part === character) reach(next, place + 1);
    }
    places = next;
  }
  return places.has(parts.length);
}
