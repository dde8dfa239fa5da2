/**
 * Tokens for signed requests to services with EC2 and S3 APIs. A service sends what was signed, and gets the token of the user whose
 * key signed it. The token is for the service to validate; it is not accepted as `X-Auth-Token`.
 */
import type { Revocations } from "../../tokens/revocations.js";
import type { Platform } from "../../area.js";
import { errorClass, NotFoundError } from "../../platform/errors.js";
import type { LoginReason } from "../../platform/login-reasons.js";
import type { Ec2KeyService } from "../../credentials/ec2-key-service.js";
import type { SignatureClock } from "../../credentials/signatures/signed-request.js";
import { FailedLoginError } from "../auth-errors.js";
import type { IssuedToken, Login } from "../login.js";

/** The method that such tokens show. */
const METHOD = "ec2credential";

export class AccessKeyNotFoundError extends errorClass(
  NotFoundError,
  "login/access-key-not-found",
  "EC2 access key not found.",
) {}

export interface SignedRequestLoginDeps extends Pick<Platform, "clock"> {
  readonly ec2Keys: Pick<Ec2KeyService, "find">;
  readonly login: Login;
  readonly revocations: Pick<Revocations, "known">;
  /** Of signatures. */
  readonly lifetimeMs: number;
}

/** Why a signature by this secret is not valid; `undefined` if it is. */
export type SignatureCheck = (secret: string, clock: SignatureClock) => string | undefined;

function reasonOf(fault: string): LoginReason {
  if (fault === "invalid signature") return "signature-invalid";
  return /too old|expired/.test(fault) ? "signature-time" : "signed-request-malformed";
}

export type SignedRequestLogin = ReturnType<typeof createSignedRequestLogin>;

export function createSignedRequestLogin({
  ec2Keys,
  login,
  revocations,
  clock,
  lifetimeMs,
}: SignedRequestLoginDeps) {
  /** @throws {AccessKeyNotFoundError} {@link FailedLoginError} */
  return async (access: string, check: SignatureCheck): Promise<IssuedToken> => {
    const { position } = await revocations.known();
    const key = await ec2Keys.find(access);
    if (key === undefined) throw new AccessKeyNotFoundError();
    const { userId, projectId, secret, delegation } = key;
    // The key in a changed credential may differ from the one by which it is found.
    if (key.access !== access || secret === null || secret === "" || projectId === null)
      throw new FailedLoginError("access-key-unusable", {
        detail: `the credential ${key.id} has no secret for this access key, or no project`,
        userId,
      });
    const fault = check(secret, { now: clock.now(), lifetimeMs });
    if (fault !== undefined)
      throw new FailedLoginError(reasonOf(fault), {
        detail: `request signed with credential ${key.id}: ${fault}`,
        userId,
      });
    const proof = {
      userId,
      methods: [METHOD],
      position,
      isUserChecked: false,
      isExemptFromRules: true,
      scope: { kind: "project", projectId },
      ...(delegation !== undefined && { delegation }),
    } as const;
    return login(proof, { kind: "any" });
  };
}
