/** Roles in documents, and which of them imply others. */
import type { Role } from "../../roles/role.js";
import type { FederationDocument, RoleEntry, RoleReference } from "../document.js";
import {
  changedMembers,
  changeMutable,
  immutableOption,
  located,
  nameIn,
  type Kind,
  type KindContext,
} from "../kind.js";

export const roleKind: Kind<RoleEntry> = {
  kind: "role",
  prunedAs: "roles",
  // What it implies is a kind of its own: a role may imply one that is created after it.
  keys: ["domain", "name", "implies"],
  defaults: { description: null, immutable: false },
  actions: { create: "identity:create_role", update: "identity:update_role", delete: "identity:delete_role" },
  entriesOf: ({ roles }) => located("roles", roles),
  nameOf: ({ domain, name }) => nameIn(domain, name),
  // No one may delete immutable ones, such as those of the first start.
  isCovered: ({ domain, immutable }, { domains = [] }) =>
    immutable !== true && (domain === undefined || domains.some(({ name }) => name === domain)),
  async stored({ services, names }) {
    const found = await names.roles();
    return Promise.all(
      found.map(async (role) => ({
        entry: {
          name: role.name,
          ...(role.domainId !== null && { domain: await names.domainName(role.domainId) }),
          description: role.description,
          immutable: role.options["immutable"] === true,
        },
        ids: { role_id: role.id },
        change: ({ entry: { description = null, immutable } }, changed) =>
          changeMutable((change) => services.roles.updateRole(role.id, change), {
            change: {
              ...changedMembers({ description }, changed),
              ...(changed.has("immutable") && { options: immutableOption(immutable) }),
            },
            wasImmutable: role.options["immutable"] === true,
          }),
        delete: () => services.roles.deleteRole(role.id),
      })),
    );
  },
  async create({ services, names }, { entry, path }) {
    const { name, domain, description = null, immutable } = entry;
    const of = domain !== undefined && { domain_id: await names.domainId(domain, [...path, "domain"]) };
    const options = immutable === true && { options: { immutable } };
    return { role_id: (await services.roles.createRole({ name, description, ...of, ...options })).id };
  },
};

/** A role and one that it implies. */
export interface ImplicationEntry {
  readonly prior: RoleReference;
  readonly implied: RoleReference;
}

export function roleReferenceText(reference: RoleReference): string {
  return typeof reference === "string"
    ? nameIn(undefined, reference)
    : nameIn(reference.domain, reference.name);
}

/** How documents name a role. */
export async function referenceTo(
  { name, domainId }: Pick<Role, "name" | "domainId">,
  { names }: Pick<KindContext, "names">,
): Promise<RoleReference> {
  return domainId === null ? name : { name, domain: await names.domainName(domainId) };
}

const ownReference = ({ name, domain }: RoleEntry): RoleReference =>
  domain === undefined ? name : { name, domain };

export const implicationKind: Kind<ImplicationEntry> = {
  kind: "implied_role",
  // A role's own list: what it does not name is not implied.
  prunedAs: undefined,
  keys: ["prior", "implied"],
  defaults: {},
  actions: {
    create: "identity:create_implied_role",
    update: "identity:create_implied_role",
    delete: "identity:delete_implied_role",
  },
  entriesOf: ({ roles }) =>
    roles?.flatMap((role, index) =>
      (role.implies ?? []).map((implied, place) => ({
        entry: { prior: ownReference(role), implied },
        path: ["roles", index, "implies", place],
      })),
    ),
  nameOf: ({ prior, implied }) => `${roleReferenceText(prior)} -> ${roleReferenceText(implied)}`,
  isCovered: ({ prior }, document) => hasImplications(document, prior),
  async stored(context) {
    const { services } = context;
    const inferences = await services.impliedRoles.listInferences();
    return Promise.all(
      inferences.flatMap(({ prior, implied }) =>
        implied.map(async (each) => {
          const rule = { priorRoleId: prior.id, impliedRoleId: each.id };
          return {
            entry: { prior: await referenceTo(prior, context), implied: await referenceTo(each, context) },
            ids: { prior_role_id: prior.id, implied_role_id: each.id },
            change: async () => {},
            delete: () => services.impliedRoles.stopImplying(rule),
          };
        }),
      ),
    );
  },
  async create({ services, names }, { entry, path }) {
    const priorRoleId = await names.roleId(entry.prior, path.slice(0, 2));
    const impliedRoleId = await names.roleId(entry.implied, path);
    await services.impliedRoles.imply({ priorRoleId, impliedRoleId });
    return { prior_role_id: priorRoleId, implied_role_id: impliedRoleId };
  },
};

function hasImplications({ roles = [] }: FederationDocument, prior: RoleReference): boolean {
  const text = roleReferenceText(prior);
  return roles.some((role) => role.implies !== undefined && roleReferenceText(ownReference(role)) === text);
}
