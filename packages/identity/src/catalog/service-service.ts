/** The rules for services of the cloud. */
import type { Platform } from "../area.js";
import { extraOf } from "../platform/attributes.js";
import { InvalidError } from "../platform/errors.js";
import {
  SERVICE_MEMBERS,
  findServiceOfType,
  serviceTable,
  type NewService,
  type ServiceChange,
  type Service,
  type ServiceQuery,
} from "./service.js";

export type ServiceService = ReturnType<typeof createServiceService>;

export function createServiceService({ database, newId }: Pick<Platform, "database" | "newId">) {
  /** As in Keystone, an id in the draft is ignored. */
  const newService = ({ type, name = "", enabled = true, ...rest }: NewService): Service => ({
    id: newId(),
    type,
    name,
    enabled,
    extra: extraOf(rest, SERVICE_MEMBERS),
  });

  return {
    list: (query: ServiceQuery): Promise<Service[]> => serviceTable.list(database.forLists, query),

    findIdOfType: async (type: string): Promise<string | undefined> =>
      (await findServiceOfType(database, type))?.id,

    get: (id: string): Promise<Service> => serviceTable.require(database, id),

    create: async (draft: NewService): Promise<Service> => {
      const service = newService(draft);
      await database.transaction((transaction) => serviceTable.insert(transaction, service));
      return service;
    },

    update: async (id: string, change: ServiceChange): Promise<Service> => {
      if ((change.id ?? id) !== id) throw new InvalidError("Cannot change ID");
      return database.transaction(async (transaction) => {
        const service = await serviceTable.require(transaction, id);
        const { type = service.type, name = service.name, enabled = service.enabled } = change;
        const extra = { ...service.extra, ...extraOf(change, SERVICE_MEMBERS) };
        const changed: Service = { id, type, name, enabled, extra };
        await serviceTable.update(transaction, changed);
        return changed;
      });
    },

    /** Deletes its endpoints too. */
    delete: (id: string): Promise<void> =>
      database.transaction((transaction) => serviceTable.delete(transaction, id)),

    /** Creates a service of this type if none exists, at the start of the service. An existing one keeps its name. */
    async ensureService(wanted: { readonly type: string; readonly name: string }): Promise<Service> {
      const service = newService(wanted);
      return database.transaction(async (transaction) => {
        const found = await findServiceOfType(transaction, wanted.type);
        if (found !== undefined) return found;
        await serviceTable.insert(transaction, service);
        return service;
      });
    },
  };
}
