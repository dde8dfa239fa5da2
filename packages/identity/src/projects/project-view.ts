/** Projects and domains in responses. */
import type { Links } from "../platform/http/links.js";
import type { Domain, Project } from "./project.js";

export function projectView(project: Project, links: Links) {
  const { extra, id, name, enabled, description } = project;
  return {
    ...extra,
    id,
    name,
    domain_id: project.domainId,
    description,
    enabled,
    parent_id: project.parentId,
    is_domain: project.isDomain,
    tags: [...project.tags],
    options: { ...project.options },
    links: { self: links.self("/v3/projects", id) },
  };
}

export function domainView({ extra, id, name, description, enabled, tags, options }: Domain, links: Links) {
  return {
    ...extra,
    id,
    name,
    description,
    enabled,
    tags: [...tags],
    options: { ...options },
    links: { self: links.self("/v3/domains", id) },
  };
}
