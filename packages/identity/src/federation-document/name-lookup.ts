/** Finds the ids of what a document names, and the names of what is stored, in the transaction of a plan. */
import type { Queries } from "../platform/database/database.js";
import { quoted } from "../platform/text/quoted-value.js";
import { domainOf, type Project } from "../projects/project.js";
import type { InDomain, RoleReference, ServiceName } from "./document.js";
import { FederationDocumentError, type DocumentPath } from "./document-errors.js";
import type { DocumentText } from "./document-source.js";
import type { DocumentServices } from "./document-services.js";
import { listAllRoles, type Role } from "../roles/role.js";
import { WHOLE_LIST } from "../platform/database/table.js";

export type NameLookup = ReturnType<typeof createNameLookup>;

export interface NameLookupDeps {
  readonly services: DocumentServices;
  readonly queries: Queries;
  readonly source: DocumentText;
}

export function createNameLookup({ services, queries, source }: NameLookupDeps) {
  let domains: Promise<{ byName: Map<string, string>; byId: Map<string, string> }> | undefined;
  let roles: Promise<Role[]> | undefined;
  let catalog: Promise<Map<string, string[]>> | undefined;
  const projects = new Map<string, string>();
  const groups = new Map<string, string>();

  function readDomains() {
    domains ??= services.domains.list({}).then((all) => ({
      byName: new Map(all.map(({ id, name }) => [name, id])),
      byId: new Map(all.map(({ id, name }) => [id, name])),
    }));
    return domains;
  }

  function unknown(path: DocumentPath, value: string, expected: string): never {
    throw new FederationDocumentError({
      path,
      place: source.placeOf(path),
      reason: `${value} does not exist, expected ${expected} in the document or in the service`,
    });
  }

  async function domainId(name: string, path: DocumentPath): Promise<string> {
    const id = (await readDomains()).byName.get(name);
    return id ?? unknown(path, quoted(name), "the name of a domain");
  }

  const listRoles = () => (roles ??= listAllRoles(queries));

  const listServices = () =>
    (catalog ??= services.services.list(WHOLE_LIST).then((all) => {
      const found = new Map<string, string[]>();
      for (const { id, type, name } of all) {
        const key = JSON.stringify([type, name]);
        found.set(key, [...(found.get(key) ?? []), id]);
      }
      return found;
    }));

  return {
    domainId,

    /** The name of a domain; its id, where it was deleted since. */
    domainName: async (id: string): Promise<string> => (await readDomains()).byId.get(id) ?? id,

    async projectId({ name, domain }: InDomain, path: DocumentPath): Promise<string> {
      const key = JSON.stringify([domain, name]);
      const known = projects.get(key);
      if (known !== undefined) return known;
      const found = await services.projects.findProject({
        name,
        domain: { id: await domainId(domain, [...path, "domain"]) },
      });
      if (found === undefined || found.isDomain)
        return unknown(path, quoted(name), `the name of a project of domain ${quoted(domain)}`);
      projects.set(key, found.id);
      return found.id;
    },

    async groupId({ name, domain }: InDomain, path: DocumentPath): Promise<string> {
      const key = JSON.stringify([domain, name]);
      const known = groups.get(key);
      if (known !== undefined) return known;
      const place = { name, domainId: await domainId(domain, [...path, "domain"]) };
      const [found] = await services.groups.findGroupsByName([place]);
      if (found === undefined)
        return unknown(path, quoted(name), `the name of a group of domain ${quoted(domain)}`);
      groups.set(key, found.id);
      return found.id;
    },

    roles: listRoles,

    async roleId(reference: RoleReference, path: DocumentPath): Promise<string> {
      const [name, of] =
        typeof reference === "string"
          ? [reference, null]
          : [reference.name, await domainId(reference.domain, [...path, "domain"])];
      const found = (await listRoles()).find((role) => role.name === name && role.domainId === of);
      const expected = of === null ? "the name of a global role" : "the name of a role of this domain";
      return found?.id ?? unknown(path, quoted(name), expected);
    },

    async serviceId({ type, name = "" }: ServiceName, path: DocumentPath): Promise<string> {
      const [id, ...others] = (await listServices()).get(JSON.stringify([type, name])) ?? [];
      if (others.length > 0)
        throw new FederationDocumentError({
          path,
          place: source.placeOf(path),
          reason: `${others.length + 1} services have type ${quoted(type)} and name ${quoted(name)}, expected one: rename the others`,
        });
      return (
        id ?? unknown(path, `type ${quoted(type)} with name ${quoted(name)}`, "type and name of a service")
      );
    },

    /** The names of projects and their domains, by id. */
    async projectNames(
      ids: Iterable<string>,
    ): Promise<ReadonlyMap<string, InDomain & { readonly project: Project }>> {
      const found = await services.projects.listProjectsById([...new Set(ids)]);
      const { byId } = await readDomains();
      return new Map(
        found.map((project) => [
          project.id,
          { name: project.name, domain: byId.get(domainOf(project)) ?? "", project },
        ]),
      );
    },

    /** After domains, roles or services were created: they are read again. */
    forget(): void {
      domains = undefined;
      roles = undefined;
      catalog = undefined;
    },
  };
}
