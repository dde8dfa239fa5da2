/** Creates the services of roles, grants and assignments. */
import { createAssignmentService, type AssignmentServiceDeps } from "./assignment-service.js";
import { createEffectiveRoles, type EffectiveRolesDeps } from "../grants/effective-roles.js";
import { createGrantService, type GrantServiceDeps } from "../grants/grant-service.js";
import { createImpliedRoleService } from "../roles/implied-role-service.js";
import { createRoleService, type RoleServiceDeps } from "../roles/role-service.js";

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
