/** Why a rehearsed login would get no token. */
import type { DomainConfigService } from "../../domain-config/domain-config-service.js";
import type { ProtocolKey } from "../../identity-providers/protocols/protocol-store.js";
import type { ProjectService } from "../../projects/project-service.js";
import type { TokenFactsReader } from "../../tokens/token-facts.js";
import type { LoginRehearsal } from "../federated-login.js";

export interface FaultOfRehearsedDeps {
  readonly projects: Pick<ProjectService, "findDomain">;
  readonly domainConfigs: Pick<DomainConfigService, "requireSqlDriver">;
  readonly facts: TokenFactsReader;
}

/** @returns The fault for which `login` refuses a token, if any. A user who does not exist yet has no fault but that of the domain. */
export function createFaultOfRehearsed({ projects, domainConfigs, facts }: FaultOfRehearsedDeps) {
  return async (
    key: ProtocolKey,
    { userId, isNew, groupIds, user, unstoredUser }: LoginRehearsal,
  ): Promise<string | undefined> => {
    if (isNew && user !== undefined) {
      const domain = await projects.findDomain({ id: user.domainId });
      await domainConfigs.requireSqlDriver(user.domainId);
      return domain?.enabled === true ? undefined : "the user's domain is disabled";
    }
    const federation = {
      identityProviderId: key.idpId,
      protocolId: key.id,
      groupIds,
      ...(user === undefined && { isLocalUser: true as const }),
      ...(unstoredUser !== undefined && { unstoredUser }),
    };
    const found = await facts.read({ userId, scope: { kind: "unscoped" }, federation });
    if ("fault" in found) return found.fault;
    await domainConfigs.requireSqlDriver(found.facts.user.domain.id);
    return undefined;
  };
}
