/** docs/identity/configuration.md lists all settings by group. */
import { expect, it } from "vitest";

import { titleOf } from "../src/config.js";
import { OPTION_GROUPS } from "../src/config-options.js";
import type { Option, Options } from "../src/platform/option-parsers.js";
import { markdownTable, pagePath } from "./reference-pages.js";

const INTRODUCTION = `# Settings

Settings are environment variables, or keys of a TOML file that \`IDENTITY_CONFIG\` or \`--config\` names: \`IDENTITY_PORT\` is \`port = 5000\`
there. The environment takes precedence. An empty variable counts as unset. Invalid values and unknown keys of the file end the start with
exit code 2 and the name of the setting; \`hamkit-identity doctor\` finds misspelled variables. \`hamkit-identity help serve\` lists the same
groups. [Running the identity service](operating.md) explains which settings belong together.`;

it("has every setting", async () => {
  const groups = Object.entries(OPTION_GROUPS).map(([group, options]: [string, Options]) =>
    [`## ${capitalized(titleOf(group))}`, tableOf(options)].join("\n\n"),
  );
  const page = `${[INTRODUCTION, ...groups].join("\n\n")}\n`;
  await expect(page).toMatchFileSnapshot(pagePath("configuration.md"));
});

const capitalized = (words: string) =>
  /^(?:pkcs11|saml|scim)$/.test(words)
    ? words.toUpperCase()
    : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;

function tableOf(options: Options): string {
  const rows = Object.values(options).map((option) => [
    `\`${option.name}\``,
    capitalized(option.help),
    option.parser.expected + defaultOf(option),
  ]);
  return markdownTable(["variable", "meaning", "value"], rows);
}

function defaultOf({ standard }: Option<unknown>): string {
  const text = typeof standard === "function" ? standard({ HOME: "~" }) : standard;
  return text === undefined || text === "" ? "" : `; \`${text}\` by default`;
}
