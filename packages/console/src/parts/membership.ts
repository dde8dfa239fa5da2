import { api, ask } from "../api/client.ts";

/** Puts a user into a group, or takes it out. */
export async function setMembership(
  method: "PUT" | "DELETE",
  { groupId, userId }: { readonly groupId: string; readonly userId: string },
): Promise<void> {
  const params = { path: { group_id: groupId, user_id: userId } };
  if (method === "PUT") await ask(api.PUT("/v3/groups/{group_id}/users/{user_id}", { params }));
  else await ask(api.DELETE("/v3/groups/{group_id}/users/{user_id}", { params }));
}
