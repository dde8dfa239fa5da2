/** Commands of an operator, in order, and the client's output with a real Keystone. */
import { expect } from "vitest";

/** A command of `openstack`, and the JSON that it prints if it prints any. */
export interface Step {
  /** `{name}` stands for an id that an earlier step has kept. */
  readonly command: string;
  readonly prints?: unknown;
  /** The name by which the id of what is printed is kept. */
  readonly keepsId?: string;
}

const ID: unknown = expect.stringMatching(/^[0-9a-f]{32}$/);

/** Rows of a list that may contain other rows. */
function rows(...wanted: object[]): unknown {
  return expect.arrayContaining(wanted);
}

function implied(prior: string, role: string): object {
  const ids = { "Prior Role ID": ID, "Implied Role ID": ID };
  return { ...ids, "Prior Role Name": prior, "Implied Role Name": role };
}

const project = { domain_id: "default", id: ID, is_domain: false, name: "press", options: {} };
const press = { ...project, parent_id: "default", tags: ["blue"] };
const user = { default_project_id: ID, domain_id: "default", enabled: true, id: ID, name: "ann" };
const ann = { ...user, options: {}, password_expires_at: null };
const club = { domain_id: "default", id: ID, name: "club" };
const printer = { domain_id: null, id: ID, name: "printer", options: {} };
const photos = { description: "pictures", id: ID, name: "photos", type: "photo" };
const here = { enabled: true, parent_region: null, region: "here" };
const endpoint = { enabled: true, id: ID, interface: "public", region: "here", region_id: "here" };
const photoEndpoint = { ...endpoint, service_id: ID, service_name: "photos", service_type: "photo" };
const faraway = { description: "far", id: ID, name: "faraway", options: {}, tags: [] };
const emptyAssignment = { User: "", Group: "", Project: "", Domain: "", System: "", Inherited: false };
const annPrints = { ...emptyAssignment, Role: "printer", User: "ann@Default" };
const registered = { id: ID, service_id: ID, region_id: null, resource_name: "prints" };
const limit = { ...registered, domain_id: null, project_id: ID, description: null };
const limitRow = { ID, "Service ID": ID, "Resource Name": "prints", "Region ID": null };
const json = "-f json";

const projects: Step[] = [
  {
    command: `project create ${json} --description paper --tag blue press`,
    prints: { ...press, description: "paper", enabled: true },
  },
  { command: "project set --description ink --disable press" },
  { command: `project show ${json} press`, prints: { ...press, description: "ink", enabled: false } },
  { command: `project list ${json}`, prints: rows({ ID, Name: "press" }, { ID, Name: "admin" }) },
  { command: "project set --enable press" },
];

const users: Step[] = [
  {
    command: `user create ${json} --project press --password pw1 --email ann@example.com ann`,
    prints: { ...ann, email: "ann@example.com" },
  },
  { command: "user set --email ann@example.org ann" },
  { command: `user show ${json} ann`, prints: { ...ann, email: "ann@example.org" } },
  { command: `user list ${json}`, prints: rows({ ID, Name: "ann" }, { ID, Name: "admin" }) },
  { command: "user set --password pw2 ann" },
];

const groups: Step[] = [
  { command: `group create ${json} --description readers club`, prints: { ...club, description: "readers" } },
  { command: "group set --description writers club" },
  { command: `group show ${json} club`, prints: { ...club, description: "writers" } },
  { command: `group list ${json}`, prints: rows({ ID, Name: "club" }) },
  { command: "group add user club ann" },
  { command: `user list ${json} --group club`, prints: [{ ID, Name: "ann" }] },
  { command: "group remove user club ann" },
  { command: `user list ${json} --group club`, prints: [] },
];

const roles: Step[] = [
  { command: `role create ${json} printer`, prints: { ...printer, description: null } },
  { command: "role set --description prints printer" },
  { command: `role show ${json} printer`, prints: { ...printer, description: "prints" } },
  { command: `role list ${json} -c Name`, prints: rows({ Name: "printer" }, { Name: "reader" }) },
  { command: "role add --project press --user ann printer" },
  { command: "role add --domain default --group club printer" },
  { command: "role add --system all --user ann printer" },
  {
    command: `role assignment list ${json} --names --user ann`,
    prints: rows({ ...annPrints, Project: "press@Default" }, { ...annPrints, System: "all" }),
  },
  {
    command: `role assignment list ${json} --names --group club`,
    prints: [{ ...emptyAssignment, Role: "printer", Group: "club@Default", Domain: "Default" }],
  },
  { command: "role remove --project press --user ann printer" },
  { command: `role assignment list ${json} --names --user ann`, prints: [{ ...annPrints, System: "all" }] },
  {
    command: `implied role create ${json} --implied-role reader printer`,
    prints: { implies: ID, prior_role: ID },
  },
  {
    command: `implied role list ${json}`,
    prints: rows(implied("printer", "reader"), implied("manager", "member"), implied("admin", "manager")),
  },
];

const catalog: Step[] = [
  {
    command: `service create ${json} --name photos --description pictures photo`,
    prints: { ...photos, enabled: true },
  },
  { command: "service set --disable photos" },
  { command: `service show ${json} photos`, prints: { ...photos, enabled: false } },
  { command: "service set --enable photos" },
  { command: `service list ${json}`, prints: rows({ ID, Name: "photos", Type: "photo" }) },
  { command: `region create ${json} --description here here`, prints: { ...here, description: "here" } },
  {
    command: `region create ${json} --parent-region here hereafter`,
    prints: { ...here, region: "hereafter", parent_region: "here", description: "" },
  },
  { command: "region set --description there here" },
  { command: `region show ${json} here`, prints: { ...here, description: "there" } },
  {
    command: `region list ${json} --parent-region here`,
    prints: [{ Region: "hereafter", "Parent Region": "here", Description: "" }],
  },
  {
    command: `endpoint create ${json} --region here photo public http://photos.example.com`,
    prints: { ...photoEndpoint, url: "http://photos.example.com" },
  },
  {
    command: `endpoint list ${json} --service photo -c Region -c Interface -c URL`,
    prints: [{ Region: "here", Interface: "public", URL: "http://photos.example.com" }],
  },
  // The client shows what came with its token, which is older than the service of photos.
  { command: `catalog list ${json} -c Name -c Type`, prints: [{ Name: "keystone", Type: "identity" }] },
  {
    command: `catalog show ${json} keystone -c name -c type`,
    prints: { name: "keystone", type: "identity" },
  },
];

