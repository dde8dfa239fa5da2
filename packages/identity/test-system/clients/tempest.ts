/** Debian's tempest: the tests that OpenStack asks of an identity service, run against one that is reached by HTTP. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { askClient } from "../run-program.js";
import { ADMIN_PASSWORD } from "../service-process.js";

const SCRIPT = "tempest-run.py";
const PROCESSES = 2;

/** Classes within `tempest.api.identity`, and how many tests each has that can be run here. */
export const TEMPEST_CLASSES: Readonly<Record<string, number>> = {
  "admin.v3.test_default_project_id.TestDefaultProjectId": 1,
  "admin.v3.test_domains.DomainsTestJSON": 7,
  "admin.v3.test_domains_negative.DomainsNegativeTestJSON": 5,
  "admin.v3.test_endpoints.EndPointsTestJSON": 3,
  "admin.v3.test_endpoints_negative.EndpointsNegativeTestJSON": 4,
  "admin.v3.test_groups.GroupsV3TestJSON": 4,
  "admin.v3.test_inherits.InheritsV3TestJSON": 6,
  "admin.v3.test_list_projects.ListProjectsTestJSON": 2,
  "admin.v3.test_list_users.UsersV3TestJSON": 5,
  "admin.v3.test_project_tags.IdentityV3ProjectTagsTest": 1,
  "admin.v3.test_projects.ProjectsTestJSON": 11,
  "admin.v3.test_projects_negative.ProjectsNegativeStaticTestJSON": 6,
  "admin.v3.test_projects_negative.ProjectsNegativeTestJSON": 1,
  "admin.v3.test_regions.RegionsTestJSON": 4,
  "admin.v3.test_roles.RolesV3TestJSON": 15,
  "admin.v3.test_services.ServicesTestJSON": 3,
  "admin.v3.test_tokens.TokensV3TestJSON": 3,
  "admin.v3.test_users.UsersV3TestJSON": 4,
  "admin.v3.test_users_negative.UsersNegativeTest": 2,
  "v3.test_api_discovery.TestApiDiscovery": 5,
  "v3.test_catalog.IdentityCatalogTest": 1,
  "v3.test_domains.DefaultDomainTestJSON": 1,
  "v3.test_projects.IdentityV3ProjectsTest": 1,
  "v3.test_tokens.TokensV3Test": 3,
};

/** Wants passwords to have a history, which the tests' service does not keep. */
const LEFT_OUT = "test_password_history_not_enforced_in_admin_reset";

/** The longest first, so that no process is left with one at the end. */
const classes = Object.entries(TEMPEST_CLASSES)
  .toSorted(([, tests], [, others]) => others - tests)
  .map(([name]) => `tempest.api.identity.${name}`);

/** A test that there is. */
export interface TempestTest {
  /** With its tags: `tempest.api....test_create_region[id-...]` */
  readonly test: string;
  /** Within `tempest.api.identity`. */
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
    const lines = (await askClient(SCRIPT, { classes, list: true }, env)) as Line[];
    return lines
      .filter(({ test }) => !test.includes(LEFT_OUT))
      .map(({ test, class_name: name }) => ({ test, className: name.replace("tempest.api.identity.", "") }));
  });
}

/** What came of each test: `passed`, or what went wrong with it or with its whole class. */
export async function runTempest(url: string): Promise<(test: TempestTest) => string> {
  const lines = await inFolder(url, async (env) => {
    const parts = Array.from({ length: PROCESSES }, (_, part) =>
      askClient(SCRIPT, { classes, part, parts: PROCESSES }, env),
    );
    return (await Promise.all(parts)).flat() as Line[];
  });
  return ({ test, className }) => {
    const own = lines.find((line) => line.test === test);
    if (own !== undefined) return own.outcome === "passed" ? "passed" : `${own.outcome}: ${own.why}`;
    const ofClass = lines.find((line) => line.class_name.endsWith(className) && line.outcome !== "passed");
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
    "[service_available]",
    ...others.map((name) => `${name} = false`),
    "",
  ].join("\n");
}
