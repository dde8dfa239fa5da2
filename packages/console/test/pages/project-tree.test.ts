import { expect, it } from "vitest";

import { projectsByParent, treeRows } from "../../src/pages/projects/project-tree.ts";
import type { Project } from "../../src/pages/projects/project.ts";

function project(id: string, parent: string): Project {
  return { id, name: id, parent_id: parent } as Project;
}

const PROJECTS = [
  project("web-10", "web"),
  project("web", "acme"),
  project("web-9", "web"),
  project("api", "acme"),
];

it("lists siblings by name, numbers as numbers, and only what is below open projects", () => {
  const tree = projectsByParent(PROJECTS, "acme");
  expect(treeRows(tree, "acme", new Set()).map(({ key }) => key)).toEqual(["api", "web"]);
  const open = treeRows(tree, "acme", new Set(["web"]));
  expect(open.map(({ key, depth, childCount }) => [key, depth, childCount])).toEqual([
    ["api", 0, 0],
    ["web", 0, 2],
    ["web-9", 1, 0],
    ["web-10", 1, 0],
  ]);
});

it("puts a project whose parent the caller can't see at the top", () => {
  const tree = projectsByParent([project("hidden-child", "hidden")], "acme");
  expect(treeRows(tree, "acme", new Set()).map(({ key }) => key)).toEqual(["hidden-child"]);
});

it("makes rows of a chain of 20,000 projects, and of 10,000 siblings", () => {
  const chain = Array.from({ length: 20_000 }, (_, index) =>
    project(`p${index}`, index === 0 ? "acme" : `p${index - 1}`),
  );
  const all = new Set(chain.map(({ id }) => id));
  expect(treeRows(projectsByParent(chain, "acme"), "acme", all).at(-1)?.depth).toBe(19_999);
  const siblings = Array.from({ length: 10_000 }, (_, index) => project(`p${index}`, "acme"));
  expect(treeRows(projectsByParent(siblings, "acme"), "acme", new Set())).toHaveLength(10_000);
});
