/** The area of groups. */
import type { AreaWithServices, Platform } from "../area.js";
import { addGroupRoutes } from "./group-routes.js";
import { createGroupService, type GroupServiceDeps } from "./group-service.js";

export function createGroupsArea(
  platform: Platform,
  uses: Pick<GroupServiceDeps, "projects" | "revokeTokens" | "hasGrants" | "directories">,
) {
  const { deletions } = platform;
  const groups = createGroupService({ ...platform, ...uses, onGroupDeleted: deletions.of("group") });
  deletions.on("domain", groups.deleteOfDomain);
  return {
    groups,
    addRoutes: (server) => addGroupRoutes(server, { ...platform, groups }),
  } satisfies AreaWithServices;
}
