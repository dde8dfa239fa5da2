/** What a domain has in it, by the lists of the API: for its panel, and for what is said before it is deleted. */
import { api, ask } from "../../api/client.ts";

/** Lists are read up to here; beyond, a domain has "more than" so many. */
export const MAX_COUNTED = 200;

export const KINDS = ["user", "group", "project", "role"] as const;
export type Kind = (typeof KINDS)[number];

/** How many of each kind; `undefined` for those that the caller may not list. */
export type DomainContents = Readonly<Record<Kind, number | undefined>>;

export async function contentsOf(domainId: string): Promise<DomainContents> {
  const query = { domain_id: domainId, limit: String(MAX_COUNTED + 1) };
  const [user, group, project, role] = await Promise.all([
    ask(api.GET("/v3/users", { params: { query } })).then((body) => body.users.length, none),
    ask(api.GET("/v3/groups", { params: { query } })).then((body) => body.groups.length, none),
    ask(api.GET("/v3/projects", { params: { query } })).then((body) => body.projects.length, none),
    ask(api.GET("/v3/roles", { params: { query } })).then((body) => body.roles.length, none),
  ]);
  return { user, group, project, role };
}

function none(): undefined {
  return undefined;
}

/** `3 users`, `more than 200 users`. */
export function contentText(kind: Kind, count: number): string {
  if (count > MAX_COUNTED) return `more than ${MAX_COUNTED} ${kind}s`;
  return `${count} ${kind}${count === 1 ? "" : "s"}`;
}

/** All kinds in one line, without those that are empty: `3 users, 1 group and 2 projects`. */
export function contentsText(contents: DomainContents): string {
  const texts = KINDS.flatMap((kind) => {
    const count = contents[kind];
    return count === undefined || count === 0 ? [] : [contentText(kind, count)];
  });
  if (texts.length < 2) return texts[0] ?? "nothing";
  return `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`;
}
