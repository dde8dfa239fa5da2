import { spawnSync } from "node:child_process";

import { describe, expect, it } from "vitest";

import { hamkit } from "../run-cli.js";

const hasBash = spawnSync("bash", ["-c", "exit 7"]).status === 7;

/** What bash offers for the last of these words. */
async function completeInBash(...words: string[]): Promise<string[]> {
  const { stdout: script } = await hamkit(["completion", "bash"]);
  const test = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hamkit; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = spawnSync("bash", ["-c", `${script}\n${test}`, "bash", "hamkit", ...words], {
    encoding: "utf8",
  });
  return stdout.split("\n").filter((line) => line !== "");
}

describe("hamkit completion", () => {
  it.skipIf(!hasBash)("completes commands, options and their values in bash", async () => {
    expect(await completeInBash("")).toEqual(
      expect.arrayContaining([
        "call",
        "path",
        "sun",
        "spots",
        "users",
        "scp",
        "tour",
        "completion",
        "--version",
      ]),
    );
    expect(await completeInBash("loc")).toEqual(["locator"]);
    expect(await completeInBash("call", "DH1TW", "--o")).toEqual(["--offline"]);
    expect(await completeInBash("path", "--w")).toEqual(["--wgs84"]);
    expect(await completeInBash("band", "--region", "")).toEqual(["1", "2", "3"]);
    expect(await completeInBash("users", "--list", "")).toEqual(["logbook", "logsite", "cardsite"]);
    expect(await completeInBash("users", "W1AW", "--lo")).toEqual(["--logbook-from", "--logsite-from"]);
    expect(await completeInBash("scp", "--distance", "")).toEqual(["1", "2"]);
    expect(await completeInBash("spots", "--fr")).toEqual(["--from"]);
    expect(await completeInBash("completion", "z")).toEqual(["zsh"]);
    expect(await completeInBash("help", "su")).toEqual(["sun"]);
  });

  it.skipIf(!hasBash)("leaves the value of --file to bash, which completes files", async () => {
    expect(await completeInBash("call", "--file", "")).toEqual([]);
    expect(await completeInBash("users", "--cardsite-from", "")).toEqual([]);
    const { stdout } = await hamkit(["completion", "bash"]);
    expect(stdout).toContain("\ncomplete -o default -F _hamkit hamkit\n");
  });

  it("names every command and option to zsh, with quotes and colons escaped", async () => {
    const { stdout } = await hamkit(["completion", "zsh"]);
    expect(stdout).toMatch(/^#compdef hamkit\n/);
    expect(stdout).toContain("'tour:a short tour\\: a callsign, a path, the sun, a band'");
    expect(stdout).toContain(
      "'--file[look up in this country file\\: cty.plist, cty.dat or cty.csv]:file:_files'",
    );
    expect(stdout).toMatch(/ band\) _arguments '--region\[[^']*\]:value:\(1 2 3\)' /);
    expect(stdout).toMatch(/ users\) _arguments '--list\[[^']*\]:value:\(logbook logsite cardsite\)' /);
    expect(stdout).toMatch(/ scp\) _arguments .*'--file\[[^']*\]:file:_files' /);
    expect(stdout).toContain("'1: :(bash zsh fish)'");
  });

  it("names every command and option to fish", async () => {
    const { stdout } = await hamkit(["completion", "fish"]);
    expect(stdout).toContain(
      "complete -c hamkit -n __fish_use_subcommand -a band -d 'band and mode of frequencies'\n",
    );
    expect(stdout).toMatch(/^complete -c hamkit -n '__fish_seen_subcommand_from call' -l file -r -F -d '/m);
    expect(stdout).toMatch(
      /^complete -c hamkit -n '__fish_seen_subcommand_from band' -l region -x -a '1 2 3' -d '/m,
    );
    expect(stdout).toMatch(
      /^complete -c hamkit -n '__fish_seen_subcommand_from users' -l list -x -a 'logbook logsite cardsite' -d '/m,
    );
    expect(stdout).toMatch(/^complete -c hamkit -n '__fish_seen_subcommand_from scp' -l file -r -F -d '/m);
    expect(stdout).toContain(
      "complete -c hamkit -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n",
    );
  });

  it("ends with 2 for another shell", async () => {
    expect(await hamkit(["completion", "tcsh"])).toEqual({
      exitCode: 2,
      stdout: "",
      stderr:
        "error: command-argument value 'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish.\n",
    });
  });
});
