/** Values of conditions that accept workloads of other owners of the issuer. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { broadCondition } from "../../src/federation/protocols/openid/openid-settings.js";

const isBroad = (claim: string, value: string) =>
  broadCondition({ conditions: [{ claim, values: [value] }] }) !== undefined;

/** Subjects as the issuers document them, each with the part that names the owner. */
const SUBJECTS: readonly (readonly [owner: string, rest: string])[] = [
  ["repo:octo-org/", "octo-repo:ref:refs/heads/main"],
  ["repository_owner:octo-org:", "environment:prod"],
  ["repository_owner_id:65:", "x"],
  ["repository_id:74:", "x"],
  ["job_workflow_ref:octo-org/", "octo-automation/.github/workflows/oidc.yml@refs/heads/main"],
  ["environment:prod:repo:octo-org/", "octo-repo:x"],
  ["enterprise:octo:", "repo:octo-org/octo-repo:x"],
  ["project_path:my-group/", "my-project:ref_type:branch:ref:feature-branch-1"],
  ["system:serviceaccount:prod:", "deployer"],
  ["spiffe://example.org/", "ns/prod/sa/web"],
  ["arn:aws:sts::123456789012:", "assumed-role/deploy/x"],
  ["organization:my-org:", "project:p:workspace:w:run_phase:apply"],
  ["org/0a1b/", "project/2c3d/user/4e5f"],
  ["sc://my-org/", "my-project/my-connection"],
  ["p://my-org/", "my-project/my-pipeline"],
  ["account/0a1b:", "org/x:project/y"],
  ["https://jenkins.example.org/", "job/site/"],
];

describe.each(SUBJECTS)("subjects such as %s%s", (owner, rest) => {
  it("are of one owner from the end of its name on, and of several before", () => {
    const subject = owner + rest;
    expect(isBroad("sub", subject)).toBe(false);
    for (let length = 0; length < subject.length; length++)
      for (const ending of ["*", `*${subject.slice(length)}`, "*:x", "**"]) {
        const value = subject.slice(0, length) + ending;
        expect([value, isBroad("sub", value)]).toEqual([value, length < owner.length]);
      }
  });
});

it.each([
  ["sub", "*"],
  ["sub", "rep*"],
  ["sub", "r*"],
  ["sub", "system:*"],
  ["sub", "system:node:*"],
  ["sub", "spiffe:*"],
  ["sub", "7*"],
  ["sub", "0a1b2c3d*"],
  ["sub", "repo:octo-org*"],
  ["sub", "repo:*/octo-repo:ref:refs/heads/main"],
  ["sub", "ref:refs/heads/main:*"],
  ["repository", "octo-org*"],
  ["repository", "*/site"],
  ["repository_owner", "octo-*"],
  ["repository_owner", "*"],
  ["project_path", "group*"],
  ["namespace_path", "group*"],
  ["repository_id", "7*"],
  ["repository_id", "*7"],
  ["repository_owner_id", "6*5"],
  ["project_id", "1*"],
  ["namespace_id", "*"],
  ["event_name", "push"],
])('the condition %s: "%s" is refused', (claim, value) => {
  expect(isBroad(claim, value)).toBe(true);
});

it.each([
  ["sub", "repo:octo-org/*"],
  ["sub", "repo:octo-org/site:environment:*"],
  ["sub", "spiffe://example.org/ns/production/sa/*"],
  ["sub", "acme:web:*"],
  ["repository", "octo-org/*"],
  ["repository_owner", "octo-org"],
  ["project_path", "group/*"],
  ["namespace_path", "group/sub*"],
  ["namespace_path", "group"],
  ["repository_id", "74"],
])('the condition %s: "%s" is accepted', (claim, value) => {
  expect(isBroad(claim, value)).toBe(false);
});

it("a number with a * is refused beside a condition that names the owner", () => {
  const sub = { claim: "sub", values: ["repo:octo-org/site:*"] };
  expect(broadCondition({ conditions: [sub, { claim: "repository_id", values: ["74", "7*"] }] })).toBe(
    '"conditions" has "7*" for the number "repository_id", expected the whole number',
  );
});

it("one value that is too broad is named among others", () => {
  expect(broadCondition({ conditions: [{ claim: "sub", values: ["repo:a/*", "repo:b*"] }] })).toMatch(
    /"repo:b\*" for "sub" accepts workloads of other owners too$/,
  );
});

it("no pattern that is accepted matches the subject of an owner whose name only begins alike", () => {
  const name = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,8}$/);
  fc.assert(
    fc.property(name, fc.nat({ max: 40 }), name, (owner, length, evil) => {
      const subject = `repo:${owner}/site:ref:refs/heads/main`;
      const beginning = subject.slice(0, length);
      if (isBroad("sub", `${beginning}*`)) return;
      expect(`repo:${owner}${evil}/site:ref:refs/heads/main`.startsWith(beginning)).toBe(false);
    }),
  );
});
