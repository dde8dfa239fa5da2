import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Help } from "commander";
import { beforeAll, describe, expect, it } from "vitest";

import { createProgram } from "../../src/cli/program.js";
import { createSession } from "../../src/cli/session.js";
import { node, startClusterServer } from "../fixtures/cluster-server.js";
import { keepPublicFiles, LOGBOOK_TEXT, SCP_TEXT, temporaryFolder } from "./public-files.js";
import { hamkit, hamkitJson, IN_FILE, WITHOUT_KEYRING } from "./run-cli.js";

/** What a terminal could take for a command, or can't show: none of it may get through. */
const UNSAFE = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/u;

/** Red text, a window title, an 8-bit CSI, a change of direction, a line separator, half a surrogate pair. */
const HOSTILE = "\u001b[31mX\u001b]0;pwned\u0007\u009b1m\u202e\u2028\ud800\r\n\tY";

const COMMANDS = ["call", "path", "sun", "band", "locator", "spots", "users", "scp"];

/** Has the files that examples name, and those that would be downloaded. */
const folder = temporaryFolder();
beforeAll(async () => {
  await keepPublicFiles(folder.path);
  await writeFile(join(folder.path, "users.csv"), LOGBOOK_TEXT);
  await writeFile(join(folder.path, "MASTER.SCP"), SCP_TEXT);
  await writeFile(join(folder.path, "mylog.adi"), "<CALL:4>W1AW<GRIDSQUARE:6>FN31PR<EOR>");
});

/** A options with the kept files. */
function offline() {
  return { env: { HAMKIT_CACHE_DIR: folder.path } };
}

async function* chunks(): AsyncGenerator<string> {
  yield "";
}

