import { expect, it } from "vitest";

import { runtimePackages } from "./runtime-packages.js";

const LOCK = {
  packages: {
    "": { devDependencies: { tester: "1.0.0" } },
    "packages/service": { dependencies: { shared: "2.0.0", own: "1.0.0" } },
    "packages/service/node_modules/shared": {
      version: "2.0.0",
      integrity: "sha512-2",
      dependencies: { deep: "1" },
    },
    "node_modules/shared": { version: "1.0.0", integrity: "sha512-1", dependencies: { old: "1" } },
    "node_modules/own": {
      version: "1.0.0",
      integrity: "sha512-3",
      optionalDependencies: { native: "1", no: "1" },
    },
    "node_modules/deep": { version: "1.0.0", dependencies: { own: "1" } },
    "node_modules/native": { version: "1.0.0" },
    "node_modules/old": { version: "1.0.0" },
    "node_modules/tester": { version: "1.0.0" },
  },
};

it("lists what a workspace loads, the nearest one of several versions", () => {
  expect(runtimePackages(LOCK, "packages/service")).toEqual([
    { place: "node_modules/deep", version: "1.0.0", integrity: "" },
    { place: "node_modules/native", version: "1.0.0", integrity: "" },
    { place: "node_modules/own", version: "1.0.0", integrity: "sha512-3" },
    { place: "packages/service/node_modules/shared", version: "2.0.0", integrity: "sha512-2" },
  ]);
});

it("lists what one of them loads", () => {
  expect(runtimePackages(LOCK, "packages/service", ["own"]).map(({ place }) => place)).toEqual([
    "node_modules/native",
    "node_modules/own",
  ]);
});
