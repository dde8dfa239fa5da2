/** The rules for services of the cloud. */
import { extraOf } from "../platform/attributes.js";
import type { Database, Queries } from "../platform/database/database.js";
import { InvalidError } from "../platform/errors.js";
import type { NewId } from "../platform/ids.js";
import { ServiceNotFoundError } from "./catalog-errors.js";
import type { NewService, ServiceChange } from "./service-schema.js";
import {
  deleteService,
  findService,
  insertService,
  listServices,
  updateService,
  type Service,
  type ServiceQuery,
} from "./service-store.js";

const KNOWN = ["id", "type", "name", "enabled", "links"];

export interface ServiceServiceDeps {
  readonly database: Database;
  readonly newId: NewId;
}

export type ServiceService = ReturnType<typeof createServiceService>;

export function createServiceService({ database, newId }: ServiceServiceDeps) {
  /** An id that is sent is overlooked, as in Keystone. */
  const newService = ({ type, name = "", enabled = true, ...rest }: NewService): Service => ({
    id: newId(),
    type,
    name,
    enabled,
    extra: extraOf(rest, KNOWN),
  });

  return {
    list: (query: ServiceQuery): Promise<Service[]> => listServices(database, query),

    get: (id: string): Promise<Service> => requireService(database, id),

    async create(draft: NewService): Promise<Service> {
      const service = newService(draft);
      await database.transaction((transaction) => insertService(transaction, service));
      return service;
    },

    async update(id: string, change: ServiceChange): Promise<Service> {
      if ((change.id ?? id) !== id) throw new InvalidError("Cannot change ID");
      return database.transaction(async (transaction) => {
        const service = await requireService(transaction, id);
        const { type = service.type, name = service.name, enabled = service.enabled } = change;
        const extra = { ...service.extra, ...extraOf(change, KNOWN) };
        const changed: Service = { id, type, name, enabled, extra };
        await updateService(transaction, changed);
        return changed;
      });
    },

    /** Ends its endpoints too. */
    delete: (id: string): Promise<void> =>
      database.transaction(async (transaction) => {
        await requireService(transaction, id);
        await deleteService(transaction, id);
      }),

    /** Has there be a service of this type, for the start of the service. One that is there keeps its name. */
    async ensureService(wanted: { readonly type: string; readonly name: string }): Promise<Service> {
      const service = newService(wanted);
      return database.transaction(async (transaction) => {
        const found = await findService(transaction, "type", wanted.type);
        if (found !== undefined) return found;
        await insertService(transaction, service);
        return service;
      });
    },
  };
}

async function requireService(queries: Queries, id: string): Promise<Service> {
  const service = await findService(queries, "id", id);
  if (service === undefined) throw new ServiceNotFoundError(id);
  return service;
}
