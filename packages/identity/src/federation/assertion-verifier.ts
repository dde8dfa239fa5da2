/** The port of login protocols: OpenID Connect, SAML 2.0 and trusted front ends verify requests and return assertions. */
import type { IncomingHttpHeaders } from "node:http";

import type { OpenedSettings } from "../identity-providers/protocols/protocol-settings.js";
import type { Assertion } from "../mappings/rules/evaluate-mapping.js";
import type { Moment } from "../platform/clock.js";
import { once } from "../platform/concurrency/once.js";
import type { LoginTrace } from "./login-trace.js";

declare const VERIFIED: unique symbol;

/** A verified assertion: only {@link asVerified}, which verifiers call, makes one. */
export interface VerifiedAssertion extends AssertionFacts {
  readonly [VERIFIED]: true;
}

export interface AssertionFacts {
  readonly identityProviderId: string;
  readonly protocolId: string;
  /** The asserting party, such as an issuer or entity ID, as `remote_ids` list it; `undefined` where the assertion names none. */
  readonly remoteId: string | undefined;
  /** As mapping rules see them. */
  readonly attributes: Assertion;
  /** When the session at the provider ends (`SessionNotOnOrAfter`), and every token with it; `undefined` without an end. */
  readonly expiresAt: Moment | undefined;
  /** The dashboard to send the browser to, as the verifier kept it; see {@link VerifierRequest}. */
  readonly origin?: string | undefined;
  /** Values that the attributes lack. */
  readonly leftOut?: readonly LeftOutValues[];
  /** Of the token of a workload. */
  readonly workload?: Workload;
  /** Only of protocols with the setting `logout`; `undefined` where the assertion names no user. */
  readonly session?: ProviderSession | undefined;
}

/** Attributes that lack values which the provider has of the user, and the reason. */
export interface LeftOutValues {
  readonly reason: string;
  readonly attributes: readonly string[];
}

/** A program that an issuer has authenticated, and how its user is stored. */
export interface Workload {
  /** `sub`, as received: the user's id at the provider, whatever the mapping names. */
  readonly subject: string;
  readonly isStored: boolean;
  /** Users of the protocol, at most. */
  readonly maxUsers: number;
  /** Days without a login after which a user is deleted. */
  readonly unusedDays: number;
}

/** The user's session at the provider: a logout there names it. */
export interface ProviderSession {
  /** The user: `sub`, or a NameID and its format. */
  readonly subject: readonly string[];
  /** `sid` or `SessionIndex`; `undefined` where the assertion names none, or several. */
  readonly index: string | undefined;
  /** When the provider issued the assertion, by the provider's clock. */
  readonly issuedAt: Moment;
  /** What a logout at the provider requires, as a JSON value. */
  readonly hint: object;
}

/** Marks an assertion as verified. For verifiers only. */
export function asVerified(facts: AssertionFacts): VerifiedAssertion {
  return facts as VerifiedAssertion;
}

export type VerifierType = OpenedSettings["type"];

/** An HTTP request to log in: at a protocol's auth endpoint, through WebSSO, or at `/v3/auth/tokens`. Nothing in it is trusted. */
export interface FederatedRequest {
  readonly method: "GET" | "HEAD" | "POST";
  readonly headers: IncomingHttpHeaders;
  /** Names and values alternate, as received: `headers` joins those of one name, or drops all but the first. */
  readonly rawHeaders: readonly string[];
  /** Without the `origin` of WebSSO. The last one of parameters with the same name. */
  readonly query: ReadonlyMap<string, string>;
  /** Fields of a form (`application/x-www-form-urlencoded`); empty without one. */
  readonly form: ReadonlyMap<string, string>;
  /** A body of any other type as text, such as XML; `undefined` without one. */
  readonly text: string | undefined;
  /** The client's address, as trusted proxies report it. */
  readonly clientAddress: string;
  /** The address of the TCP peer, whatever headers assert. */
  readonly peerAddress: string;
  /**
   * The trusted dashboard that receives the token; `undefined` where the response carries the token itself. A verifier keeps
   * it, bound to the browser, while the browser is at the provider, and returns it in the assertion.
   */
  readonly origin: string | undefined;
  /** `x-openstack-request-id` of the response; `undefined` where there is none. */
  readonly requestId?: string | undefined;
  /** Lines carry the request's id. */
  readonly log: VerifierLog;
}

export interface VerifierRequest extends FederatedRequest {
  /**
   * The public URL of the protocol's auth endpoint under `/v3/OS-FEDERATION`, without a query: the redirect URI, or the ACS URL,
   * whichever address the client used.
   */
  readonly authUrl: string;
  /**
   * A verifier calls it before it begins a login at the provider: begun logins are limited per network.
   *
   * @throws {TooManyError} The network has begun too many.
   */
  readonly beginLogin: () => Promise<void>;
  /** A verifier reports to it which checks passed, and for which test login, if any. */
  readonly trace?: LoginTrace | undefined;
}

export interface VerifierLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** The protocol of the login. */
export interface VerifierProtocol<Type extends VerifierType = VerifierType> {
  readonly identityProviderId: string;
  readonly protocolId: string;
  /** The attribute that carries the remote id; `null` where the protocol leaves that to the service's settings. */
  readonly remoteIdAttribute: string | null;
  /** The provider's `remote_ids`. The login itself checks the assertion's `remoteId` against them. */
  readonly remoteIds: readonly string[];
  /** What was read from the provider for a smaller value is read again; never, if left out. */
  readonly refreshedAt?: Moment | undefined;
  /** With their secrets. */
  readonly settings: Extract<OpenedSettings, { readonly type: Type }>;
}

/** A response to send instead of a token: the browser, or the client, has to go elsewhere first. */
export interface BrowserStep {
  readonly status: number;
  /** Cookies too. The route adds `cache-control: no-store` and the service's own headers. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

export interface AssertionVerifier<Type extends VerifierType = VerifierType> {
  readonly type: Type;
  /** @throws {AssertionRefusedError} No assertion, or an invalid one. */
  verify(
    request: VerifierRequest,
    protocol: VerifierProtocol<Type>,
  ): Promise<VerifiedAssertion | BrowserStep>;
}

/** A verifier whose modules are loaded by the first login of its type. */
export function verifierOnDemand<Type extends VerifierType>(
  type: Type,
  load: () => Promise<AssertionVerifier<Type>>,
): AssertionVerifier<Type> {
  const loaded = once(load);
  return { type, verify: async (request, protocol) => (await loaded()).verify(request, protocol) };
}

/** A verifier of any of the types. */
export type AnyVerifier = { readonly [Type in VerifierType]: AssertionVerifier<Type> }[VerifierType];

export function isBrowserStep(result: object): result is BrowserStep {
  return "status" in result;
}
