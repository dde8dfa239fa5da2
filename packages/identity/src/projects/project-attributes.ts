/** The attributes that projects and domains share, and their changes. */
import { changedOptions, extraOf, type Attributes } from "../platform/attributes.js";
import type { Project } from "./project.js";

/** Members of a body that are not stored as attributes of the client. */
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

/** A change of an existing project. */
export interface AttributeChange {
  readonly name?: string;
  readonly description?: string | null;
  readonly enabled?: boolean;
  readonly options?: Attributes;
  readonly tags?: readonly string[];
}

/** The attributes of a new project. */
export interface NewAttributes extends AttributeChange {
  readonly name: string;
}

type Place = Pick<Project, "id" | "domainId" | "parentId" | "isDomain">;

const DEFAULTS = { name: "", description: "", enabled: true, options: {}, tags: [], extra: {} };

/** A project with defaults. */
export function newProject(place: Place, attributes: NewAttributes): Project {
  return changedProject({ ...DEFAULTS, ...place }, attributes);
}

/** The project after a change. */
export function changedProject(project: Project, change: AttributeChange): Project {
  const { name, description, enabled, options, tags } = change;
  return {
    ...project,
    name: name === undefined ? project.name : name.trim(),
    description: description === undefined ? project.description : description,
    enabled: enabled ?? project.enabled,
    options: changedOptions(project.options, options),
    tags: tags ?? project.tags,
    extra: { ...project.extra, ...extraOf({ ...change }, KNOWN) },
  };
}
