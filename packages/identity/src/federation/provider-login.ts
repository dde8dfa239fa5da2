/** A login by a protocol of a provider: whichever verifier its settings name finds out who somebody is. */
import type { FastifyRequest } from "fastify";

import type { ProtocolKey } from "../identity-providers/protocol-store.js";
import { ServiceError, TooManyError } from "../platform/errors.js";
import type { Links } from "../platform/http/links.js";
import type { LoginLimiter } from "../platform/login-limits/login-limiter.js";
import { networkOf, type TokenBuckets } from "../platform/rate-limit.js";
import type { Proof } from "../auth/auth-methods.js";
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
  /** `undefined` where failed logins are not limited. */
  readonly limiter?: Pick<LoginLimiter, "admitFederated"> | undefined;
  /** How many logins each network may still begin; `undefined` where they are not limited. */
  readonly begunLogins?: TokenBuckets | undefined;
}

/** Somebody who has come in. */
export interface ProvedLogin {
  readonly proof: Proof;
  /** The dashboard that the browser wants to go to. */
  readonly origin: string | undefined;
}

/** What a login asks with. */
export type LoginRequest = Omit<VerifierRequest, "authUrl" | "beginLogin">;

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
  limiter,
  begunLogins,
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
    const beginLogin = () => checkBegun(begunLogins, networkOf(request.clientAddress));
    return verifier.verify(
      { ...request, authUrl, beginLogin },
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
      return await limited(isLimited ? limiter : undefined, { key, request }, () =>
        attempt(entrance, request, options),
      );
    } catch (failure) {
      logRefusal(request.log, key, failure);
      throw failure;
    }
  };
}

/** Every failure counts, whatever it is: each attempt may send requests to the provider, or verify signatures. */
async function limited<Result>(
  limiter: ProviderLoginDeps["limiter"],
  { key, request }: { readonly key: ProtocolKey; readonly request: LoginRequest },
  login: () => Promise<Result>,
): Promise<Result> {
  const admission = await limiter?.admitFederated({ providerId: key.idpId, address: request.clientAddress });
  try {
    const result = await login();
    admission?.end("succeeded");
    return result;
  } catch (failure) {
    admission?.end("failed");
    throw failure;
  }
}

/** @throws {TooManyError} A network has begun too many logins. */
async function checkBegun(begunLogins: TokenBuckets | undefined, network: string): Promise<void> {
  const verdict = await begunLogins?.take(network);
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
