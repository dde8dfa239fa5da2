/** The time that packages and images bear, so that the same checkout makes the same files. */
import { readFileSync } from "node:fs";

import { root, run } from "../prepare.mjs";

/** That of SOURCE_DATE_EPOCH (seconds), else of the last commit; without a repository, of the last release in the changelog. */
export function commitDate() {
  const { SOURCE_DATE_EPOCH } = process.env;
  if (SOURCE_DATE_EPOCH !== undefined) {
    if (!/^\d+$/.test(SOURCE_DATE_EPOCH))
      throw new Error(
        `SOURCE_DATE_EPOCH ${JSON.stringify(SOURCE_DATE_EPOCH)} is invalid; expected seconds since 1970`,
      );
    return new Date(1000 * Number(SOURCE_DATE_EPOCH));
  }
  const { status, stdout } = run("git", ["log", "-1", "--format=%ct"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  if (status === 0) return new Date(1000 * Number(stdout));
  const [, day] = /^## \d\S* - (\S+)/m.exec(readFileSync(`${root}CHANGELOG.md`, "utf8"));
  return new Date(day);
}
