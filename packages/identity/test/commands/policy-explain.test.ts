/** `policy list`, `show` and `explain`, against the settings' files and a database. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { commandLine } from "../command-line.js";

const { folder, finish } = commandLine();

async function policy(text: string, ...args: string[]) {
  const file = join(folder(), "policy.yaml");
  await writeFile(file, text);
  const { exit, output, errors } = await finish(["policy", ...args], { IDENTITY_POLICY_FILE: file });
  return {
    exit,
    output: output.replaceAll(`${folder()}/`, ""),
    errors: errors.replaceAll(`${folder()}/`, ""),
  };
}

const OPEN = '"ops": "role:ops"\n"identity:delete_user": "role:member or rule:ops"\n';

it("lists what files change, and where it is from", async () => {
  const { output } = await policy(OPEN, "list", "--changed");
  expect(output).toBe(
    "ops  [policy.yaml:1]  role:ops\nidentity:delete_user  [policy.yaml:2]  role:member or rule:ops\n",
  );
});

it("lists all rules, those of files and built in", async () => {
  const { output } = await policy(OPEN, "list");
  expect(output).toContain("identity:create_region  [built in]  rule:admin_required\n");
  expect(output.split("\n").length).toBeGreaterThan(200);
});

it("shows a rule, and what the file opens and closes", async () => {
  const { output } = await policy(OPEN, "show", "identity:delete_user");
  expect(output.split("\n")).toEqual([
    "identity:delete_user: role:member or rule:ops",
    "from: policy.yaml:2",
    "built in: rule:admin_required or (role:manager and domain_id:%(target.user.domain_id)s)",
    "tokens: system, domain, project",
    "refers to ops [policy.yaml:1]: role:ops",
    "identity:delete_user: reaches other domains:",
    "  members with a token for a project may now delete users of any domain",
    "  users with the role ops with a token for a project may now delete users of any domain",
    "  members with a token for a domain may now delete users of any domain",
    "  users with the role ops with a token for a domain may now delete users of any domain",
    "  members with a token for the system may now delete users of any domain",
    "  users with the role ops with a token for the system may now delete users of any domain",
    "",
  ]);
  expect((await policy(OPEN, "show", "identity:nothing")).errors).toMatch(/no rule has the name/);
});

it("explains step by step which rule decides on a request, and changes nothing", async () => {
  await finish(["bootstrap"]);
  const text = '"identity:delete_user": "role:ops or (role:member and domain_id:%(target.user.domain_id)s)"';
  const asked = ["DELETE", "/v3/users/admin", "--user", "admin", "--system"];
  const denied = await policy(text, "explain", ...asked);
  expect(denied.output.split("\n")).toEqual([
    "identity:delete_user: denied",
    "Rule: policy.yaml:1",
    "role:ops or role:member and domain_id:%(target.user.domain_id)s: does not hold",
    "  role:ops: does not hold (the caller's roles: ['admin', 'manager', 'member', 'reader'])",
    "  role:member and domain_id:%(target.user.domain_id)s: does not hold",
    "    role:member: holds (the caller's roles: ['admin', 'manager', 'member', 'reader'])",
    "    domain_id:%(target.user.domain_id)s: does not hold (the request has no target.user.domain_id)",
    "",
  ]);
  const builtIn = await policy("", "explain", ...asked);
  expect(builtIn.output).toMatch(/^identity:delete_user: allowed\nRule: built in\n/);
});
