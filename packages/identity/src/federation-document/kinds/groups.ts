/** Groups of domains in documents, without those of directories, which are read there. */
import { WHOLE_LIST } from "../../platform/database/table.js";
import type { GroupInDocument } from "../document.js";
import { changedMembers, located, nameIn, type Kind } from "../kind.js";

export const groupKind: Kind<GroupInDocument> = {
  kind: "group",
  prunedAs: "groups",
  keys: ["domain", "name"],
  defaults: { description: "" },
  actions: {
    create: "identity:create_group",
    update: "identity:update_group",
    delete: "identity:delete_group",
  },
  entriesOf: ({ groups }) => located("groups", groups),
  nameOf: ({ domain, name }) => nameIn(domain, name),
  isCovered: ({ domain }, { domains = [] }) => domains.some(({ name }) => name === domain),
  check: ({ fail }, { entry: { name }, path }) => {
    if (name !== name.trim())
      fail([...path, "name"], `${JSON.stringify(name)} has white space around it, expected a name without`);
  },
  async stored({ services, names }) {
    const found = await services.groups.list(WHOLE_LIST);
    return Promise.all(
      found.map(async (group) => ({
        entry: {
          domain: await names.domainName(group.domainId),
          name: group.name,
          description: group.description ?? null,
        },
        ids: { group_id: group.id },
        change: ({ entry }, changed) => {
          const { description = "" } = entry;
          return services.groups.update(group.id, changedMembers({ description }, changed));
        },
        delete: () => services.groups.delete(group.id),
      })),
    );
  },
  async create({ services, names }, { entry, path }) {
    const { domain, name, description = "" } = entry;
    const domain_id = await names.domainId(domain, [...path, "domain"]);
    return { group_id: (await services.groups.create({ name, domain_id, description })).id };
  },
};
