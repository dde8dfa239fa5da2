/** A group as answers show it. */
import type { Links } from "../platform/http/links.js";
import type { Group } from "./group-store.js";

export function viewOfGroup({ id, name, domainId, description, extra }: Group, links: Links) {
  return {
    ...extra,
    id,
    name,
    domain_id: domainId,
    description,
    links: { self: links.self("/v3/groups", id) },
  };
}
