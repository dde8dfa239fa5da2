import { describe, expect, it } from "vitest";

import { hamkit } from "../run-cli.js";

describe("hamkit tour", () => {
  it("shows a callsign, a path, the sun and a band, each below its command line", async () => {
    const env = { HAMKIT_CACHE_DIR: "no-such-folder" };
    const { stdout, stderr, exitCode } = await hamkit(["tour"], { env });
    const lines = stdout.match(/^\$ hamkit (?!--help).*$/gm) ?? [];
    expect(lines.map((line) => line.split(" ")[2])).toEqual(["call", "path", "sun", "band"]);
    for (const line of lines) {
      const answer = await hamkit(line.split(" ").slice(2), { env });
      expect(stdout).toContain(`${line}\n${answer.stdout}`);
    }
    expect(stderr).toBe("");
    expect(exitCode).toBe(0);
  });
});
