/** Runs a script of this folder against a service. */
import { randomBytes } from "node:crypto";

import { askScript } from "../run-program.js";
import { ADMIN_PASSWORD } from "../service-process.js";

/**
 * The outcome of each check of a script.
 *
 * @param facts Members of the question in addition to those that every script needs.
 */
export async function outcomesOf(
  script: string,
  url: string,
  facts: Readonly<Record<string, unknown>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const suffix = `-${randomBytes(4).toString("hex")}`;
  const question = { url, password: ADMIN_PASSWORD, suffix, ...facts };
  const lines = (await askScript(`consumers/${script}`, question)) as { check: string; value: unknown }[];
  return Object.fromEntries(lines.map(({ check, value }) => [check, value]));
}
