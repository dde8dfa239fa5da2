/** docs/commands: a page for each command, by hand, that ends with its help; `--update` writes the help. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

import { hamkit } from "./run-cli.js";

const folder = fileURLToPath(new URL("../../../../docs/commands/", import.meta.url));

/** As `hamkit --help` lists them. */
const { stdout: help } = await hamkit(["--help"]);
const [, list = ""] = /^Commands:\n([^]*?)^\S/m.exec(help) ?? [];
const commands = [...list.matchAll(/^ {2}([a-z]+)\b/gm)]
  .map(([, name = ""]) => name)
  .filter((name) => name !== "help");

it("are as many as commands", () => {
  expect(commands).toContain("call");
  const pages = readdirSync(folder).map((name) => name.replace(/\.md$/, ""));
  expect(pages.toSorted()).toEqual(commands.toSorted());
  const index = readFileSync(join(folder, "../command-line.md"), "utf8");
  for (const name of commands) expect(index).toContain(`](commands/${name}.md)`);
});

it.each(commands)("end with the help of the command: %s", async (name) => {
  const page = join(folder, `${name}.md`);
  const [text = ""] = (existsSync(page) ? readFileSync(page, "utf8") : "").split(/^## Help$/m);
  const { stdout, exitCode } = await hamkit([name, "--help"]);
  expect(exitCode).toBe(0);
  const session = ["```console", `$ hamkit ${name} --help`, stdout.trimEnd(), "```"];
  await expect(`${[text.trimEnd(), "", "## Help", "", ...session].join("\n")}\n`).toMatchFileSnapshot(page);
});
