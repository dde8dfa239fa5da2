/** Runs Debian's tempest with Keystone's plugin against a service. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { askClient } from "../run-program.js";
import { ADMIN_PASSWORD } from "../service-process.js";

const SCRIPT = "tempest-run.py";
const PROCESSES = 2;

/** Classes within `tempest.api.identity`, and how many tests each has that can be run here. */
const CORE = {
  "admin.v3.test_application_credentials.ApplicationCredentialsV3AdminTest": 1,
  "admin.v3.test_credentials.CredentialsTestJSON": 1,
  "admin.v3.test_default_project_id.TestDefaultProjectId": 1,
  "admin.v3.test_domain_configuration.DomainConfigurationTestJSON": 4,
  "admin.v3.test_domains.DomainsTestJSON": 7,
  "admin.v3.test_domains_negative.DomainsNegativeTestJSON": 5,
  "admin.v3.test_endpoint_groups.EndPointGroupsTest": 2,
  "admin.v3.test_endpoints.EndPointsTestJSON": 3,
  "admin.v3.test_endpoints_negative.EndpointsNegativeTestJSON": 4,
  "admin.v3.test_groups.GroupsV3TestJSON": 4,
  "admin.v3.test_inherits.InheritsV3TestJSON": 6,
  "admin.v3.test_list_projects.ListProjectsTestJSON": 2,
  "admin.v3.test_list_users.UsersV3TestJSON": 5,
  "admin.v3.test_policies.PoliciesTestJSON": 2,
  "admin.v3.test_project_tags.IdentityV3ProjectTagsTest": 1,
  "admin.v3.test_projects.ProjectsTestJSON": 11,
  "admin.v3.test_projects_negative.ProjectsNegativeStaticTestJSON": 6,
  "admin.v3.test_projects_negative.ProjectsNegativeTestJSON": 1,
  "admin.v3.test_regions.RegionsTestJSON": 4,
  "admin.v3.test_roles.RolesV3TestJSON": 15,
  "admin.v3.test_services.ServicesTestJSON": 3,
  "admin.v3.test_tokens.TokensV3TestJSON": 3,
  "admin.v3.test_trusts.TrustsV3TestJSON": 6,
  "admin.v3.test_users.UsersV3TestJSON": 4,
  "admin.v3.test_users_negative.UsersNegativeTest": 2,
  "v3.test_access_rules.AccessRulesV3Test": 3,
  "v3.test_api_discovery.TestApiDiscovery": 5,
  "v3.test_application_credentials.ApplicationCredentialsV3Test": 5,
  "v3.test_catalog.IdentityCatalogTest": 1,
  "v3.test_domains.DefaultDomainTestJSON": 1,
  "v3.test_ec2_credentials.EC2CredentialsTest": 4,
  "v3.test_projects.IdentityV3ProjectsTest": 1,
  "v3.test_tokens.TokensV3Test": 3,
  "admin.v3.test_oauth_consumers.OAUTHConsumersV3Test": 4,
};

/** Classes within the plugin's `tests.api.identity.v3`. */
const RESOURCES = {
  "test_identity_providers.IndentityProvidersTest": 12,
  "test_mapping_rules.MappingRulesTest": 5,
  "test_service_providers.ServiceProvidersTest": 10,
  "test_oauth1_tokens.OAUTH1TokensTest": 11,
};

/** Modules within the plugin's `tests.rbac.v3`, and how many tests each has for a persona. */
const PERMISSIONS = {
  test_access_rule: 3,
  test_identity_provider: 5,
  test_limit: 6,
  test_mapping: 5,
  test_protocol: 5,
  test_registered_limit: 5,
  test_service_provider: 5,
};
const PERSONAS = ["System", "Domain", "Project"].flatMap((scope) =>
  ["Admin", "Member", "Reader"].map((role) => `${scope}${role}`),
);

