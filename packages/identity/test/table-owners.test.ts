/** Each table belongs to one feature: only that feature's stores declare it or start a statement with it. Others may join it. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

const SOURCE = fileURLToPath(new URL("../src/", import.meta.url));
const STATEMENT =
  /(?:(?:selectFrom|insertInto|updateTable|deleteFrom)\(|= tableOf<.+>\(\)\()\s*"(?<table>\w+)(?: as \w+)?"/g;
/** These work on databases of earlier releases too, whose tables the stores of this release don't fit. */
const WITHOUT_STORES = /^(?:migrations|doctor|commands)\//;

/** The folders whose files start a statement with each table. */
function ownersByTable(): Map<string, Set<string>> {
  const owners = new Map<string, Set<string>>();
  for (const path of readdirSync(SOURCE, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".ts") || WITHOUT_STORES.test(path)) continue;
    const [feature = ""] = path.split("/");
    for (const { groups } of readFileSync(SOURCE + path, "utf8").matchAll(STATEMENT)) {
      const table = groups?.["table"] ?? "";
      owners.set(table, (owners.get(table) ?? new Set()).add(feature));
    }
  }
  return owners;
}

it("belongs to one feature each", () => {
  const owners = ownersByTable();
  expect(owners.size).toBeGreaterThan(20);
  const shared = [...owners].filter(([, features]) => features.size > 1);
  expect(shared.map(([table, features]) => `${table}: ${[...features].join(", ")}`)).toEqual([]);
});
