/** Over-commitment, by the numbers of the console's design. */
import { describe, expect, it } from "vitest";

import { commitments } from "../../../src/limits/tree/commitment.js";
import { ENFORCEMENT, type EnforcementModel } from "../../../src/limits/tree/enforcement.js";

const PROJECTS = [
  { id: "acme", name: "acme", parentId: null },
  { id: "lab", name: "lab", parentId: "acme" },
  { id: "web", name: "web", parentId: "acme" },
  { id: "web-eu", name: "web-eu", parentId: "web" },
];

function nodes(own: Readonly<Record<string, number>>, registered = 20, model: EnforcementModel = "flat") {
  const limits = new Map(Object.entries(own).map(([id, limit]) => [id, { id: `limit of ${id}`, limit }]));
  const tree = commitments({ projects: PROJECTS, limits, registered, enforcement: ENFORCEMENT[model] });
  return Object.fromEntries(tree.map(({ id, limit, children, over }) => [id, [limit, children, over]]));
}

describe("commitments", () => {
  it("adds up the effective limits of children", () => {
    expect(nodes({ acme: 100, web: 60, lab: 70 })).toEqual({
      acme: [100, 130, 30],
      lab: [70, undefined, 0],
      web: [60, 20, 0],
      "web-eu": [20, undefined, 0],
    });
  });

  it("finds no excess where the sum is the limit, or the parent has none", () => {
    expect(nodes({ acme: 130, web: 60, lab: 70 })["acme"]).toEqual([130, 130, 0]);
    expect(nodes({ acme: -1, web: 60, lab: -1 })["acme"]).toEqual([-1, -1, 0]);
  });

  it("finds an excess without bound, where a child is unlimited", () => {
    expect(nodes({ acme: 100, web: -1 })["acme"]).toEqual([100, -1, -1]);
  });

  it("says nothing of defaults next to defaults, unless the model compares them", () => {
    expect(nodes({})["acme"]).toEqual([20, 40, 0]);
    expect(nodes({}, 20, "strict_two_level")["acme"]).toEqual([20, 40, 20]);
  });

  it("lowers defaults to the domain's limit in two levels", () => {
    expect(nodes({ acme: 15 }, 20, "strict_two_level")).toMatchObject({
      acme: [15, 30, 15],
      web: [15, 15, 0],
    });
  });
});