describe("the command line", () => {
  it("shows its help when it is asked nothing", async () => {
    const { stdout, stderr, exitCode } = await hamkit([]);
    expect(stdout).toMatch(/^Usage: hamkit \[options\] \[command\]\n/);
    expect(stderr).toBe("");
    expect(exitCode).toBe(0);
    expect((await hamkit(["--help"])).stdout).toBe(stdout);
    expect((await hamkit(["help"])).stdout).toBe(stdout);
  });

  it("shows of commands, exit codes and completion in its help", async () => {
    const { stdout } = await hamkit(["--help"]);
    for (const command of [...COMMANDS, "tour", "completion"]) {
      expect(stdout).toMatch(new RegExp(`^  ${command} `, "m"));
    }
    expect(stdout).toContain("echo 'eval \"$(hamkit completion bash)\"' >> ~/.bashrc");
    for (const code of [0, 1, 2, 3]) expect(stdout).toMatch(new RegExp(`^  ${code}  \\S`, "m"));
  });

  it("lists commands with the options and arguments that their files define", async () => {
    const stream = { write: () => {}, ready: () => Promise.resolve(true), isTerminal: false, columns: 110 };
    const io = { stdout: stream, stderr: stream, stdin: () => chunks(), env: {}, now: () => new Date() };
    const session = createSession({ ...io, ...WITHOUT_KEYRING }, () => Promise.resolve(0));
    const listed = await createProgram([], session);
    const defined = await createProgram(["completion"], session);
    const terms = defined.commands.map((command) => new Help().subcommandTerm(command));
    // One is hidden, and `help` is added.
    expect(listed.createHelp().visibleCommands(listed).length).toBe(terms.length);
    expect(listed.commands.map((command) => listed.createHelp().subcommandTerm(command))).toEqual(terms);
  });

  it.each(COMMANDS)("has examples and exit codes in the help of %s", async (command) => {
    const { stdout, exitCode } = await hamkit([command, "--help"]);
    expect(stdout).toMatch(new RegExp(`Examples:\n  hamkit ${command} `));
    expect(stdout).toContain("Exit codes:");
    expect(stdout).toContain("--json");
    expect(exitCode).toBe(0);
    expect((await hamkit(["help", command])).stdout).toBe(stdout);
  });

  it("has working examples in its help", async () => {
    const help = await Promise.all([...COMMANDS, "map"].map((name) => hamkit([name, "--help"])));
    const lines = help.flatMap(({ stdout }) => stdout.match(/^ {2}hamkit .*?(?= {2})/gm) ?? []);
    expect(lines.length).toBeGreaterThan(33);
    const cluster = await startClusterServer(node("DX de DH1TW: 14025.0 W1AW CW 1201Z"));
    for (const line of lines) {
      const [words = ""] = line
        .trim()
        .replace(/^hamkit /, "")
        .split(/ [<>] /);
      const option = /^(?:call|path|map|sun|spots)\b/.test(words) ? ["--offline"] : [];
      const known = words
        .replace("--file cty.dat", IN_FILE.join(" "))
        .replace(/--connect \S+/, `--connect 127.0.0.1:${cluster.port} --count 1`)
        .replace("--sse 7373", "--sse 0")
        .replaceAll(/users\.csv|MASTER\.SCP|mylog\.adi|\S+\.(?:svg|png|geojson)/g, (name) =>
          join(folder.path, name),
        )
        .split(" ");
      expect({ line, ...(await hamkit([...known, ...option], offline())) }).toMatchObject({
        line,
        exitCode: 0,
        stderr: "",
      });
    }
    await cluster.close();
  });

  it("shows the version of the package", async () => {
    const file = new URL("../../package.json", import.meta.url);
    const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
    expect(await hamkit(["--version"])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: "" });
  });

  it.each([
    [["nonsense"], "unknown command 'nonsense'"],
    [["cal"], "unknown command 'cal' (Did you mean call?)"],
    [["14074"], "unknown command '14074'"],
    [["help", "nosuch"], "unknown command 'nosuch'"],
    [["adif", "chek", "log.adi"], "unknown command 'chek' (Did you mean check?)"],
    [["call"], "missing required argument 'call'"],
    [["band", "7100", "--regoin", "1"], "unknown option '--regoin' (Did you mean --region?)"],
    [["path", "JN48"], "missing required argument 'to'"],
    [["path", "JN48", "JN49", "JN50"], "too many arguments for 'path'. Expected 2 arguments but got 3."],
  ])("ends with 2 for %j, with the reason in one line", async (words, message) => {
    expect(await hamkit(words)).toEqual({ exitCode: 2, stdout: "", stderr: `error: ${message}\n` });
    expect(await hamkitJson(words)).toEqual({ error: { code: "command-line/wrong-use", message } });
  });

  it("names the help of a command that needs another one", async () => {
    const stderr = "error: adif needs a command; 'hamkit adif --help' lists them\n";
    expect(await hamkit(["adif"])).toEqual({ exitCode: 2, stdout: "", stderr });
  });

  it("ends with 2 where an option has no value", async () => {
    const { stderr, exitCode } = await hamkit(["call", "DH1TW", "--file"]);
    expect(stderr).toBe("error: option '--file <path>' argument missing\n");
    expect(exitCode).toBe(2);
  });

  it("takes --json behind -- for a value", async () => {
    const { stdout, stderr } = await hamkit(["locator", "--", "--json"]);
    expect(stdout).toBe("");
    expect(stderr).toBe(
      'error: locator: "--JSON" is not a locator: character 1 must be a letter from A to R\n',
    );
  });

  it.each([
    ["call", ["call", HOSTILE, ...IN_FILE]],
    ["call of several", ["call", HOSTILE, "DH1TW", ...IN_FILE]],
    ["path", ["path", HOSTILE, "JN48", ...IN_FILE]],
    ["sun", ["sun", HOSTILE, ...IN_FILE]],
    ["sun at", ["sun", "JN48", "--at", HOSTILE]],
    ["band", ["band", HOSTILE]],
    ["band of several", ["band", HOSTILE, "14074"]],
    ["locator", ["locator", HOSTILE]],
    ["coordinates", ["locator", HOSTILE, "1"]],
    ["users", ["users", HOSTILE]],
    ["users of several", ["users", HOSTILE, "W1AW"]],
    ["the file of a list", ["users", "W1AW", "--logbook-from", HOSTILE]],
    ["scp", ["scp", HOSTILE]],
    ["scp of several", ["scp", HOSTILE, "1TW"]],
    ["spots from", ["spots", "--from", HOSTILE, ...IN_FILE]],
    ["a file name", ["call", "DH1TW", "--file", HOSTILE]],
    ["an option", ["call", `--${HOSTILE}`]],
    ["a command", [HOSTILE]],
    ["completion", ["completion", HOSTILE]],
  ])("lets no control characters through to a terminal from %s", async (_where, words) => {
    for (const mode of [[], ["--json"]]) {
      const { stdout, stderr, exitCode } = await hamkit([...words, ...mode], offline());
      expect(stdout).not.toMatch(UNSAFE);
      expect(stderr).not.toMatch(UNSAFE);
      expect(exitCode).toBeGreaterThan(0);
    }
    expect(await hamkitJson(words, offline())).toBeTypeOf("object");
  });

  it("keeps hostile text whole in JSON, in escapes", async () => {
    const { calls } = (await hamkitJson(["call", HOSTILE, ...IN_FILE])) as { calls: { input: string }[] };
    expect(calls[0]?.input).toBe(HOSTILE);
  });

  it("lets no control characters through from standard input or from a country file", async () => {
    const { stdout } = await hamkit(["call", "-", "DH1TW", ...IN_FILE], {
      stdin: ["\u001b[2J\u009b1m\nDL1AB\u0007C\n"],
    });
    expect(stdout).not.toMatch(UNSAFE);
    expect(stdout).toContain("\\x1b[2J\\x9b1m");
  });

  it("keeps one very long word from widening a table", async () => {
    const { stdout } = await hamkit(["call", "X".repeat(100_000), "DH1TW", ...IN_FILE]);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThan(250);
  });
});

