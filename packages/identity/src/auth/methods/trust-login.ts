/** Login with the scope of a trust: the trustee logs in, and the token has what the trustor delegated. */
import { createRevisionCache } from "../../platform/concurrency/revision-cache.js";
import type { Database } from "../../platform/database/database.js";
import type { TokenScope } from "../../tokens/token-payload.js";
import { LoginRefusedError, TrustForbiddenError } from "../auth-errors.js";
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
  /** Takes one of the remaining uses. @throws {LoginRefusedError} None is left. */
  readonly takeUse: () => Promise<void>;
}

const MAX_TRUSTS = 10_000;

/** @returns A function that throws {@link LoginRefusedError} without such a trust, {@link TrustForbiddenError} for another trustee. */
export function createTrustLogin({ database, trusts }: TrustLoginDeps) {
  const cache = createRevisionCache<LoginTrust | undefined>({
    revision: () => database.revision("facts"),
    maxEntries: MAX_TRUSTS,
    // A missing trust may be created without a notice.
    keeps: (trust) => trust !== undefined,
  });

  async function takeUse(id: string): Promise<void> {
    if (!(await trusts.takeUse(id))) throw new LoginRefusedError("the trust is used up");
  }

  return async (proof: Proof, id: string): Promise<TrustedLogin> => {
    if (proof.scope !== undefined || proof.delegation !== undefined)
      throw new LoginRefusedError("a delegated login can't use a trust");
    const trust = await cache.get(id, () => trusts.find(id));
    if (trust === undefined)
      throw new LoginRefusedError("the trust does not exist, has expired or is used up");
    const { trustorId, trusteeId, projectId, impersonation, remainingUses } = trust;
    if (projectId === null) throw new LoginRefusedError("the trust has no project");
    if (proof.userId !== trusteeId)
      throw new TrustForbiddenError({ cause: new Error("the trust is for another trustee") });
    return {
      proof: {
        ...(impersonation ? impersonating(proof, trustorId) : proof),
        // The trustor is checked with the facts, and may have changed since.
        isUserChecked: false,
        delegation: { trustId: id },
      },
      scope: { kind: "project", projectId },
      takeUse: remainingUses === null ? async () => {} : () => takeUse(id),
    };
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
