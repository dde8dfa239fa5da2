/** As whom identity providers know a user, where an administrator says so. */
import type { Queries } from "../platform/database/database.js";
import { isUnique } from "../platform/database/unique-write.js";
import { NotFoundError } from "../platform/errors.js";
import { checkTextLength } from "../platform/text/text-length.js";
import { deleteIdentitiesOf, findShadowUser, insertIdentity } from "./shadow-user-store.js";
import {
  ForeignProviderError,
  IdentityNeededError,
  IdentityTakenError,
  UnknownProtocolError,
} from "./user-errors.js";
import type { Federated } from "./user-schema.js";

/** The longest id that a user may have at a provider. */
const MOST_CHARACTERS = 255;

export interface FederatedIdentitiesDeps {
  readonly protocols: {
    /** @throws {NotFoundError} There is no such provider, or it has no such protocol. */
    requireIn(
      queries: Queries,
      key: { readonly idpId: string; readonly id: string },
    ): Promise<{ readonly domainId: string }>;
  };
}

/** Whose identities are stored. */
export interface IdentityOwner {
  readonly userId: string;
  readonly federated: Federated;
  /** The only domain whose providers count; `undefined` for all. */
  readonly onlyDomainId: string | undefined;
}

/**
 * Has providers know a user so, and in no other way.
 *
 * @throws {IdentityTakenError} {@link UnknownProtocolError} {@link IdentityNeededError} {@link ForeignProviderError}
 */
export async function replaceIdentities(
  { protocols }: FederatedIdentitiesDeps,
  transaction: Queries,
  { userId, federated, onlyDomainId }: IdentityOwner,
): Promise<void> {
  if (federated.length === 0 && (await findShadowUser(transaction, userId)) !== undefined)
    throw new IdentityNeededError();
  await deleteIdentitiesOf(transaction, userId);
  for (const { idp_id: idpId, protocols: known } of federated)
    for (const { protocol_id: protocolId, unique_id: uniqueId } of known) {
      checkTextLength(uniqueId, { column: "unique_id", length: MOST_CHARACTERS });
      const { domainId } = await requireProtocol(protocols, transaction, { idpId, id: protocolId });
      if (onlyDomainId !== undefined && domainId !== onlyDomainId) throw new ForeignProviderError(idpId);
      const identity = { idpId, protocolId, uniqueId };
      if (!(await isUnique(() => insertIdentity(transaction, userId, identity))))
        throw new IdentityTakenError();
    }
}

async function requireProtocol(
  protocols: FederatedIdentitiesDeps["protocols"],
  transaction: Queries,
  key: { readonly idpId: string; readonly id: string },
): Promise<{ readonly domainId: string }> {
  try {
    return await protocols.requireIn(transaction, key);
  } catch (cause) {
    if (!(cause instanceof NotFoundError)) throw cause;
    throw new UnknownProtocolError(cause.message, { cause });
  }
}
