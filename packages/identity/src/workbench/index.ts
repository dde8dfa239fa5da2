/**
 * The workbench of administrators: recordings of logins, dry runs and replays of mapping rules, and test logins. Logins don't know it:
 * they report to the observer that it offers.
 */
import type { AreaWithServices, Platform } from "../area.js";
import type { RoleServices } from "../assignments/index.js";
import type { DomainConfigService } from "../domain-config/domain-config-service.js";
import { FEDERATION_PLACES } from "../federation/federation-routes.js";
import type { FederatedLogins } from "../federation/index.js";
import type { ProtocolTypes } from "../federation/protocols/protocol-type.js";
import type { LoginObserver } from "../federation/provider-login.js";
import type { GroupService } from "../groups/group-service.js";
import type { IdentityProviderService } from "../identity-providers/identity-provider-service.js";
import { requireProtocolIn, type ProtocolService } from "../identity-providers/protocols/protocol-service.js";
import type { MappingService } from "../mappings/mapping-service.js";
import type { ProjectService } from "../projects/project-service.js";
import type { Tokens } from "../tokens/index.js";
import type { ShadowUsers } from "../users/federated/shadow-users.js";
import type { UserService } from "../users/user-service.js";
import { addDryRunRoutes } from "./dry-run/dry-run-routes.js";
import { createLoginPreview } from "./dry-run/login-preview.js";
import { createReplay } from "./dry-run/replay.js";
import { createRuleAccess } from "./dry-run/rule-access.js";
import { createLoginRecordings } from "./recording/login-recordings.js";
import { addRecordingRoutes } from "./recording/recording-routes.js";
import { addTestLoginRoutes, addTestLoginStart } from "./test-login/test-login-routes.js";
import { createTestLogins } from "./test-login/test-login-service.js";

export interface WorkbenchUses {
  readonly types: ProtocolTypes;
  readonly mappings: MappingService;
  readonly identityProviders: IdentityProviderService;
  readonly protocols: ProtocolService;
  readonly projects: ProjectService;
  readonly groups: GroupService;
  readonly users: UserService;
  readonly shadowUsers: ShadowUsers;
  readonly roles: RoleServices["roles"];
  readonly domainConfigs: DomainConfigService;
  readonly tokens: Tokens;
  readonly logins: FederatedLogins;
}

export function createWorkbenchArea(platform: Platform, uses: WorkbenchUses) {
  const { logins, tokens, ...others } = uses;
  const deps = { ...platform, ...others, ...logins, facts: tokens.facts };
  const recordings = createLoginRecordings({
    ...platform,
    isAllowed: platform.config.federation.recordsLogins,
    protocols: { requireIn: requireProtocolIn },
  });
  const testLogins = createTestLogins(deps);
  const previewLogin = createLoginPreview(deps);
  const replay = createReplay({ ...deps, recordings, previewLogin, now: () => performance.now() });
  return {
    replay,
    observer: {
      accepted: (assertion, log) => recordings.record(assertion, log),
      awaitsTest: (key) => testLogins.isBegun(key),
      finishTest: (test, verified) => testLogins.finish(test, verified),
    } satisfies LoginObserver,
    addRoutes(server) {
      const routes = {
        ...deps,
        testLogins,
        loginRecordings: recordings,
        previewLogin,
        replay,
        listRuleAccess: createRuleAccess(deps),
      };
      for (const place of FEDERATION_PLACES) {
        addTestLoginRoutes(server, place, routes);
        addDryRunRoutes(server, place, routes);
        addRecordingRoutes(server, place, routes);
      }
      addTestLoginStart(server, routes);
    },
    purgeTasks: [
      { name: "recorded logins", purge: () => recordings.purge() },
      { name: "test logins", purge: () => testLogins.purge() },
    ],
    start: () => () => recordings.flush(),
  } satisfies AreaWithServices;
}
