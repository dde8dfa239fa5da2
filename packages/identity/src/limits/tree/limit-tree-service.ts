/** Reads the tree of a domain for one resource. */
import type { Database } from "../../platform/database/database.js";
import { DomainNotFoundError } from "../../projects/project-errors.js";
import { listProjects } from "../../projects/project-list.js";
import { registeredLimitTable, type RegisteredLimit } from "../registered-limit-store.js";
import { commitments, type LimitNode } from "./commitment.js";
import type { Enforcement } from "./enforcement.js";
import { listTreeLimits, type TreePlace } from "./limit-tree-store.js";

/** Projects of one response. */
const MAX_PROJECTS = 20_000;

export interface DomainTree {
  readonly registered: RegisteredLimit;
  /** The domain first; then its projects in the order of their names. */
  readonly nodes: readonly LimitNode[];
  /** Whether the domain has more projects than one response shows. */
  readonly isTruncated: boolean;
}

export interface LimitTreeServiceDeps {
  readonly database: Database;
  readonly enforcement: Enforcement;
}

export type LimitTreeService = ReturnType<typeof createLimitTreeService>;

export function createLimitTreeService({ database, enforcement }: LimitTreeServiceDeps) {
  return {
    /** @throws {RegisteredLimitNotFoundError} {@link DomainNotFoundError} */
    async read(place: TreePlace): Promise<DomainTree> {
      const { registeredLimitId, domainId } = place;
      const registered = await registeredLimitTable.require(database, registeredLimitId);
      const [domain] = await listProjects(database, { ids: [domainId], isDomain: true });
      if (domain === undefined) throw new DomainNotFoundError(domainId);
      const page = { limit: MAX_PROJECTS, marker: undefined };
      const found = await listProjects(database, { domainId, page });
      const projects = found
        .slice(0, MAX_PROJECTS)
        .toSorted((one, other) => (one.name < other.name ? -1 : 1));
      const limits = await listTreeLimits(database, place);
      const nodes = commitments({
        projects: [domain, ...projects].map(({ id, name, parentId }) => ({ id, name, parentId })),
        limits,
        registered: registered.defaultLimit,
        enforcement,
      });
      return { registered, nodes, isTruncated: found.length > MAX_PROJECTS };
    },
  };
}
