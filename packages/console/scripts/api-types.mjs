/**
 * Writes src/api/generated/identity-api.ts: the types of the identity service's API, from the OpenAPI document that the service
 * itself serves.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import openapiTypescript, { astToString } from "openapi-typescript";

import { apiDocument } from "../../identity/scripts/api-document.mjs";

const target = fileURLToPath(new URL("../src/api/generated/", import.meta.url));

export async function writeApiTypes() {
  const types = astToString(await openapiTypescript(await apiDocument(), { alphabetize: true }));
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, "identity-api.ts"), types);
}
