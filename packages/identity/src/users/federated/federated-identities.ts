/** Links users to identities at providers, on behalf of an administrator. */
import type { Queries } from "../../platform/database/database.js";
import { orConflict } from "../../platform/database/table.js";
import { NotFoundError } from "../../platform/errors.js";
import { checkTextLength } from "../../platform/text/text-length.js";
import { deleteIdentitiesOf, findShadowUser, insertIdentity } from "./shadow-user-store.js";
import {
  ForeignProviderError,
  IdentityNeededError,
  IdentityTakenError,
  UnknownProtocolError,
} from "../user-errors.js";
import type { Federated } from "../user-schema.js";

/** Of a user's id at a provider. */
const MAX_UNIQUE_ID_CHARACTERS = 255;

export interface FederatedIdentitiesDeps {
  readonly protocols: {
    /** @throws {NotFoundError} The provider or the protocol does not exist. */
    requireIn(
      queries: Queries,
      key: { readonly idpId: string; readonly id: string },
    ): Promise<{ readonly domainId: string }>;
  };
}

/** A user and the identities to store. */
export interface IdentityOwner {
  readonly userId: string;
  readonly federated: Federated;
  /** The only domain whose providers are allowed; `undefined` for all. */
  readonly onlyDomainId: string | undefined;
}

/**
 * Replaces all federated identities of a user.
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
      checkTextLength(uniqueId, { column: "unique_id", length: MAX_UNIQUE_ID_CHARACTERS });
      const { domainId } = await requireProtocol(protocols, transaction, { idpId, id: protocolId });
      if (onlyDomainId !== undefined && domainId !== onlyDomainId) throw new ForeignProviderError(idpId);
      const identity = { idpId, protocolId, uniqueId };
      await orConflict(
        () => insertIdentity(transaction, userId, identity),
        () => new IdentityTakenError(),
      );
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
