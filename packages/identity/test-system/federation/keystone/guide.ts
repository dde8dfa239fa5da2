/** Follows a guide of docs/identity: writes its files and runs its commands. */
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { runProgram } from "../../run-program.js";
import type { OpenstackShell } from "../../clients/openstack-shell.js";

const FOLDER = new URL("../../../../../docs/identity/", import.meta.url);

export interface Block {
  /** Of its section. */
  readonly title: string;
  readonly language: string;
  /** Of a file; for commands the place where they are typed. */
  readonly name: string;
  readonly text: string;
}

/** A cloud, at which commands of a guide are typed. */
export interface Cloud {
  readonly shell: OpenstackShell;
  /** What the shell knows the cloud by, for programs of their own. */
  readonly env: Readonly<Record<string, string>>;
}

/** The blocks that have a name. @param names Names of the guide, and what they are in the test. */
export function readGuide(path: string, names: Readonly<Record<string, string>>): readonly Block[] {
  let text = readFileSync(new URL(path, FOLDER), "utf8");
  for (const [name, value] of Object.entries(names)) text = text.replaceAll(name, value);
  return text.split(/^## /m).flatMap((section) => {
    const [title = ""] = section.split("\n", 1);
    return Array.from(section.matchAll(/^```(\w+) ([\w.-]+)\n([\s\S]*?)^```$/gm), (found) => {
      const [, language = "", name = "", body = ""] = found;
      return { title, language, name, text: body };
    });
  });
}

/** The text of all blocks for a file, in all sections. */
export function fileOf(blocks: readonly Block[], file: string): string {
  const found = blocks.filter(({ name }) => name === file);
  if (found.length === 0) throw new Error(`the guide has no ${file}`);
  return found.map(({ text }) => text).join("\n");
}

/** The lines of a shell that are for one place, in all sections. */
export function linesFor(blocks: readonly Block[], place: string): string {
  const found = blocks.filter(({ language, name }) => language === "sh" && name === place);
  return found.map(({ text }) => text).join("");
}

export interface Following {
  /** Where its files are written. */
  readonly folder: string;
  /** By the names that stand above commands; blocks for other places are left out. */
  readonly clouds: Readonly<Record<string, Cloud>>;
}

/**
 * Follows a section.
 *
 * @returns What the last command has printed.
 * @throws A command has failed.
 */
export async function followSection(
  blocks: readonly Block[],
  title: string,
  { folder, clouds }: Following,
): Promise<string> {
  const section = blocks.filter((block) => block.title === title);
  if (section.length === 0) throw new Error(`the guide has no section ${title}`);
  let last = "";
  for (const { language, name, text } of section) {
    const cloud = clouds[name];
    if (language !== "sh") await writeFile(join(folder, name), text);
    else if (cloud !== undefined)
      for (const line of text.trim().split("\n")) last = await type(line, { cloud, folder });
  }
  return last;
}

/** Plain commands of `openstack`, within others too, go to a shell that runs already, for they take long to start. */
async function type(line: string, { cloud, folder }: { cloud: Cloud; folder: string }): Promise<string> {
  const command = /^openstack (?!--)(.*)$/.exec(line)?.[1];
  if (command === undefined) {
    const [whole = "", within] = /\$\(openstack ([^)]*)\)/.exec(line) ?? [];
    const complete = within === undefined ? line : line.replace(whole, await cloud.shell.type(within));
    return runLines(complete, { env: cloud.env, folder });
  }
  // Within `openstack` there are no quotes; in the guides they protect what has no blanks.
  const answer = await cloud.shell.type(command.replaceAll(/'(\S*)'/g, "$1"));
  // A failed command prints a message of its own; a table or no output is success.
  if (answer !== "" && !answer.startsWith("+-")) throw new Error(`${line}\n${answer}`);
  return answer;
}

/** @returns What was printed. @throws A line has failed. */
export async function runLines(
  lines: string,
  { env, folder }: { readonly env: Readonly<Record<string, string>>; readonly folder: string },
): Promise<string> {
  const { exit, output, errors } = await runProgram(["/bin/bash", "-euc", `cd ${folder}\n${lines}`], {
    // The Python that the packages are for.
    env: { ...env, PATH: "/usr/bin:/bin" },
  });
  if (exit !== 0) throw new Error(`${lines}\n${output}${errors}`);
  return output;
}
