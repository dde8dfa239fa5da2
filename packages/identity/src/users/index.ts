/** The area of users: local ones, those of identity providers, and the groups they are members of. */
import type { AreaWithServices, Platform } from "../area.js";
import type { GroupService } from "../groups/group-service.js";
import { isProtocolAnywhere, requireProtocolIn } from "../identity-providers/protocols/protocol-service.js";
import type { PasswordHasher } from "../passwords/password-hash.js";
import type { PasswordRules } from "../passwords/password-rules.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";
import type { ProjectService } from "../projects/project-service.js";
import { createShadowUsers } from "./federated/shadow-users.js";
import { createMembershipService, type MembershipServiceDeps } from "./membership-service.js";
import { addUserRoutes, type UserRoutesDeps } from "./user-routes.js";
import { createUserService, type UserServiceDeps } from "./user-service.js";

export interface UsersUses extends Pick<UserRoutesDeps, "changePassword"> {
  readonly revokeTokens: RevokeTokens;
  readonly projects: ProjectService;
  readonly groups: GroupService;
  readonly hasher: PasswordHasher;
  readonly rules: PasswordRules;
  readonly directories: NonNullable<UserServiceDeps["directories"]> &
    NonNullable<MembershipServiceDeps["directories"]>;
  /** The authentication methods that rules of users may name. */
  readonly methodNames: readonly string[];
}

export function createUsersArea(platform: Platform, { methodNames, ...uses }: UsersUses) {
  const { deletions } = platform;
  const deps = { ...platform, ...uses, onUserDeleted: deletions.of("user") };
  const users = createUserService({
    ...deps,
    protocols: { requireIn: requireProtocolIn },
    methods: { names: methodNames, isProtocol: isProtocolAnywhere },
  });
  deletions.on("domain", users.deleteOfDomain);
  deletions.on("project", users.forgetDefaultProject);
  const memberships = createMembershipService({ ...deps, users });
  return {
    users,
    memberships,
    shadowUsers: createShadowUsers(deps),
    addRoutes: (server) => addUserRoutes(server, { ...deps, users, memberships }),
  } satisfies AreaWithServices;
}
