/** The requests by which two services are compared: every collection, its members, and what tokens show. */

/** A collection, and requests for each of its members. */
interface Collection {
  readonly path: string;
  /** The member of the response with the list. */
  readonly list: string;
  /** Behind the path and the member's id; the member itself is `""`. */
  readonly ofEach?: readonly string[];
  /** Behind `/v3`, with `{id}`: requests for each member elsewhere. */
  readonly elsewhere?: readonly string[];
}

export const COLLECTIONS: readonly Collection[] = [
  {
    path: "/domains",
    list: "domains",
    ofEach: ["", "/config"],
    elsewhere: ["/roles?domain_id={id}", "/users?domain_id={id}", "/groups?domain_id={id}"],
  },
  {
    path: "/projects",
    list: "projects",
    ofEach: ["", "/tags"],
    elsewhere: ["/role_assignments?scope.project.id={id}&effective", "/OS-EP-FILTER/projects/{id}/endpoints"],
  },
  {
    path: "/users",
    list: "users",
    ofEach: ["", "/groups", "/projects", "/application_credentials", "/access_rules", "/credentials/OS-EC2"],
  },
  { path: "/groups", list: "groups", ofEach: ["", "/users"] },
  { path: "/roles", list: "roles", ofEach: ["", "/implies"] },
  { path: "/regions", list: "regions", ofEach: [""] },
  { path: "/services", list: "services", ofEach: [""] },
  { path: "/endpoints", list: "endpoints", ofEach: ["", "/OS-ENDPOINT-POLICY/policy"] },
  { path: "/credentials", list: "credentials", ofEach: [""] },
  { path: "/policies", list: "policies", ofEach: [""] },
  { path: "/registered_limits", list: "registered_limits", ofEach: [""] },
  { path: "/limits", list: "limits", ofEach: [""] },
  { path: "/OS-TRUST/trusts", list: "trusts", ofEach: ["", "/roles"] },
  { path: "/OS-EP-FILTER/endpoint_groups", list: "endpoint_groups", ofEach: ["", "/endpoints", "/projects"] },
  {
    path: "/OS-FEDERATION/identity_providers",
    list: "identity_providers",
    ofEach: ["", "/protocols"],
  },
  { path: "/OS-FEDERATION/mappings", list: "mappings", ofEach: [""] },
  { path: "/OS-FEDERATION/service_providers", list: "service_providers", ofEach: [""] },
];

/** Lists without members of their own. */
export const OTHER_PATHS: readonly string[] = [
  "/role_inferences",
  "/role_assignments",
  "/limits/model",
  "/OS-REVOKE/events",
  "/auth/catalog",
  "/auth/projects",
  "/auth/domains",
  "/auth/system",
];

/** What each given token is asked for itself. */
export const OWN_PATHS: readonly string[] = [
  "/auth/catalog",
  "/auth/projects",
  "/auth/domains",
  "/auth/system",
];

/** The requests for the members of a collection. */
export function memberPaths(collection: Collection, ids: readonly string[]): string[] {
  const { path, ofEach = [], elsewhere = [] } = collection;
  const templates = [...ofEach.map((part) => `${path}/{id}${part}`), ...elsewhere];
  return ids
    .map(encodeURIComponent)
    .flatMap((id) => templates.map((template) => template.replace("{id}", id)));
}
