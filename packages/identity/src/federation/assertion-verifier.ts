/** What a federated login goes through protocols with: the request, the protocol of an enabled provider, the verified assertion. */
import type { IncomingHttpHeaders } from "node:http";

import type { IdentityProvider } from "../identity-providers/identity-provider.js";
import type { OpenedProtocol } from "../identity-providers/protocols/protocol-service.js";
import type { OpenedSettings } from "../identity-providers/protocols/protocol-settings.js";
import type { ProtocolKey } from "../identity-providers/protocols/protocol-store.js";
import type { Assertion } from "../mappings/rules/evaluate-mapping.js";
import type { Moment } from "../platform/clock.js";
import type { Links } from "../platform/http/links.js";
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
  /**
   * The same as release 0.2.0 read them, which rounded numbers of 2^53 or more: they name the user whom several may have become.
   * `undefined` without such a number.
   */
  readonly rounded?: Assertion | undefined;
  /** When the session at the provider ends (`SessionNotOnOrAfter`), and every token with it; `undefined` without an end. */
  readonly expiresAt: Moment | undefined;
  /** The dashboard to send the browser to, as the verifier kept it; see {@link FederatedRequest}. */
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
  /** When the provider issued the assertion, by the provider's clock; `undefined` where it does not say so. */
  readonly issuedAt: Moment | undefined;
  /** What a logout at the provider requires, as a JSON value. */
  readonly hint: object;
}

/** Marks an assertion as verified. For verifiers only. */
export function asVerified(facts: AssertionFacts): VerifiedAssertion {
  return facts as VerifiedAssertion;
}

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
  /** What passed is reported to it, and for which test login, if any. */
  readonly trace?: LoginTrace | undefined;
}

export interface VerifierLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** The protocol of a login or logout, whose provider is enabled. */
export interface EnabledProtocol<
  Settings extends OpenedSettings = OpenedSettings,
> extends OpenedProtocol<Settings> {
  readonly provider: IdentityProvider;
  /**
   * The public URL of the protocol's auth endpoint under `/v3/OS-FEDERATION`, without a query: the redirect URI, or the ACS URL,
   * whichever prefix or address the client used.
   */
  readonly authUrl: string;
  /** The revision of facts at which protocol and provider were read. */
  readonly revision: number;
}

export function authUrlOf(links: Links, { idpId, id }: ProtocolKey): string {
  return links.self("/v3/OS-FEDERATION/identity_providers", idpId, "protocols", id, "auth");
}

/** A response to send instead of a token: the browser, or the client, has to go elsewhere first. */
export interface BrowserStep {
  readonly status: number;
  /** Cookies too. The route adds `cache-control: no-store` and the service's own headers. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

export function isBrowserStep(result: object): result is BrowserStep {
  return "status" in result;
}
