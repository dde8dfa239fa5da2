/** The schema of mapping rules, in each version of Keystone's: 2.0 adds a domain to projects, 3.0 adds `projects_json`. */
import type { RuleProblem } from "../mapping-errors.js";

export const SCHEMA_VERSIONS = ["1.0", "2.0", "3.0"] as const;

export type SchemaVersion = (typeof SCHEMA_VERSIONS)[number];

/** A rule: if all `remote` conditions hold, the user gets `local`. */
export interface Rule {
  readonly local: readonly LocalItem[];
  readonly remote: readonly RemoteItem[];
}

/** A condition on one attribute, with at most one test. */
export interface RemoteItem {
  readonly type: string;
  readonly any_one_of?: readonly unknown[];
  readonly not_any_of?: readonly unknown[];
  readonly whitelist?: readonly unknown[];
  readonly blacklist?: readonly unknown[];
  readonly regex?: boolean;
}

/** What a user gets. Strings are templates. */
export interface LocalItem {
  readonly user?: {
    readonly id?: string;
    readonly name?: string;
    readonly email?: string;
    readonly domain?: DomainReference;
    readonly type?: UserType;
  };
  readonly group?: { readonly id: string } | { readonly name: string; readonly domain: DomainReference };
  readonly groups?: string;
  readonly group_ids?: string;
  readonly domain?: DomainReference;
  readonly projects?: readonly ProjectGrant[];
  readonly projects_json?: string;
}

/** A domain by id or name; by id if it has both. */
export interface DomainReference {
  readonly id?: string;
  readonly name?: string;
}

export type UserType = "ephemeral" | "local";

export interface ProjectGrant {
  readonly name: string;
  readonly roles: readonly { readonly name: string }[];
  readonly domain?: DomainReference | null;
}

export const TESTS = ["any_one_of", "not_any_of", "blacklist", "whitelist"] as const;

/** How the values of an attribute are checked: for presence, or against a list. */
export type Test = "present" | (typeof TESTS)[number];

/** Validates rules. Without problems the value is a `Rule[]`. */
export function checkRules(rules: unknown, version: SchemaVersion): RuleProblem[] {
  const problems: RuleProblem[] = [];
  list(rule(version), { min: 1 })(rules, "rules", problems);
  return problems;
}

/** Validates projects with their roles: the JSON of `projects_json`. */
export function checkProjects(projects: unknown, place: string): RuleProblem[] {
  const problems: RuleProblem[] = [];
  list(project("3.0"))(projects, place, problems);
  return problems;
}

type Check = (value: unknown, place: string, problems: RuleProblem[]) => void;

const rule = (version: SchemaVersion): Check =>
  record(
    { local: list(localItem(version)), remote: list(remoteItem, { min: 1 }) },
    { required: ["local", "remote"] },
  );

const text: Check = (value, place, problems) => {
  if (typeof value !== "string") problems.push({ place, fault: `expected a string, found ${show(value)}` });
};

const boolean: Check = (value, place, problems) => {
  if (typeof value !== "boolean")
    problems.push({ place, fault: `expected true or false, found ${show(value)}` });
};

const anything: Check = () => undefined;

const userType: Check = (value, place, problems) => {
  if (value !== "ephemeral" && value !== "local")
    problems.push({ place, fault: `expected "ephemeral" or "local", found ${show(value)}` });
};

const domain = record({ id: text, name: text });

const user = record({ id: text, name: text, email: text, domain, type: userType });

const project = (version: SchemaVersion): Check =>
  record(
    {
      name: text,
      roles: list(record({ name: text }, { required: ["name"] })),
      ...(version === "1.0" ? {} : { domain }),
    },
    { required: ["name", "roles"] },
  );

const localItem = (version: SchemaVersion): Check =>
  record({
    user,
    group,
    groups: text,
    group_ids: text,
    domain,
    projects: list(project(version)),
    ...(version === "3.0" ? { projects_json: text } : {}),
  });

/** A group has an id, or a name and a domain. */
function group(value: unknown, place: string, problems: RuleProblem[]): void {
  const hasId = isRecord(value) && Object.hasOwn(value, "id");
  const shape = hasId
    ? record({ id: text }, { required: ["id"] })
    : record({ name: text, domain }, { required: ["name", "domain"] });
  shape(value, place, problems);
}

function remoteItem(value: unknown, place: string, problems: RuleProblem[]): void {
  const listed = Object.fromEntries(TESTS.map((test) => [test, list(anything)]));
  record({ type: text, regex: boolean, ...listed }, { required: ["type"] })(value, place, problems);
  if (!isRecord(value)) return;
  const tests = TESTS.filter((test) => Object.hasOwn(value, test));
  if (tests.length > 1)
    problems.push({ place, fault: `has ${tests.join(" and ")}, expected at most one test` });
  if (tests.length === 0 && Object.hasOwn(value, "regex"))
    problems.push({ place: `${place}.regex`, fault: `requires one of ${TESTS.join(", ")}` });
}

function list(item: Check, { min = 0 } = {}): Check {
  return (value, place, problems) => {
    if (!Array.isArray(value)) problems.push({ place, fault: `expected a list, found ${show(value)}` });
    else if (value.length < min) problems.push({ place, fault: "must not be empty" });
    else for (const [index, member] of value.entries()) item(member, `${place}[${index}]`, problems);
  };
}

function record(
  members: Readonly<Record<string, Check>>,
  { required = [] }: { readonly required?: readonly string[] } = {},
): Check {
  return (value, place, problems) => {
    if (!isRecord(value)) {
      problems.push({ place, fault: `expected an object, found ${show(value)}` });
      return;
    }
    for (const name of required)
      if (!Object.hasOwn(value, name)) problems.push({ place, fault: `lacks "${name}"` });
    for (const [name, member] of Object.entries(value)) {
      const check = Object.hasOwn(members, name) ? members[name] : undefined;
      if (check === undefined)
        problems.push({
          place,
          fault: `unknown member ${show(name)}, expected one of ${Object.keys(members).join(", ")}`,
        });
      else check(member, `${place}.${name}`, problems);
    }
  };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value for a message, truncated. */
export function show(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (isRecord(value)) return "an object";
  return typeof value === "string"
    ? JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value)
    : String(value);
}
