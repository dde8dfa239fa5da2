/** docs/identity/policy-rules.md lists the built-in rules, and docs/identity/policy.md what its example opens and closes. */
import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

import { checkPolicyTexts } from "../../src/policy/load-policy.js";
import { accessDifferences } from "../../src/policy/opened-access.js";
import { createPolicy, NO_FILES } from "../../src/policy/policy-in-force.js";
import { builtInRules } from "../../src/policy/rules/default-rule-texts.js";
import { markdownTable, pagePath } from "../reference-pages.js";

const INTRODUCTION = `# Built-in rules

The rules that [policy files](policy.md) may replace, and the kinds of tokens that their actions are for. Rules without kinds are for use in
others. \`@\` allows everybody with a token.`;

it("lists the built-in rules", async () => {
  const rows = builtInRules(NO_FILES).map(({ name, check, scopes, deprecated }) => [
    `\`${name}\``,
    `\`${check}\``,
    scopes?.join(", ") ?? "",
    deprecated === undefined ? "" : `\`${deprecated.check}\``,
  ]);
  const table = markdownTable(["rule", "allows", "tokens", "allowed formerly, too"], rows);
  await expect(`${INTRODUCTION}\n\n${table}\n`).toMatchFileSnapshot(pagePath("policy-rules.md"));
});

it("opens and closes by the example what the page says", () => {
  const page = readFileSync(pagePath("policy.md"), "utf8");
  const [, example = ""] = /```yaml\n(.*?)```/s.exec(page) ?? [];
  const { rules, problems } = checkPolicyTexts([{ file: "policy.yaml", text: example }]);
  expect(problems).toEqual([]);
  const lines = accessDifferences(createPolicy({ ...NO_FILES, written: rules })).flatMap(
    ({ action, opened, closed, crossesDomains }) =>
      [`${action}:${crossesDomains ? " reaches other domains:" : ""}`].concat(
        [...opened, ...closed].map((sentence) => `  ${sentence}`),
      ),
  );
  expect(page).toContain(`\`\`\`text\n${lines.join("\n")}\n\`\`\``);
});

it("names what lets tokens of one domain reach others, also secrets", () => {
  const crossing = (text: string) =>
    accessDifferences(
      createPolicy({ ...NO_FILES, written: checkPolicyTexts([{ file: "f", text }]).rules }),
    ).filter(({ crossesDomains }) => crossesDomains);
  expect(crossing('"identity:get_credential": "rule:admin_required"')).toHaveLength(1);
  expect(crossing('"identity:create_grant": "role:manager"')).toHaveLength(1);
  expect(crossing('"admin_required": "role:member"').length).toBeGreaterThan(50);
  expect(crossing('"identity:get_credential": "!"')).toEqual([]);
  expect(crossing('"identity:list_users": "role:reader and domain_id:%(target.domain_id)s"')).toEqual([]);
  expect(crossing('"identity:create_region": "@"')).toEqual([]);
});
