import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

import { welcome } from "../src/commands/serve-command.js";

const URLS = { publicUrl: "http://127.0.0.1:5000", consoleUrl: "http://127.0.0.1:5000/console/" };

it("begins with the address of the console, where there is one", () => {
  const lines = welcome({ ...URLS, firstPassword: "generated" }).split("\n");
  expect(lines.slice(0, 4)).toEqual([
    "",
    "The console is at http://127.0.0.1:5000/console/",
    "",
    "The identity service is at http://127.0.0.1:5000/v3",
  ]);
  expect(lines).toContain("  export OS_PASSWORD=generated");
  const without = welcome({ ...URLS, consoleUrl: undefined, firstPassword: undefined }).split("\n");
  expect(without[1]).toBe("The identity service is at http://127.0.0.1:5000/v3");
  expect(without.join("\n")).not.toMatch(/console/);
});

it("is what the README shows", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [, shown = ""] = /^```\n(The console is at[^]*?)^```$/m.exec(readme) ?? [];
  const [, firstPassword = ""] = /OS_PASSWORD=(.*)/.exec(shown) ?? [];
  const lines = welcome({ ...URLS, firstPassword }).split("\n");
  expect(lines.slice(1, shown.split("\n").length)).toEqual(shown.trimEnd().split("\n"));
});
