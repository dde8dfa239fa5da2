/** A login by a protocol of a provider: whichever verifier its settings name finds out who somebody is. */
import type { FastifyRequest } from "fastify";

import type { ProtocolKey } from "../identity-providers/protocol-store.js";
import { ServiceError, TooManyError } from "../platform/errors.js";
import type { Links } from "../platform/http/links.js";
import { networkOf, type TokenBuckets } from "../platform/rate-limit.js";
import type { Proof } from "../tokens/auth-methods.js";
import {
  isBrowserStep,
  type AnyVerifier,
  type BrowserStep,
  type VerifierRequest,
} from "./assertion-verifier.js";
import type { Entrance, FederatedLogin } from "./federated-login.js";
import { AssertionForbiddenError, AssertionRefusedError } from "./federation-errors.js";

export interface ProviderLoginDeps {
  readonly federatedLogin: FederatedLogin;
  readonly verifiers: readonly AnyVerifier[];
  readonly links: Links;
  /** How many failed logins each address has left; `undefined` where they are not limited. */
  readonly addresses?: TokenBuckets | undefined;
}

/** Somebody who has come in. */
export interface ProvedLogin {
  readonly proof: Proof;
  /** The dashboard that the browser wants to go to. */
  readonly origin: string | undefined;
}

/** What a login asks with. */
export type LoginRequest = Omit<VerifierRequest, "authUrl">;

export interface ProviderLoginOptions {
  /** What the token says about how; the protocol's id when left out. */
  readonly method?: string;
}

/** Logs somebody in, or tells what the browser has to do first. */
export type ProviderLogin = (
  key: ProtocolKey,
  request: LoginRequest,
  options?: ProviderLoginOptions,
) => Promise<ProvedLogin | BrowserStep>;

/** The reason of each refusal is told to the log. */
export function createProviderLogin({
  federatedLogin,
  verifiers,
  links,
  addresses,
}: ProviderLoginDeps): ProviderLogin {
  async function verify({ provider, protocol }: Entrance, request: LoginRequest) {
    const settings = protocol.opened ?? { type: "forwarded" as const };
    const verifier = verifiers.find(({ type }) => type === settings.type);
    if (verifier === undefined)
      throw new AssertionRefusedError({ step: "settings", reason: `there is no way in by ${settings.type}` });
    const authUrl = links.self(
      "/v3/OS-FEDERATION/identity_providers",
      provider.id,
      "protocols",
      protocol.id,
      "auth",
    );
    return verifier.verify(
      { ...request, authUrl },
      {
        identityProviderId: provider.id,
        protocolId: protocol.id,
        remoteIdAttribute: protocol.remoteIdAttribute,
        remoteIds: provider.remoteIds,
        // The verifier is the one for settings of this type.
        settings: settings as never,
      },
    );
  }

  async function attempt(
    entrance: Entrance,
    request: LoginRequest,
    options: ProviderLoginOptions | undefined,
  ): Promise<ProvedLogin | BrowserStep> {
    const answer = await verify(entrance, request);
    if (isBrowserStep(answer)) return answer;
    return {
      proof: await federatedLogin.prove(answer, { ...options, log: request.log }),
      origin: answer.origin,
    };
  }

  return async (key, request, options) => {
    try {
      const entrance = await federatedLogin.enter(key);
      // A front end has one address, and has looked at the user by itself.
      const isLimited = (entrance.protocol.opened?.type ?? "forwarded") !== "forwarded";
      const bucket = isLimited ? addresses : undefined;
      const network = networkOf(request.clientAddress);
      await takeFrom(bucket, network);
      const answer = await attempt(entrance, request, options);
      await bucket?.giveBack(network);
      return answer;
    } catch (failure) {
      logRefusal(request.log, key, failure);
      throw failure;
    }
  };
}

/** Paid for before it is made: each may have a provider asked, or a signature looked at. */
async function takeFrom(addresses: TokenBuckets | undefined, network: string): Promise<void> {
  const verdict = await addresses?.take(network);
  if (verdict?.isAllowed !== false) return;
  const { retryAfterSeconds } = verdict;
  throw new TooManyError("Too many logins. Please try again later.", { retryAfterSeconds });
}

/** Names of attributes are told, and never their values. */
export function logRefusal(
  log: FastifyRequest["log"] | VerifierRequest["log"],
  key: object,
  failure: unknown,
): void {
  const isRefusal = failure instanceof AssertionRefusedError || failure instanceof AssertionForbiddenError;
  const facts = isRefusal
    ? failure.facts
    : { step: "login", reason: failure instanceof ServiceError ? failure.code : "unexpected" };
  log.info({ federation: { ...key, ...facts } }, "federated login refused");
}
