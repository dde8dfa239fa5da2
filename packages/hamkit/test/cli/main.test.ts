import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { COUNTRY_FILE } from "./run-cli.js";

const program = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** Runs the built program as a shell does. */
function start(words: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    input,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe.skipIf(!existsSync(program))("the built program", () => {
  it("shows its version", () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    expect(start(["--version"])).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
    const bin = readFileSync(new URL("../../bin/hamkit.js", import.meta.url), "utf8");
    expect(bin).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  it("reads standard input, writes no colors into a pipe and ends with the exit code", () => {
    const { status, stdout, stderr } = start(["call", "-", "--file", COUNTRY_FILE], "dh1tw\nQQ0QQ\n");
    expect(stdout).toMatch(/^Call /);
    expect(stdout).toMatch(/^QQ0QQ +unknown callsign$/m);
    expect(stderr).toBe("error: no result for 1 of 2 callsigns\n");
    expect(status).toBe(1);
  });

  it("writes long output completely", () => {
    const input = "DH1TW\n".repeat(2000);
    const { status, stdout } = start(["call", "-", "--file", COUNTRY_FILE, "--json"], input);
    expect((JSON.parse(stdout) as { calls: object[] }).calls).toHaveLength(2000);
    expect(status).toBe(0);
  });

  it("is silent when the reader of its output has gone", async () => {
    const child = spawn(process.execPath, [program, "call", "-", "--file", COUNTRY_FILE]);
    let stderr = "";
    child.stderr.on("data", (chunk) => (stderr += String(chunk)));
    child.stdout.destroy();
    child.stdin.on("error", () => {});
    child.stdin.end("DH1TW\n".repeat(5000));
    const status = await new Promise((resolve) => child.on("close", resolve));
    expect(stderr).toBe("");
    expect(status).toBe(0);
  });

  it("writes each cluster line before the next one arrives", async () => {
    const child = spawn(process.execPath, [program, "spots", "--file", COUNTRY_FILE]);
    const nextText = async (): Promise<string> =>
      new Promise((resolve) => child.stdout.once("data", (chunk) => resolve(String(chunk))));
    expect(await nextText()).toMatch(/^Time /);
    for (const [dx, country] of [
      ["DH1TW", "Germany"],
      ["W1AW", "United States"],
    ] as const) {
      child.stdin.write(`DX de 9H1XY:     14025.0  ${dx}        cq                      1200Z\r\n`);
      expect(await nextText()).toMatch(new RegExp(`^1200Z +14025\\.0  ${dx} +.*${country}.* cq\n$`));
    }
    child.stdin.end();
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
  });

  it.each([[], ["--json"]])(
    "answers each callsign of standard input before the next one arrives %j",
    async (...options) => {
      const child = spawn(process.execPath, [program, "call", "-", "--file", COUNTRY_FILE, ...options]);
      const nextText = async (): Promise<string> =>
        new Promise((resolve) => child.stdout.once("data", (chunk) => resolve(String(chunk))));
      for (const [call, country] of [
        ["DH1TW", "Germany"],
        ["W1AW", "United States"],
      ] as const) {
        child.stdin.write(`${call}\n`);
        const text = await nextText();
        expect(text).toContain(call);
        expect(text).toContain(country);
      }
      child.stdin.end();
      expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
    },
  );

  it("stops reading an endless stream quietly when the reader of its output has gone", async () => {
    const child = spawn(process.execPath, [program, "spots", "--file", COUNTRY_FILE]);
    let stderr = "";
    child.stderr.on("data", (chunk) => (stderr += String(chunk)));
    child.stdin.on("error", () => {});
    child.stdout.once("data", () => child.stdout.destroy());
    const line = "DX de 9H1XY:     14025.0  DH1TW        cq                      1200Z\n";
    const source = setInterval(() => child.stdin.write(line), 5);
    const status = await new Promise((resolve) => child.on("close", resolve));
    clearInterval(source);
    expect(stderr).toBe("");
    expect(status).toBe(0);
  });
});
