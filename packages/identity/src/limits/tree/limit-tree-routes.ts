/** `/v3/limits/tree`, an extension of this service: the limits of a domain and its projects, and what is over-committed. */
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";

import type { Platform } from "../../area.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import { createRoutes } from "../../platform/http/route.js";
import { Id, nullable, series } from "../../platform/http/validation/schema-parts.js";
import { DomainNotFoundError } from "../../projects/project-errors.js";
import { listProjects } from "../../projects/project-list.js";
import { registeredLimitTable, type RegisteredLimit } from "../registered-limit.js";
import { commitments, type LimitNode } from "./commitment.js";
import type { Enforcement } from "./enforcement.js";
import { listTreeLimits, type TreePlace } from "./limit-tree.js";

const TreeQuery = Type.Object({ domain_id: Id, registered_limit_id: Id });

const TreeResponse = Type.Object({
  tree: Type.Object({
    domain_id: Type.String(),
    registered_limit_id: Type.String(),
    service_id: Type.String(),
    region_id: nullable(Type.String()),
    resource_name: Type.String(),
    default_limit: Type.Integer(),
    model: Type.String(),
    nodes: series(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        parent_id: nullable(Type.String()),
        limit_id: nullable(Type.String()),
        own: nullable(Type.Integer()),
        effective: Type.Integer(),
        source: Type.Enum(["own", "domain", "registered_default"]),
        children: nullable(Type.Integer()),
        over: Type.Integer(),
      }),
    ),
    truncated: Type.Boolean(),
  }),
});

export function addLimitTreeRoutes(
  server: HttpServer,
  { limitTrees, enforcement }: { readonly limitTrees: LimitTreeService; readonly enforcement: Enforcement },
): void {
  createRoutes(server, "limits")("GET", "/v3/limits/tree", {
    // The same permission as for a limit of the domain.
    access: {
      action: "identity:get_limit",
      target: ({ query }: FastifyRequest) => {
        const { domain_id: id } = query as { readonly domain_id?: string };
        return id === undefined ? {} : { domain: { id } };
      },
    },
    summary:
      "Shows the limits of a domain and its projects for one resource, and where children have more than their parent",
    query: TreeQuery,
    response: TreeResponse,
    async handle({ query: { domain_id: domainId, registered_limit_id: registeredLimitId } }) {
      const { registered, nodes, isTruncated } = await limitTrees.read({ domainId, registeredLimitId });
      return {
        tree: {
          domain_id: domainId,
          registered_limit_id: registered.id,
          service_id: registered.serviceId,
          region_id: registered.regionId,
          resource_name: registered.resourceName,
          default_limit: registered.defaultLimit,
          model: enforcement.name,
          nodes: nodes.map(({ id, name, parentId, own, limit, source, children, over }) => ({
            id,
            name,
            parent_id: parentId,
            limit_id: own?.id ?? null,
            own: own?.limit ?? null,
            effective: limit,
            source,
            children: children ?? null,
            over,
          })),
          truncated: isTruncated,
        },
      };
    },
  });
}

/** Projects of one response. */
const MAX_PROJECTS = 20_000;

export interface DomainTree {
  readonly registered: RegisteredLimit;
  /** The domain first; then its projects in the order of their names. */
  readonly nodes: readonly LimitNode[];
  /** Whether the domain has more projects than one response shows. */
  readonly isTruncated: boolean;
}

type LimitTreeService = ReturnType<typeof createLimitTreeService>;

/** Reads the tree of a domain for one resource. */
export function createLimitTreeService({
  database,
  enforcement,
}: Pick<Platform, "database"> & { readonly enforcement: Enforcement }) {
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