/** Keystone of 2026 fails the last three kinds too: in them an administrator of a project or domain may do less than is so. */
const LEFT_OUT = [
  // Wants passwords to have a history, which the tests' service does not keep.
  /test_password_history_not_enforced_in_admin_reset/,
  // Moves a credential to another project: only-blobs-change in docs/identity/differences.md.
  /test_credentials_create_get_update_delete/,
  /ProjectAdminTests\.test_identity_(?!get_limit_model|(?:get|list)_registered_limits?(?:\[|$))/,
  /test_limit\.DomainAdminTests\.test_identity_get_limit(?:\[|$)/,
  /test_limit\.DomainAdminTests\.test_identity_list_limits(?:\[|$)/,
];
/** Of which few are left, or none. */
const COUNTS: Readonly<Record<string, number>> = {
  "test_access_rule.ProjectAdminTests": 0,
  "test_identity_provider.ProjectAdminTests": 0,
  "test_limit.DomainAdminTests": 4,
  "test_limit.ProjectAdminTests": 1,
  "test_mapping.ProjectAdminTests": 0,
  "test_protocol.ProjectAdminTests": 0,
  "test_registered_limit.ProjectAdminTests": 2,
  "test_service_provider.ProjectAdminTests": 0,
};

/** The class of tests, by its whole name, and how many of its tests are run here. */
export const TEMPEST_CLASSES: ReadonlyMap<string, number> = new Map(
  [
    ...within("tempest.api.identity", CORE),
    ...within("keystone_tempest_plugin.tests.api.identity.v3", RESOURCES),
    ...within("keystone_tempest_plugin.tests.rbac.v3", permissions()),
  ].filter(([, tests]) => tests > 0),
);

function within(module: string, classes: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(classes).map(([name, tests]) => [`${module}.${name}`, tests]);
}

function permissions(): Record<string, number> {
  const classes = Object.entries(PERMISSIONS).flatMap(([module, tests]) =>
    PERSONAS.map((persona) => [`${module}.${persona}Tests`, tests] as const),
  );
  return { ...Object.fromEntries(classes), ...COUNTS };
}

/** The longest first, so that no process is left with one at the end. */
const ALL = [...TEMPEST_CLASSES].toSorted(([, tests], [, others]) => others - tests).map(([name]) => name);

/** A test of a class. */
export interface TempestTest {
  /** With its tags: `tempest.api....test_create_region[id-...]` */
  readonly test: string;
  readonly className: string;
}

interface Line {
  readonly test: string;
  readonly class_name: string;
  readonly outcome: string;
  readonly why: string;
}

/** Every test of the classes, as the installed tempest has them. */
export async function tempestTests(): Promise<TempestTest[]> {
  return inFolder("http://127.0.0.1:1", async (env) => {
    const lines = (await askClient(SCRIPT, { classes: ALL, list: true }, env)) as Line[];
    return lines
      .filter(({ test }) => !LEFT_OUT.some((pattern) => pattern.test(test)))
      .map(({ test, class_name: className }) => ({ test, className }));
  });
}

/** The outcome of each test of these: `passed`, or the failure of the test or of its whole class. */
export async function runTempest(
  url: string,
  tests: readonly TempestTest[],
): Promise<(test: TempestTest) => string> {
  const wanted = new Set(tests.map(({ className }) => className));
  const classes = ALL.filter((name) => wanted.has(name));
  const lines = await inFolder(url, async (env) => {
    const parts = Array.from({ length: PROCESSES }, (_, part) =>
      askClient(SCRIPT, { classes, part, parts: PROCESSES }, env),
    );
    return (await Promise.all(parts)).flat() as Line[];
  });
  return ({ test, className }) => {
    const own = lines.find((line) => line.test === test);
    if (own !== undefined) return own.outcome === "passed" ? "passed" : `${own.outcome}: ${own.why}`;
    const ofClass = lines.find((line) => line.class_name === className && line.outcome !== "passed");
    return ofClass === undefined ? "not run" : `${ofClass.test} ${ofClass.outcome}: ${ofClass.why}`;
  };
}

async function inFolder<Result>(
  url: string,
  work: (env: Record<string, string>) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "hamkit-tempest-"));
  try {
    await writeFile(join(folder, "tempest.conf"), configuration(url, folder));
    return await work({ TEMPEST_CONFIG_DIR: folder, TEMPEST_CONFIG: "tempest.conf" });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Tempest makes its own users, by the administrator; all other services are away. */
function configuration(url: string, folder: string): string {
  const others = ["cinder", "glance", "horizon", "neutron", "nova", "swift"];
  return [
    "[DEFAULT]",
    `log_dir = ${folder}`,
    "log_file = tempest.log",
    "use_stderr = false",
    "[oslo_concurrency]",
    `lock_path = ${folder}`,
    "[auth]",
    "use_dynamic_credentials = true",
    "admin_username = admin",
    `admin_password = ${ADMIN_PASSWORD}`,
    "admin_project_name = admin",
    "admin_domain_name = Default",
    "[identity]",
    `uri_v3 = ${url}/v3`,
    "auth_version = v3",
    "v3_endpoint_type = public",
    "[identity-feature-enabled]",
    "access_rules = true",
    "enforce_scope = true",
    "federation = true",
    "[service_available]",
    ...others.map((name) => `${name} = false`),
    "",
  ].join("\n");
}
