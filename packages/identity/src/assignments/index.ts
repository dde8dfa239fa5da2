/** The area of roles, their grants, and the assignments that follow from both. */
import type { AreaWithServices, Platform } from "../area.js";
import { createEffectiveRoles, type EffectiveRolesDeps } from "../grants/effective-roles.js";
import { addGrantRoutes } from "../grants/grant-routes.js";
import { createGrantService, type GrantServiceDeps } from "../grants/grant-service.js";
import type { GroupService } from "../groups/group-service.js";
import type { ProjectService } from "../projects/project-service.js";
import { addImpliedRoleRoutes, createImpliedRoleService } from "../roles/implied-roles.js";
import { addRoleRoutes } from "../roles/role-routes.js";
import { createRoleService, type RoleServiceDeps } from "../roles/role-service.js";
import type { UserService } from "../users/user-service.js";
import { addAssignmentRoutes } from "./assignment-routes.js";
import { createAssignmentService, type AssignmentServiceDeps } from "./assignment-service.js";
import { addUserProjectRoutes } from "./user-project-routes.js";

export interface RolesUses {
  readonly projects: ProjectService;
  readonly groups: GroupService;
  readonly users: UserService;
  readonly refreshGrantedGroups?: AssignmentServiceDeps["refreshGrantedGroups"];
}

export function createRolesArea(platform: Platform, uses: RolesUses) {
  const { deletions } = platform;
  const services = createRoleServices({ ...platform, ...uses, onRoleDeleted: deletions.of("role") });
  const { grants } = services;
  deletions.on("user", (transaction, userId) => grants.deleteOf(transaction, { userId }));
  deletions.on("group", (transaction, groupId) => grants.deleteOf(transaction, { groupId }));
  deletions.on("project", (transaction, projectId) => grants.deleteOf(transaction, { projectId }));
  return {
    ...services,
    addRoutes(server) {
      const deps = { ...platform, ...uses, ...services };
      addRoleRoutes(server, deps);
      addImpliedRoleRoutes(server, deps);
      addGrantRoutes(server, deps);
      addAssignmentRoutes(server, deps);
      addUserProjectRoutes(server, deps);
    },
  } satisfies AreaWithServices;
}

/** `onRoleDeleted` is called before the grants of the role are deleted. */
export type RoleServicesDeps = RoleServiceDeps &
  GrantServiceDeps &
  AssignmentServiceDeps &
  EffectiveRolesDeps;

export type RoleServices = ReturnType<typeof createRoleServices>;

/** Other features use `roles`; the others are for their own routes. */
export function createRoleServices(deps: RoleServicesDeps) {
  const impliedRoles = createImpliedRoleService(deps);
  const grants = createGrantService(deps);
  const { ensureImplied } = impliedRoles;
  return {
    roles: {
      ...createRoleService({
        ...deps,
        async onRoleDeleted(transaction, roleId) {
          await deps.onRoleDeleted(transaction, roleId);
          await grants.deleteOf(transaction, { roleId });
        },
      }),
      ...createEffectiveRoles(deps),
      ensureImplied,
      ensureGrant: grants.grant,
    },
    impliedRoles,
    grants,
    assignments: createAssignmentService(deps),
  };
}
