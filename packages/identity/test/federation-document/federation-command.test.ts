import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it } from "vitest";

import { run } from "../../src/program.js";

it("exits with 0 without differences, with 2 for differences, and with 1 for errors of any kind", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  const file = join(folder, "cloud.yaml");
  const nothing = { write: () => {} };
  const output: string[] = [];
  const federation = (...words: string[]) =>
    run(words, {
      env: {
        IDENTITY_DATABASE_URL: `sqlite:${join(folder, "identity.db")}`,
        IDENTITY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
      },
      stdout: { write: (text: string) => void output.push(text) },
      stderr: nothing,
    } as unknown as Parameters<typeof run>[1]);
  try {
    await federation("migrate");
    await writeFile(file, "version: 1\ndomains: [{ name: Corp }]\n");
    expect(await federation("federation", "plan", file)).toBe(2);
    expect(await federation("federation", "apply", file, "--revision", "0123456789abcdef")).toBe(1);
    output.splice(0);
    expect(await federation("federation", "plan", file, "--json")).toBe(2);
    const { revision } = JSON.parse(output.splice(0).join("")) as { revision: string };
    expect(await federation("federation", "apply", file, "--revision", revision)).toBe(0);
    expect(await federation("federation", "plan", file)).toBe(0);
    expect(await federation("federation", "plan")).toBe(1);
    expect(await federation("federation", "plan", `${file}.missing`)).toBe(1);
    await writeFile(file, "version: 2\n");
    expect(await federation("federation", "apply", file)).toBe(1);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
