/** The rules for endpoint groups. */
import type { Database } from "../platform/database/database.js";
import type { ListQuery } from "../platform/database/list-query.js";
import { InvalidError } from "../platform/errors.js";
import type { NewId } from "../platform/ids.js";
import { EndpointGroupFilterError } from "./endpoint-filter-errors.js";
import type { EndpointGroupChange, NewEndpointGroup } from "./endpoint-group-schema.js";
import { endpointGroupTable, type EndpointFilters, type EndpointGroup } from "./endpoint-group-store.js";

const ATTRIBUTES = new Set(["service_id", "region_id", "interface"]);

export interface EndpointGroupServiceDeps {
  readonly database: Database;
  readonly newId: NewId;
}

export type EndpointGroupService = ReturnType<typeof createEndpointGroupService>;

export function createEndpointGroupService({ database, newId }: EndpointGroupServiceDeps) {
  return {
    list: (query: ListQuery<"name">): Promise<EndpointGroup[]> => endpointGroupTable.list(database, query),

    get: (id: string): Promise<EndpointGroup> => endpointGroupTable.require(database, id),

    create: async ({ name, filters, description = null }: NewEndpointGroup): Promise<EndpointGroup> => {
      if (Object.keys(filters).length === 0)
        throw new InvalidError("filters field is required and cannot be empty");
      checkAttributes(filters);
      const group: EndpointGroup = { id: newId(), name, description, filters };
      await database.transaction((transaction) => endpointGroupTable.insert(transaction, group));
      return group;
    },

    update: async (id: string, change: EndpointGroupChange): Promise<EndpointGroup> => {
      if (change.filters !== undefined) checkAttributes(change.filters);
      return database.transaction(async (transaction) => {
        const group = await endpointGroupTable.require(transaction, id);
        const changed = { ...group, ...change };
        await endpointGroupTable.update(transaction, changed);
        return changed;
      });
    },

    /** It is taken from its projects, too. */
    delete: (id: string): Promise<void> =>
      database.transaction((transaction) => endpointGroupTable.delete(transaction, id)),
  };
}

function checkAttributes(filters: EndpointFilters): void {
  if (!Object.keys(filters).every((name) => ATTRIBUTES.has(name))) throw new EndpointGroupFilterError();
}
