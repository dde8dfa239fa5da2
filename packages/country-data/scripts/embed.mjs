/** Makes src/embedded.ts, the data as a module, out of data/country-file.json: the first step of the build. */
import { readFileSync, writeFileSync } from "node:fs";

const target = new URL("../src/embedded.ts", import.meta.url);
const json = JSON.stringify(
  JSON.parse(readFileSync(new URL("../data/country-file.json", import.meta.url), "utf8")),
);
const text = `/** Made by scripts/embed.mjs out of data/country-file.json. Parsing text is faster than a literal of this size. */
export const embedded = ${JSON.stringify(json)};
`;
if (read(target) !== text) writeFileSync(target, text);

function read(url) {
  try {
    return readFileSync(url, "utf8");
  } catch {
    return undefined;
  }
}
