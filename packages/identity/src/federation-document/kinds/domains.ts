/** Domains and projects in documents. They own resources of the cloud: a document creates and changes them, and never deletes them. */
import type { Project } from "../../projects/project.js";
import type { DomainEntry, ProjectEntry } from "../document.js";
import { changedMembers, changeMutable, immutableOption, located, nameIn, type Kind } from "../kind.js";

const DEFAULTS = { description: "", enabled: true, tags: [], immutable: false };

/** Tags are a set. */
const withSortedTags = <Entry extends { readonly tags?: readonly string[] }>(entry: Entry): Entry =>
  entry.tags === undefined ? entry : { ...entry, tags: entry.tags.toSorted() };

const common = ({
  description,
  enabled,
  tags,
  options,
}: Pick<Project, "description" | "enabled" | "tags" | "options">) => ({
  description,
  enabled,
  tags: tags.toSorted(),
  immutable: options["immutable"] === true,
});

/** The members of a request, of those that differ. */
function changeOf(entry: DomainEntry | ProjectEntry, changed: ReadonlySet<string>) {
  const { description = DEFAULTS.description, enabled = true, tags = [] } = entry;
  return {
    ...changedMembers({ description, enabled, tags }, changed),
    ...(changed.has("immutable") && { options: immutableOption(entry.immutable) }),
  };
}

function draftOf(entry: DomainEntry | ProjectEntry) {
  const { name, description = DEFAULTS.description, enabled = true, tags = [], immutable } = entry;
  return { name, description, enabled, tags, ...(immutable === true && { options: { immutable } }) };
}

const checkName: NonNullable<Kind<{ readonly name: string }>["check"]> = (
  { fail },
  { entry: { name }, path },
) => {
  if (name !== name.trim())
    fail([...path, "name"], `${JSON.stringify(name)} has white space around it, expected a name without`);
};

export const domainKind: Kind<DomainEntry> = {
  kind: "domain",
  prunedAs: undefined,
  keys: ["name"],
  defaults: DEFAULTS,
  actions: {
    create: "identity:create_domain",
    update: "identity:update_domain",
    delete: "identity:delete_domain",
  },
  entriesOf: ({ domains }) => located("domains", domains),
  nameOf: ({ name }) => nameIn(undefined, name),
  normalized: withSortedTags,
  check: checkName,
  async stored({ services }, wanted) {
    const found =
      wanted === undefined
        ? await services.domains.list({})
        : await services.projects.findDomains({ names: wanted.map(({ entry }) => entry.name), ids: [] });
    return found.map((domain) => ({
      entry: { name: domain.name, ...common(domain) },
      ids: { domain_id: domain.id },
      change: ({ entry }, changed) =>
        changeMutable((change) => services.domains.update(domain.id, change), {
          change: changeOf(entry, changed),
          wasImmutable: domain.options["immutable"] === true,
        }),
      delete: () => services.domains.delete(domain.id),
    }));
  },
  create: async ({ services }, { entry }) => ({
    domain_id: (await services.domains.create(draftOf(entry))).id,
  }),
};

export const projectKind: Kind<ProjectEntry> = {
  kind: "project",
  prunedAs: undefined,
  keys: ["domain", "name"],
  defaults: { parent: null, ...DEFAULTS },
  actions: {
    create: "identity:create_project",
    update: "identity:update_project",
    delete: "identity:delete_project",
  },
  entriesOf: ({ projects }) => located("projects", projects),
  nameOf: ({ domain, name }) => nameIn(domain, name),
  normalized: withSortedTags,
  check: checkName,
  async stored({ services, queries, names }, wanted) {
    const found =
      wanted === undefined ? await services.projects.list({ isDomain: false }) : await findNamed();
    const parents = await names.projectNames(found.flatMap(({ parentId }) => parentId ?? []));
    return Promise.all(
      found.map(async (project) => {
        const parent = parents.get(project.parentId ?? "");
        return {
          entry: {
            domain: await names.domainName(project.domainId ?? ""),
            name: project.name,
            parent: parent === undefined || parent.project.isDomain ? null : parent.name,
            ...common(project),
          },
          ids: { project_id: project.id },
          change: async ({ entry, path }, changed) => {
            const { parent: wantedParent = null, domain } = entry;
            const moved = changed.has("parent") && {
              parent_id:
                wantedParent === null
                  ? project.domainId
                  : await names.projectId({ name: wantedParent, domain }, [...path, "parent"]),
            };
            await changeMutable((change) => services.projects.update(project.id, change), {
              change: { ...changeOf(entry, changed), ...moved },
              wasImmutable: project.options["immutable"] === true,
            });
          },
          delete: () => services.projects.delete(project.id),
        };
      }),
    );

    async function findNamed(): Promise<Project[]> {
      const places = [];
      for (const { entry, path } of wanted ?? [])
        places.push({ name: entry.name, domainId: await names.domainId(entry.domain, [...path, "domain"]) });
      const all: Project[] = [];
      for (let start = 0; start < places.length; start += MAX_PLACES)
        all.push(
          ...(await services.projects.findProjectsIn(queries, places.slice(start, start + MAX_PLACES))),
        );
      return all;
    }
  },
  async create({ services, names }, { entry, path }) {
    const { domain, parent = null } = entry;
    const domainId = await names.domainId(domain, [...path, "domain"]);
    const parentId =
      parent === null ? domainId : await names.projectId({ name: parent, domain }, [...path, "parent"]);
    const draft = { ...draftOf(entry), domain_id: domainId, parent_id: parentId };
    return { project_id: (await services.projects.create(draft, { domainId })).id };
  },
};

/** Names of one query. */
const MAX_PLACES = 1000;