function now(): never {
  throw new TypeError("no clock");
}

describe("a defect", () => {
  it("is told as one in a line, without a stack trace, and ends with 70", async () => {
    expect(await hamkit(["sun", "JN48"], { io: { now } })).toEqual({
      exitCode: 70,
      stdout: "",
      stderr: "error: internal error of hamkit: TypeError: no clock\n",
    });
    expect(await hamkitJson(["sun", "JN48"], { io: { now } })).toMatchObject({
      error: { code: "internal/defect" },
    });
  });
});

describe("colors", () => {
  const words = ["call", "DH1TW", ...IN_FILE];
  const COLOR = "\u001b[";

  it("are there on a terminal alone", async () => {
    expect((await hamkit(words, { isTerminal: true })).stdout).toContain(COLOR);
    expect((await hamkit(words)).stdout).not.toContain(COLOR);
  });

  it("are off with NO_COLOR or on a dumb terminal", async () => {
    expect((await hamkit(words, { isTerminal: true, env: { NO_COLOR: "1" } })).stdout).not.toContain(COLOR);
    expect((await hamkit(words, { isTerminal: true, env: { TERM: "dumb" } })).stdout).not.toContain(COLOR);
    expect((await hamkit(words, { isTerminal: true, env: { NO_COLOR: "" } })).stdout).toContain(COLOR);
  });

  it("follow FORCE_COLOR, whatever else is set", async () => {
    expect((await hamkit(words, { env: { FORCE_COLOR: "1", NO_COLOR: "1" } })).stdout).toContain(COLOR);
    expect((await hamkit(words, { isTerminal: true, env: { FORCE_COLOR: "0" } })).stdout).not.toContain(
      COLOR,
    );
  });

  it("change nothing but colors", async () => {
    const several = ["call", "DH1TW", "QQ0QQ", ...IN_FILE];
    for (const line of [words, several, ["--help"], ["sun", "JN48"], ["tour"]]) {
      const plain = await hamkit(line, { env: { HAMKIT_CACHE_DIR: "none" } });
      const colored = await hamkit(line, { env: { FORCE_COLOR: "1", HAMKIT_CACHE_DIR: "none" } });
      expect(colored.stdout).not.toBe(plain.stdout);
      // oxlint-disable-next-line no-control-regex
      expect(colored.stdout.replaceAll(/\u001b\[\d+m/g, "")).toBe(plain.stdout);
    }
  });

  it("are never in JSON", async () => {
    expect((await hamkit([...words, "--json"], { isTerminal: true })).stdout).not.toContain(COLOR);
  });

  it("mark errors on standard error", async () => {
    const { stderr } = await hamkit(["call", "QQ0QQ", ...IN_FILE], { isTerminal: true });
    expect(stderr).toBe('\u001b[31merror:\u001b[39m callsign "QQ0QQ" is not known\n');
  });
});
