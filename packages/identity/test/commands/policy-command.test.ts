import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Command } from "commander";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { CommandContext } from "../../src/commands/command-context.js";
import { addPolicyCommand } from "../../src/commands/policy-command.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The output, with paths relative to the folder. */
async function check(...names: string[]) {
  let output = "";
  let exit = 0;
  const program = new Command();
  const context: Partial<CommandContext> = {
    env: { HOME: folder },
    stdout: { write: (text) => (output += text) },
    end: (code) => {
      exit = code;
    },
  };
  addPolicyCommand(program, context as CommandContext);
  const paths = names.map((name) => join(folder, name));
  await program.parseAsync(["policy", "check", ...paths], { from: "user" });
  return { exit, output: output.replaceAll(`${folder}/`, "") };
}

describe("hamkit-identity policy check", () => {
  it("takes files and folders, in which it skips hidden files and folders", async () => {
    await mkdir(join(folder, "policy.d", "more"), { recursive: true });
    await writeFile(join(folder, "policy.yaml"), '"cloud_admin": "role:cloud_admin"\n');
    await writeFile(join(folder, "policy.d", "10.yaml"), "identity:delete_user: rule:cloud_admin\n");
    await writeFile(join(folder, "policy.d", ".swp"), "{");
    await writeFile(join(folder, "policy.d", "more", "a.yaml"), "{");
    expect(await check("policy.yaml", "policy.d")).toEqual({
      exit: 0,
      output: expect.stringMatching(/\nFiles: 2\. Rules: 2\. Problems: 0\.\n$/) as string,
    });
  });

  it("says what files without problems open and close", async () => {
    await writeFile(join(folder, "policy.yaml"), "identity:list_regions: '!'\nidentity:get_region: role:a\n");
    const { output } = await check("policy.yaml");
    expect(output.split("\n")).toContain("  all users with any token may no longer list regions");
    await writeFile(join(folder, "policy.yaml"), "identity:list_users: '@'\n");
    expect((await check("policy.yaml")).output).toMatch(
      /^identity:list_users: reaches other domains:\n {2}all users with any token may now list users of any domain\n/,
    );
  });

  it("names file, line and rule of all problems", async () => {
    await writeFile(
      join(folder, "policy.yaml"),
      "identity:get_user: no\n\nidentity:lst_users: role:admin\nidentity:list_users: not rule:nobody\n",
    );
    await writeFile(join(folder, "broken.yaml"), "{");
    const { exit, output } = await check("broken.yaml", "policy.yaml");
    expect(exit).toBe(1);
    const lines = output.trimEnd().split("\n");
    expect(lines.at(-1)).toMatch(/^Files: 2\. Rules: 3\. Problems: [4-9]\.$/);
    expect(lines).toContainEqual(expect.stringMatching(/^broken\.yaml:1: /));
    expect(lines).toContainEqual(
      expect.stringMatching(/^policy\.yaml:1: identity:get_user: "no" is no check/),
    );
    expect(lines).toContain(
      'policy.yaml:3: identity:lst_users: no action has the name "identity:lst_users": the rule has no effect',
    );
    expect(lines).toContain(
      'policy.yaml:4: identity:list_users: rule "nobody" is neither in a file nor built in',
    );
  });

  it("names a path that can't be read", async () => {
    await expect(check("missing.yaml")).rejects.toThrow(`missing.yaml" can't be read`);
  });
});
