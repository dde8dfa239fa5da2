/** Only a protocol's own folder names its type: all others find it in the list of protocols. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

import { PROTOCOL_TYPES } from "../protocol-types.js";

const SOURCE = fileURLToPath(new URL("../../../src/", import.meta.url));
const CONSOLE = fileURLToPath(new URL("../../../../console/src/", import.meta.url));
/** Words of other vocabularies that are spelled as a type is. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "auth/auth-methods.ts": "Keystone's authentication methods",
  "federation/mapped-method.ts": "Keystone's authentication methods",
  "policy/delegation.ts": "authentication methods in tokens",
  "tokens/token-payload.ts": "authentication methods in stored tokens",
  "k2k/k2k-routes.ts": "a relation of Keystone's home document",
};

it("is named by at most 3 files outside of the protocols' folders", () => {
  const names = PROTOCOL_TYPES.map(({ type }) => type);
  const literal = new RegExp(`["'\`](?:${names.join("|")})["'\`]`);
  const filesIn = (folder: string) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
      /\.(?:ts|svelte)$/.test(path),
    );
  const namesOne = (file: string) => literal.test(readFileSync(file, "utf8"));
  const naming = filesIn(SOURCE).filter(
    (path) => !path.startsWith("federation/protocols/") && namesOne(SOURCE + path),
  );
  // An exception that is needed no more has to go.
  expect(naming).toEqual(expect.arrayContaining(Object.keys(EXCEPTIONS)));
  const inConsole = filesIn(CONSOLE).filter(
    (path) => !path.startsWith("api/generated/") && namesOne(CONSOLE + path),
  );
  const others = [...naming.filter((path) => !(path in EXCEPTIONS)), ...inConsole];
  // Those beyond the third.
  expect(others.slice(3)).toEqual([]);
});
