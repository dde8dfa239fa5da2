/**
 * Delegated tokens: obtained by a right that a user passed on, such as an application credential or a trust, instead of a login of
 * the user. Features that a user may not pass on refuse them.
 */
import { errorClass, ForbiddenError, UnauthorizedError } from "../platform/errors.js";
import { routedPath, spelledAsRouted } from "../platform/http/request-target.js";

/** What passed the right on. Several may apply at once: an EC2 key is bound to the application credential that created it. */
export interface DelegatedBy {
  readonly applicationCredentialId?: string;
  readonly trustId?: string;
  /** Of OAuth 1.0a. */
  readonly accessToken?: { readonly id: string; readonly consumerId: string };
  /** SHA-256 of the client certificate of an OAuth 2.0 login, base64url with padding. */
  readonly certificateThumbprint?: string;
}

/** A request that an application credential allows. */
export interface AccessRule {
  readonly id: string;
  /** The type of the service: `compute`. */
  readonly service: string;
  readonly method: string;
  /** `*` and `{name}` match one segment, `**` any rest. */
  readonly path: string;
}

/** The delegation of a caller's token. */
export interface Delegation {
  /** The methods that are not primary, and `trust`. */
  readonly kinds: readonly string[];
  readonly by: DelegatedBy;
  /** Whether it is an application credential that may not create or delete credentials. */
  readonly isRestricted: boolean;
  /** The only requests that it allows; any, if left out. */
  readonly accessRules?: readonly AccessRule[];
}

/** Methods by which users log in themselves. */
const PRIMARY_METHODS: ReadonlySet<string> = new Set([
  "external",
  "kerberos",
  "mapped",
  "openid",
  "password",
  "saml2",
  "token",
  "totp",
  "webauthn",
  "x509",
]);

export interface TokenOrigin {
  readonly methods: readonly string[];
  readonly delegation?: DelegatedBy;
  /** An operator's protocol is a method of its own name. */
  readonly federation?: { readonly protocolId: string };
}

/** The methods of a token that make it delegated, and `trust`; none for a login of the user. */
export function delegatedKinds({ methods, delegation, federation }: TokenOrigin): readonly string[] {
  const others = methods.filter(
    (method) => !PRIMARY_METHODS.has(method) && method !== federation?.protocolId,
  );
  return delegation?.trustId === undefined ? others : [...others, "trust"];
}

/** Whether a token is delegated; one without methods is, because it is unknown how it was obtained. */
export function isDelegated(origin: TokenOrigin): boolean {
  return origin.delegation !== undefined || origin.methods.length === 0 || delegatedKinds(origin).length > 0;
}

/** What a delegated token may not do. */
export class DelegationForbiddenError extends errorClass(
  ForbiddenError,
  "policy/delegated",
  (action: string) => `You are not authorized to perform the requested action: ${action}.`,
) {}

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

/**
 * Checks that a delegated token may be used for a request to this service.
 *
 * @throws {SignedRequestTokenError} {@link AccessRuleError}
 */
export function requireUsable({ kinds, accessRules }: Delegation, request: RoutedRequest): void {
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
