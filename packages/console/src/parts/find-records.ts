/** Records by a part of their names, for pickers. */
import { api, ask } from "../api/client.ts";
import type { Pick } from "../ui/forms/Picker.svelte";
import type { Domains } from "./domains.svelte.ts";
import { nameContains } from "./list-query.ts";

const MAX_FOUND = "20";

/** Each with the domain that it belongs to. */
export async function findProjects(text: string, domains: Domains): Promise<readonly Pick[]> {
  const query = { limit: MAX_FOUND, ...nameContains(text) };
  const { projects } = await ask(api.GET("/v3/projects", { params: { query } }));
  return projects.map(({ id, name, domain_id }) => ({ id, name, about: domains.nameOf(domain_id) }));
}

/** Groups of all domains, each with its own. */
export async function findGroups(text: string, domains: Domains): Promise<readonly Pick[]> {
  const query = { limit: MAX_FOUND, ...nameContains(text) };
  const { groups } = await ask(api.GET("/v3/groups", { params: { query } }));
  return groups.map(({ id, name, domain_id }) => ({ id, name, about: domains.nameOf(domain_id) }));
}

/** Roles of the whole cloud. */
export async function findRoles(text: string): Promise<readonly Pick[]> {
  const query = { limit: MAX_FOUND, ...nameContains(text) };
  return (await ask(api.GET("/v3/roles", { params: { query } }))).roles.map(({ id, name }) => ({ id, name }));
}
