/** What the Debian package adds to the program: the command that reads the service's settings, and pages made from the help. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "a package "));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true }));

describe("hamkit-identity of the package, for root", () => {
  const [program, settings] = [join(folder, "program"), join(folder, "environment")];
  writeFileSync(
    program,
    '#!/bin/sh\nid -un\nenv | grep -E "^(IDENTITY_|HOME)" | sort\nprintf "%s\\n" "$@"\n',
    { mode: 0o755 },
  );
  const script = readFileSync(join(ROOT, "deploy/debian/hamkit-identity.sh"), "utf8")
    .replace("program=/usr/lib/hamkit-identity/hamkit-identity", `program='${program}'`)
    .replace("user=hamkit-identity", "user=nobody")
    .replace("--regid=$user", "--regid=nogroup")
    .replace("file=/etc/hamkit-identity/environment", `file='${settings}'`)
    .replace("@ENVIRONMENT@", "use IDENTITY_DATABASE_URL 'sqlite:/unit.db'\nuse IDENTITY_PORT '1'");

  function command(
    lines: string,
    { args = [], env = {} }: { args?: readonly string[]; env?: Record<string, string> } = {},
  ) {
    writeFileSync(settings, lines);
    const { PATH = "" } = process.env;
    const ran = spawnSync("sh", ["-c", script, "hamkit-identity", ...args], {
      encoding: "utf8",
      env: { PATH, ...env },
    });
    return { status: ran.status, lines: ran.stdout.split("\n").slice(0, -1), stderr: ran.stderr };
  }

  it("runs as the service's user, with the variables of the unit and the arguments as they are", () => {
    expect(command("", { args: ["users", "sessions", "a b"] }).lines).toEqual([
      "nobody",
      "HOME=/var/lib/hamkit-identity",
      "IDENTITY_DATABASE_URL=sqlite:/unit.db",
      "IDENTITY_PORT=1",
      "users",
      "sessions",
      "a b",
    ]);
  });

  it.each([
    ["IDENTITY_PORT=5001", "5001"],
    ["  IDENTITY_PORT =  5001  ", "5001"],
    ['IDENTITY_PORT="5001"', "5001"],
    ["IDENTITY_PORT='50 01'", "50 01"],
    ["IDENTITY_PORT=a#b;c $HOME `id` $(id)", "a#b;c $HOME `id` $(id)"],
    ["# IDENTITY_PORT=3\n; IDENTITY_PORT=4\n\nIDENTITY_PORT=5001\n", "5001"],
    ["IDENTITY_PORT=3\nIDENTITY_PORT=5001", "5001"],
    ["IDENTITY_PORT=a=b", "a=b"],
    ['IDENTITY_PORT=""', ""],
  ])("reads %j as systemd does", (lines, value) => {
    expect(command(lines)).toMatchObject({
      status: 0,
      lines: expect.arrayContaining([`IDENTITY_PORT=${value}`]) as unknown,
    });
  });

  it("lets the caller's variables win", () => {
    const { lines } = command("IDENTITY_PORT=5001", { env: { IDENTITY_PORT: "6001" } });
    expect(lines).toContain("IDENTITY_PORT=6001");
  });

  it.each([
    ["# one\nIDENTITY_PORT", "line 2: expected NAME=VALUE"],
    ["export IDENTITY_PORT=1", "line 1: expected the name of a variable before the ="],
    ["$(touch x)=1", "line 1: expected the name of a variable before the ="],
    ["IDENTITY_PORT=a\\\nb", "line 1: systemd changes values with a backslash"],
    ["IDENTITY_PORT='a", "line 1: expected one quoted text after the ="],
    ["IDENTITY_PORT='", "line 1: expected one quoted text after the ="],
    ['IDENTITY_PORT="a"b', "line 1: expected one quoted text after the ="],
    ["IDENTITY_PORT='a' 'b'", "line 1: expected one quoted text after the ="],
  ])("refuses %j", (lines, message) => {
    const { status, stderr } = command(lines);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("manual pages", () => {
  interface Help {
    readonly usage: string;
    readonly text: string;
    readonly sections: readonly {
      readonly title: string;
      readonly entries: readonly { term: string; text?: string }[];
    }[];
  }
  const HELP = `Usage: radio [options]
             <call>

Looks up calls,
and says -- "what".

Options:
  -c, --config <file>  a file
                       with settings
  --long-option-without-room <value>
                       what it does

Settings, by environment:
  server:
    PORT   the port (5000)
`;

  it("are made from the help of a program", async () => {
    const manual = (await import(new URL("../../../scripts/debian/manual.mjs", import.meta.url).href)) as {
      readonly parseHelp: (help: string) => Help;
      readonly manualPage: (help: object, facts: object) => string;
      readonly bashCompletion: (help: object) => string;
    };
    const program = manual.parseHelp(HELP);
    expect(program).toEqual({
      usage: "radio [options] <call>",
      text: 'Looks up calls, and says -- "what".',
      sections: [
        {
          title: "Options",
          entries: [
            { term: "-c, --config <file>", text: "a file with settings" },
            { term: "--long-option-without-room <value>", text: "what it does" },
          ],
        },
        {
          title: "Settings, by environment",
          entries: [
            { term: "server:", text: undefined },
            { term: "PORT", text: "the port (5000)" },
          ],
        },
      ],
    });
    const help = { name: "radio", program, commands: new Map([["look up", program]]) };
    const page = manual.manualPage(help, { date: "2026-12-01", version: "1.0.0", summary: "looks up" });
    const place = join(folder, "man");
    mkdirSync(place);
    writeFileSync(join(place, "radio.1"), page);
    expect(page).toContain(String.raw`.B \-c, \-\-config <file>`);
    const completion = `${manual.bashCompletion(help)}\nCOMP_WORDS=(radio look up --l); COMP_CWORD=3; _radio; echo "\${COMPREPLY[@]}"`;
    expect(spawnSync("bash", ["-c", completion], { encoding: "utf8" }).stdout).toBe(
      "--long-option-without-room\n",
    );
  });
});
