/** Endpoints in responses. */
import type { Links } from "../platform/http/links.js";
import type { Endpoint } from "./endpoint-store.js";

export function endpointView({ id, serviceId, regionId, extra, ...endpoint }: Endpoint, links: Links) {
  return {
    ...extra,
    ...endpoint,
    id,
    service_id: serviceId,
    region_id: regionId,
    // The region's name before regions had paths of their own.
    region: regionId,
    links: { self: links.self("/v3/endpoints", id) },
  };
}