const domains: Step[] = [
  { command: `domain create ${json} --description far faraway`, prints: { ...faraway, enabled: true } },
  { command: "domain set --disable faraway" },
  { command: `domain show ${json} faraway`, prints: { ...faraway, enabled: false } },
  {
    command: `domain list ${json}`,
    prints: rows(
      { ID, Name: "faraway", Enabled: false, Description: "far" },
      { ID: "default", Name: "Default", Enabled: true, Description: "The default domain" },
    ),
  },
];

const limits: Step[] = [
  {
    command: `registered limit create ${json} --service photos --default-limit 10 --description many prints`,
    prints: { ...registered, default_limit: 10, description: "many" },
    keepsId: "registered",
  },
  {
    command: `registered limit create ${json} --service photos --default-limit 3 --region here prints`,
    prints: { ...registered, default_limit: 3, description: null, region_id: "here" },
    keepsId: "regional",
  },
  {
    command: `registered limit list ${json} --service photos --resource-name prints`,
    prints: rows(
      { ...limitRow, "Default Limit": 10, Description: "many" },
      { ...limitRow, "Default Limit": 3, Description: null, "Region ID": "here" },
    ),
  },
  {
    command: `registered limit set ${json} --default-limit 12 {registered}`,
    prints: { ...registered, default_limit: 12, description: "many" },
  },
  {
    command: `registered limit show ${json} {registered}`,
    prints: { ...registered, default_limit: 12, description: "many" },
  },
  {
    command: `limit create ${json} --project press --service photos --resource-limit 5 prints`,
    prints: { ...limit, resource_limit: 5 },
    keepsId: "limit",
  },
  {
    command: `limit list ${json} --service photos`,
    prints: [{ ...limitRow, "Project ID": ID, "Resource Limit": 5, Description: null }],
  },
  {
    command: `limit set ${json} --resource-limit 0 --description none {limit}`,
    prints: { ...limit, resource_limit: 0, description: "none" },
  },
  {
    command: `limit show ${json} {limit}`,
    prints: { ...limit, resource_limit: 0, description: "none" },
  },
  { command: "limit delete {limit}" },
  { command: `limit list ${json} --project press`, prints: [] },
  { command: "registered limit delete {registered}" },
  { command: "registered limit delete {regional}" },
  { command: `registered limit list ${json}`, prints: [] },
];

const robot = { name: "robot", project_id: ID, description: "prints", unrestricted: false };

const applicationCredentials: Step[] = [
  {
    command: `application credential create ${json} --role reader --secret s3cret --description prints robot`,
    prints: expect.objectContaining({ ...robot, roles: "reader", secret: "s3cret", expires_at: null }),
  },
  {
    command: `application credential create ${json} --unrestricted --expiration 2099-12-31T23:59:59 free`,
    prints: expect.objectContaining({ unrestricted: true, expires_at: "2099-12-31T23:59:59.000000" }),
  },
  {
    command: `application credential list ${json}`,
    prints: rows(expect.objectContaining({ ID, Name: "robot" }), expect.objectContaining({ Name: "free" })),
  },
  {
    command: `application credential show ${json} robot`,
    prints: expect.objectContaining({ ...robot, roles: "reader" }),
  },
  { command: "application credential delete robot" },
  { command: "application credential delete free" },
  { command: `application credential list ${json}`, prints: [] },
];

const passed = { project_id: ID, trustor_user_id: ID, trustee_user_id: ID };

const trusts: Step[] = [
  {
    command: `trust create ${json} --project admin --role member --impersonate --expiration 2099-12-31T23:59:59 admin ann`,
    prints: expect.objectContaining({
      ...passed,
      impersonation: true,
      roles: "member",
      expires_at: "2099-12-31T23:59:59.000000Z",
    }),
    keepsId: "trust",
  },
  {
    command: `trust show ${json} {trust}`,
    prints: expect.objectContaining({ ...passed, roles: "member", deleted_at: null }),
  },
  { command: `trust list ${json}`, prints: rows(expect.objectContaining({ ID, Impersonation: true })) },
  { command: "trust delete {trust}" },
  { command: `trust list ${json}`, prints: [] },
];

const deletions: Step[] = [
  "service delete photos",
  "region delete hereafter",
  "region delete here",
  "user delete ann",
  "group delete club",
  "role delete printer",
  "project delete press",
  "domain delete faraway",
].map((command) => ({ command }));

/** What each deleted thing is answered by. */
export const LOST = {
  "user show ann": "No user with a name or ID of 'ann' exists.",
  "project show press": "No project with a name or ID of 'press' exists.",
  "role show printer": "No role with a name or ID of 'printer' exists.",
};

export const STEPS: readonly Step[] = [
  {
    command: `token issue ${json}`,
    prints: { expires: expect.any(String), id: expect.any(String), project_id: ID, user_id: ID },
  },
  ...projects,
  ...users,
  ...groups,
  ...roles,
  ...catalog,
  ...domains,
  ...limits,
  ...applicationCredentials,
  ...trusts,
  ...deletions,
];
