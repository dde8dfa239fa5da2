/** Login with the scope of a trust: the trustee logs in, and the token has what the trustor delegated. */
import { createRevisionCache } from "../../platform/concurrency/revision-cache.js";
import type { Database } from "../../platform/database/database.js";
import type { TokenScope } from "../../tokens/token-payload.js";
import { FailedLoginError, TrustForbiddenError } from "../auth-errors.js";
import type { Proof } from "../auth-methods.js";

/** What a login needs to know of a trust. */
interface LoginTrust {
  readonly trustorId: string;
  readonly trusteeId: string;
  readonly projectId: string | null;
  readonly impersonation: boolean;
  /** `null` for any number. */
  readonly remainingUses: number | null;
}

export interface TrustLoginDeps {
  readonly database: Pick<Database, "revision">;
  readonly trusts: {
    readonly find: (id: string) => Promise<LoginTrust | undefined>;
    readonly takeUse: (id: string) => Promise<boolean>;
  };
}

/** A login as the bearer of a trust's token. */
export interface TrustedLogin {
  readonly proof: Proof;
  readonly scope: TokenScope;
}

export interface TrustLogins {
  /** @throws {FailedLoginError} There is no such trust. {@link TrustForbiddenError} It is for another trustee. */
  readonly logIn: (proof: Proof, id: string) => Promise<TrustedLogin>;
  /** Takes one of the remaining uses, if they are limited. @throws {FailedLoginError} None is left. */
  readonly takeUse: (id: string) => Promise<void>;
}

const MAX_TRUSTS = 10_000;

export function createTrustLogins({ database, trusts }: TrustLoginDeps): TrustLogins {
  const cache = createRevisionCache<LoginTrust | undefined>({
    revision: () => database.revision("facts"),
    maxEntries: MAX_TRUSTS,
    // A missing trust may be created without a notice.
    keeps: (trust) => trust !== undefined,
  });

  async function get(id: string): Promise<LoginTrust> {
    const trust = await cache.get(id, () => trusts.find(id));
    if (trust === undefined)
      throw new FailedLoginError("trust-unknown", {
        detail: "the trust does not exist, has expired or is used up",
      });
    return trust;
  }

  return {
    async logIn(proof, id) {
      if (proof.scope !== undefined || proof.delegation !== undefined)
        throw new FailedLoginError("trust-delegated-login", { userId: proof.userId });
      const { trustorId, trusteeId, projectId, impersonation } = await get(id);
      if (projectId === null) throw new FailedLoginError("trust-no-project", { userId: proof.userId });
      if (proof.userId !== trusteeId)
        throw new TrustForbiddenError({
          cause: new FailedLoginError("trust-other-trustee", { userId: proof.userId }),
        });
      return {
        proof: {
          ...(impersonation ? impersonating(proof, trustorId) : proof),
          // The trustor is checked with the facts, and may have changed since.
          isUserChecked: false,
          delegation: { trustId: id },
        },
        scope: { kind: "project", projectId },
      };
    },
    async takeUse(id) {
      const { remainingUses } = await get(id);
      if (remainingUses !== null && !(await trusts.takeUse(id))) throw new FailedLoginError("trust-used-up");
    },
  };
}

/** The token still rests on the trustee's identity provider, but shows neither it nor its groups. */
function impersonating({ federation, ...proof }: Proof, userId: string): Proof {
  if (federation === undefined) return { ...proof, userId };
  const { identityProviderId, protocolId } = federation;
  return {
    ...proof,
    userId,
    federation: { identityProviderId, protocolId, groupIds: [], isLocalUser: true },
  };
}
