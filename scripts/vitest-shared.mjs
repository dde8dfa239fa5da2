/** What the configurations of Vitest share. */
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

/** Test files at a time: one more than processors, since tests also wait, for writes, programs and times. */
export const WORKERS = availableParallelism() + 1;

const packages = fileURLToPath(new URL("../packages/", import.meta.url));

/** Tests of packages/identity-import run the sources of packages/identity, not its last build. */
export const alias = [
  {
    find: /^@hamkit\/identity\/import-support\/(.+)$/,
    replacement: `${packages}identity/src/import-support/$1.ts`,
  },
  { find: "@hamkit/identity-import", replacement: `${packages}identity-import/src/index.ts` },
];
