/** The rules for domains, which are stored as projects. */
import type { Platform } from "../area.js";
import type { Queries, Transaction } from "../platform/database/database.js";
import {
  createProjectChanges,
  ENDS_TOKENS,
  SHOWN_BY_NO_TOKEN,
  type ProjectChangesDeps,
} from "./project-changes.js";
import { removeProject, type ProjectDeletionDeps } from "./project-deletion.js";
import { DomainIdError } from "./project-errors.js";
import { listProjects, type ProjectQuery } from "./project-list.js";
import type { DomainChange, NewDomain } from "./project-schema.js";
import { requireDomain } from "./project-store.js";
import { toDomain, newProject, type Domain } from "./project.js";

export type DomainService = ReturnType<typeof createDomainService>;

export function createDomainService(
  deps: ProjectChangesDeps & ProjectDeletionDeps & Pick<Platform, "database" | "newId">,
) {
  const { database, newId } = deps;
  const changes = createProjectChanges(deps);

  return {
    async list(query: Omit<ProjectQuery, "isDomain" | "domainId">): Promise<Domain[]> {
      return (await listProjects(database.forLists, { ...query, isDomain: true })).map(toDomain);
    },

    get: async (id: string): Promise<Domain> => {
      return toDomain(await requireDomain(database, id));
    },

    /** @param draft `explicit_domain_id` is the id of the new domain. */
    create: async ({ explicit_domain_id: givenId, ...draft }: NewDomain): Promise<Domain> => {
      if (givenId !== undefined && !/^[0-9a-f]{32}$/.test(givenId)) throw new DomainIdError();
      const place = { id: givenId ?? newId(), domainId: null, parentId: null, isDomain: true };
      const domain = newProject(place, draft);
      return toDomain(
        await database.transaction((transaction) => changes.add(transaction, domain), SHOWN_BY_NO_TOKEN),
      );
    },

    /** Reads a domain in the caller's transaction. */
    getDomain: async (transaction: Queries, id: string): Promise<Domain> =>
      toDomain(await requireDomain(transaction, id)),

    /** Creates a domain in the caller's transaction. */
    async createDomain(transaction: Transaction, { id, ...draft }: DomainWithin): Promise<Domain> {
      const place = { id, domainId: null, parentId: null, isDomain: true };
      return toDomain(await changes.add(transaction, newProject(place, draft)));
    },

    update: async (id: string, change: DomainChange): Promise<Domain> => {
      const changed = await database.transaction(
        async (transaction) =>
          changes.change(transaction, await requireDomain(transaction, id), { ...change }),
        change.enabled === false ? ENDS_TOKENS : {},
      );
      return toDomain(changed);
    },

    /** Deletes everything in it too. It has to be disabled. */
    delete: (id: string): Promise<void> =>
      database.transaction(
        async (transaction) => removeProject(transaction, await requireDomain(transaction, id), deps),
        ENDS_TOKENS,
      ),
  };
}

/** A domain that another feature creates in its transaction. */
export interface DomainWithin {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
}
