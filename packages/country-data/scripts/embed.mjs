/**
 * Makes src/embedded.ts, the data as a module, out of data/country-file.json: the first step of the build.
 *
 * Complete calls, most of the data, are put into one sorted text, so that loading them costs no more than finding the
 * blanks in it. Which group a call belongs to are the two characters of the same place in another text.
 */
import { readFileSync, writeFileSync } from "node:fs";

const target = new URL("../src/embedded.ts", import.meta.url);
const { groups, ...rest } = JSON.parse(
  readFileSync(new URL("../data/country-file.json", import.meta.url), "utf8"),
);

const owners = groups.flatMap(([, , , , calls], group) =>
  (calls === "" ? [] : calls.split(" ")).map((call) => [call, group]),
);
owners.sort(([a], [b]) => (a < b ? -1 : 1));

const head = JSON.stringify({ ...rest, groups: groups.map((group) => group.slice(0, 4)) });
const text = `/** Made by scripts/embed.mjs out of data/country-file.json. Parsing text is faster than a literal of this size. */
export const head: string = ${JSON.stringify(head)};

/** All calls, in the order of their characters, separated by blanks. */
export const calls: string = ${JSON.stringify(owners.map(([call]) => call).join(" "))};

/** The group of each call: two digits of base 36. */
export const owners: string = ${JSON.stringify(owners.map(([, group]) => group.toString(36).padStart(2, "0")).join(""))};
`;
if (read(target) !== text) writeFileSync(target, text);

function read(url) {
  try {
    return readFileSync(url, "utf8");
  } catch {
    return undefined;
  }
}
