/** The ways to find out whether somebody trustworthy has said who a user is: OpenID Connect, SAML 2.0, a front end's word. */
import type { IncomingHttpHeaders } from "node:http";

import type { OpenedSettings } from "../identity-providers/protocol-settings.js";
import type { VerifiedAssertion } from "./verified-assertion.js";

export type VerifierType = OpenedSettings["type"];

/** A request at a protocol's auth endpoint, or at WebSSO for it. Nothing in it is to be believed. */
export interface VerifierRequest {
  readonly method: "GET" | "HEAD" | "POST";
  readonly headers: IncomingHttpHeaders;
  /** Names and values by turns, as they came: `headers` joins those of one name, or drops all but the first. */
  readonly rawHeaders: readonly string[];
  /** Without the `origin` of WebSSO. The last one of parameters with the same name. */
  readonly query: ReadonlyMap<string, string>;
  /** Fields of a form (`application/x-www-form-urlencoded`); empty without one. */
  readonly form: ReadonlyMap<string, string>;
  /** A body of any other type as text, such as XML; `undefined` without one. */
  readonly text: string | undefined;
  /** Who asks, as far as trusted proxies tell. */
  readonly clientAddress: string;
  /** The other end of the connection, whatever headers say. */
  readonly peerAddress: string;
  /**
   * The public URL of the protocol's auth endpoint under `/v3/OS-FEDERATION`, without a query: where browsers come back to (a
   * redirect URI, an assertion consumer service), whichever address they came in by.
   */
  readonly authUrl: string;
  /**
   * The trusted dashboard that a browser wants to go to with its token; `undefined` where the token itself is asked for. To be
   * kept, bound to the browser, while it is elsewhere, and handed back in the assertion.
   */
  readonly origin: string | undefined;
  /**
   * To be called before a login is begun at the provider: logins that are begun are limited per address.
   *
   * @throws {TooManyError} The address has begun too many.
   */
  readonly beginLogin: () => Promise<void>;
  /** For the log: lines get the request's id. */
  readonly log: VerifierLog;
}

export interface VerifierLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** The protocol that somebody comes in by. */
export interface VerifierProtocol<Type extends VerifierType = VerifierType> {
  readonly identityProviderId: string;
  readonly protocolId: string;
  /** The attribute that names who says it; `null` where the protocol leaves that to the service's settings. */
  readonly remoteIdAttribute: string | null;
  /** Whose word counts. The login itself holds the assertion's `remoteId` against them. */
  readonly remoteIds: readonly string[];
  /** With their secrets. */
  readonly settings: Extract<OpenedSettings, { readonly type: Type }>;
}

/** An answer to send instead of a token: the browser, or the client, has to go elsewhere first. */
export interface BrowserStep {
  readonly status: number;
  /** Cookies too. `cache-control: no-store` and the service's own headers come by themselves. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

export interface AssertionVerifier<Type extends VerifierType = VerifierType> {
  readonly type: Type;
  /**
   * @throws {AssertionRefusedError} It is no assertion, or one that must not be believed. For the answer and the log, see there.
   */
  verify(
    request: VerifierRequest,
    protocol: VerifierProtocol<Type>,
  ): Promise<VerifiedAssertion | BrowserStep>;
}

/** A verifier of any of the types. */
export type AnyVerifier = { readonly [Type in VerifierType]: AssertionVerifier<Type> }[VerifierType];

export function isBrowserStep(answer: object): answer is BrowserStep {
  return "status" in answer;
}
