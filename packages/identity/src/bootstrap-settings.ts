/** What a bootstrap makes, by the names that `keystone-manage bootstrap` has for it. */
import { INTERFACES, type EndpointInterface } from "./catalog/endpoint-store.js";

export interface BootstrapSettings {
  /** The administrator, in the domain `default`. */
  readonly username: string;
  /** The administrator's project, there too. */
  readonly projectName: string;
  /** The role that the administrator gets in the project and in the system. */
  readonly roleName: string;
  /** The identity service in the catalog. */
  readonly serviceName: string;
  /** Where its endpoints are; {@link DEFAULT_REGION}, or where it has endpoints already, if left out. */
  readonly regionId: string | undefined;
  /** Endpoints, each by its interface; the service's own public URL for each on a first start, if there are none. */
  readonly urls: Readonly<Partial<Record<EndpointInterface, string>>>;
  /** Whether the roles that are made can be changed and deleted only after their option `immutable` is taken away. */
  readonly hasImmutableRoles: boolean;
}

export const DEFAULT_REGION = "RegionOne";

/** What `serve` makes on a first start. */
export const DEFAULT_BOOTSTRAP: BootstrapSettings = {
  username: "admin",
  projectName: "admin",
  roleName: "admin",
  serviceName: "keystone",
  regionId: undefined,
  urls: {},
  hasImmutableRoles: true,
};

/** Roles that are there from the beginning, and which of them the one before implies. */
export const DEFAULT_ROLES = ["admin", "manager", "member", "reader"] as const;
export const SERVICE_ROLE = "service";

/** A role, and the one that it implies. */
type Implication = readonly [prior: string, implied: string];

/**
 * The roles that are made, and what they imply. One of another name implies `manager`, as Keystone has it; `admin` is there all the
 * same, because the policy asks for it.
 */
export function rolesFor({ roleName }: BootstrapSettings): {
  readonly names: readonly string[];
  readonly implications: readonly Implication[];
} {
  const [admin, manager, member, reader] = DEFAULT_ROLES;
  const names = new Set([...DEFAULT_ROLES, SERVICE_ROLE, roleName]);
  const implications: Implication[] = [
    [admin, manager],
    [manager, member],
    [member, reader],
  ];
  const isOther = names.size > DEFAULT_ROLES.length + 1;
  return { names: [...names], implications: isOther ? [...implications, [roleName, manager]] : implications };
}

/** What the catalog has on a first start. */
export function firstUrls({ urls }: BootstrapSettings, publicUrl: string): BootstrapSettings["urls"] {
  if (Object.keys(urls).length > 0) return urls;
  return Object.fromEntries(INTERFACES.map((type) => [type, `${publicUrl}/v3/`]));
}
