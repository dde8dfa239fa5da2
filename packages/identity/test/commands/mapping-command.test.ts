import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Command } from "commander";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { addMappingCommand } from "../../src/commands/mapping-command.js";

const RULES = [{ local: [{ user: { name: "{0}" } }], remote: [{ type: "MAIL" }] }];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function evaluate(rules: string, assertion: string, ...options: string[]) {
  const files = { rules: join(folder, "rules"), assertion: join(folder, "assertion") };
  await writeFile(files.rules, rules);
  await writeFile(files.assertion, assertion);
  let output = "";
  let exit = 0;
  const program = new Command();
  addMappingCommand(program, {
    stdout: { write: (text) => (output += text) },
    end: (code) => {
      exit = code;
    },
  });
  const words = ["mapping", "evaluate", "--rules", files.rules, "--assertion", files.assertion, ...options];
  await program.parseAsync(words, { from: "user" });
  return { exit, outcome: JSON.parse(output) as unknown };
}

describe("hamkit-identity mapping evaluate", () => {
  const result = { user: { name: "kim@example.org", type: "ephemeral" } };

  it.each([
    ["the rules alone", RULES],
    ["a mapping", { rules: RULES }],
    [
      "a mapping as the API shows it",
      { mapping: { id: "x", rules: RULES, schema_version: "1.0", links: {} } },
    ],
  ])("takes %s", async (_, rules) => {
    const { exit, outcome } = await evaluate(JSON.stringify(rules), '{"MAIL":"kim@example.org"}');
    expect(exit).toBe(0);
    expect(outcome).toMatchObject({ result, error: null, trace: [{ matched: true }] });
  });

  it.each([
    ["an object", '{"MAIL":"kim@example.org"}'],
    ["what the API takes", '{"assertion":{"MAIL":"kim@example.org"}}'],
    ["lines, as Keystone's own command", "MAIL: kim@example.org\n\nURL: https://x:1/\n"],
  ])("takes the assertion as %s", async (_, assertion) => {
    expect((await evaluate(JSON.stringify(RULES), assertion)).outcome).toMatchObject({ result });
  });

  it("exits with 1 when the login is rejected, and reports why", async () => {
    const { exit, outcome } = await evaluate(JSON.stringify(RULES), "{}");
    expect(exit).toBe(1);
    expect(outcome).toMatchObject({
      result: null,
      trace: [{ conditions: [{ reason: 'the assertion has no "MAIL"' }] }],
    });
  });

  it("takes the schema version where the file names none", async () => {
    const { outcome } = await evaluate(JSON.stringify(RULES), '{"MAIL":"x"}', "--schema-version", "2.0");
    expect(outcome).toMatchObject({ result: { user: { domain: null } } });
  });

  it.each([
    ["[", "{}", /rules is not JSON$/],
    ["[]", "{}", /^rules: must not be empty$/],
    [JSON.stringify(RULES), "MAIL", /"MAIL" is not of the form NAME: value/],
    [JSON.stringify(RULES), "[]", /assertion is not a JSON object of attributes/],
  ])("refuses %s with %s", async (rules, assertion, message) => {
    await expect(evaluate(rules, assertion)).rejects.toThrow(message);
  });
});
