/** Checks a change of limits against those of the domain and its projects, before it is committed. */
import type { Queries } from "../../platform/database/database.js";
import { domainLimit, type Enforcement } from "./enforcement.js";
import { findProject } from "../../projects/project-store.js";
import { LimitTreeError, type LimitOwnerName } from "../limit-errors.js";
import type { Limit } from "../limit-store.js";
import {
  findDomainLimit,
  findHighestProject,
  findHighestUnderDefault,
  type ProjectLimit,
} from "./limit-tree-store.js";
import type { RegisteredLimit } from "../registered-limit-store.js";

export interface LimitTree {
  /**
   * A limit was created or changed.
   *
   * @throws {LimitTreeError}
   */
  checkLimit(limit: Limit, registered: RegisteredLimit): Promise<void>;
  /**
   * The limit of a domain was deleted.
   *
   * @throws {LimitTreeError}
   */
  checkDomain(domainId: string, registered: RegisteredLimit): Promise<void>;
  /**
   * The default was changed.
   *
   * @throws {LimitTreeError}
   */
  checkDefault(registered: RegisteredLimit): Promise<void>;
}

/** Reads limits in the transaction that changes them. */
export function limitTree(queries: Queries, { isBreach }: Pick<Enforcement, "isBreach">): LimitTree {
  if (isBreach === undefined) return NO_TREE;
  const mayNotBe = isBreach;
  const ownOf = (domainId: string, { id }: RegisteredLimit) =>
    findDomainLimit(queries, { registeredLimitId: id, domainId });

  async function compare(
    project: ProjectLimit | undefined,
    registered: RegisteredLimit,
    domain: number | undefined,
  ): Promise<void> {
    if (project === undefined) return;
    const bound = domainLimit({ domain, registered: registered.defaultLimit });
    if (!mayNotBe(project.limit, bound)) return;
    throw new LimitTreeError({
      resourceName: registered.resourceName,
      project: { ...(await nameOf(queries, project.projectId)), limit: project.limit },
      domain: {
        ...(await nameOf(queries, project.domainId)),
        limit: bound,
        hasDefault: domain === undefined,
      },
    });
  }

  async function checkDomain(domainId: string, registered: RegisteredLimit): Promise<void> {
    const place = { registeredLimitId: registered.id, domainId };
    await compare(await findHighestProject(queries, place), registered, await ownOf(domainId, registered));
  }

  return {
    checkDomain,
    async checkLimit({ projectId, domainId, resourceLimit: limit }, registered) {
      if (projectId === null) return checkDomain(domainId, registered);
      return compare({ projectId, domainId, limit }, registered, await ownOf(domainId, registered));
    },
    async checkDefault(registered) {
      await compare(await findHighestUnderDefault(queries, registered.id), registered, undefined);
    },
  };
}

async function nameOf(queries: Queries, id: string): Promise<LimitOwnerName> {
  const project = await findProject(queries, id);
  return { id, name: project?.name ?? id };
}

const NO_TREE: LimitTree = {
  checkLimit: async () => {},
  checkDomain: async () => {},
  checkDefault: async () => {},
};
