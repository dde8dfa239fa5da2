/** What can be said of a project and of a domain alike, and how a change of it is read. */
import { extraOf, type Attributes } from "../platform/attributes.js";
import type { Project } from "./project.js";

/** Members of a body that are no attributes of the client's own, or can't be: the answer has them from elsewhere. */
const KNOWN = [
  "id",
  "name",
  "domain_id",
  "parent_id",
  "is_domain",
  "enabled",
  "description",
  "options",
  "tags",
  "explicit_domain_id",
  "extra",
  "links",
];

/** What is said of a project that is there already. */
export interface AttributeChange {
  readonly name?: string;
  readonly description?: string | null;
  readonly enabled?: boolean;
  readonly options?: Attributes;
  readonly tags?: readonly string[];
}

/** What is said of a new one. */
export interface NewAttributes extends AttributeChange {
  readonly name: string;
}

type Place = Pick<Project, "id" | "domainId" | "parentId" | "isDomain">;

const NOTHING_SAID = { name: "", description: "", enabled: true, options: {}, tags: [], extra: {} };

/** A project that is not stored yet. */
export function newProject(place: Place, attributes: NewAttributes): Project {
  return changedProject({ ...NOTHING_SAID, ...place }, attributes);
}

/** The project with what is said of it: what is left out stays, options that are `null` go. */
export function changedProject(project: Project, change: AttributeChange): Project {
  const { name, description, enabled, options, tags } = change;
  return {
    ...project,
    name: name === undefined ? project.name : name.trim(),
    description: description === undefined ? project.description : description,
    enabled: enabled ?? project.enabled,
    options: withoutNull({ ...project.options, ...options }),
    tags: tags ?? project.tags,
    extra: { ...project.extra, ...extraOf({ ...change }, KNOWN) },
  };
}

function withoutNull(options: Attributes): Attributes {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null));
}
