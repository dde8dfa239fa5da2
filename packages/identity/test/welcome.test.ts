import { expect, it } from "vitest";

import { welcome } from "../src/welcome.js";

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
