/** Policy targets of requests for users: the user and the group in the path, if they exist. */
import type { FastifyRequest } from "fastify";

import type { PolicyTarget } from "../policy/credentials.js";

export interface TargetDeps {
  readonly users: {
    findUser(reference: { id: string }): Promise<{ id: string; domainId: string } | undefined>;
  };
  readonly groups: { findGroup(reference: { id: string }): Promise<{ domainId: string } | undefined> };
}

export function createUserTarget({ users, groups }: TargetDeps) {
  return async ({ params }: FastifyRequest): Promise<PolicyTarget> => {
    const { user_id: userId, group_id: groupId } = params as { user_id?: string; group_id?: string };
    const user = userId === undefined ? undefined : await users.findUser({ id: userId });
    const group = groupId === undefined ? undefined : await groups.findGroup({ id: groupId });
    return { ...(user && { user }), ...(group && { group }) };
  };
}
