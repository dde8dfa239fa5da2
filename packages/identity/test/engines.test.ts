import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

it("fastify's test client comes with a cookie parser that runs on Node 20 (engine-strict)", () => {
  const url = new URL("../../../package-lock.json", import.meta.url);
  const { packages } = JSON.parse(readFileSync(url, "utf8")) as Lock;
  const cookies = Object.entries(packages).filter(([path]) => path.endsWith("node_modules/cookie"));
  expect(cookies.map(([, { version }]) => version)).toEqual(["1.1.1"]);
});
