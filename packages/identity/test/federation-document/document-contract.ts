/** What holds for the documents of any service. */
import fc from "fast-check";
import { expect, it } from "vitest";

import type { TestDatabases } from "../databases.js";
import { apiAnswers, withApp } from "./api-answers.js";
import { documentService } from "./federation-file.js";
import { createCloud, generatedClouds, SECRET } from "./generated-cloud.js";

const NO_CHANGE = "0 creates, 0 changes, 0 deletes";

export function documentContract(databases: TestDatabases, { runs }: { readonly runs: number }): void {
  it("makes an empty service answer as the exported one, whatever that has, and changes nothing the second time", async () => {
    await fc.assert(
      fc.asyncProperty(generatedClouds, async (cloud) => {
        const [from, to] = [await documentService(databases), await documentService(databases)];
        try {
          const secrets = await withApp(from.config, (app) => createCloud(app, cloud));
          const text = await from.export();
          const env = variablesOf(await from.export("json"), secrets);
          expect(await from.plan(text, { env })).toBe(`${NO_CHANGE}, none made\n`);
          expect(text).not.toContain(SECRET);
          await to.apply(text, { env });
          expect(await to.apply(text, { env })).toBe(`${NO_CHANGE}\n`);
          expect(await to.export()).toBe(text);
          expect(await apiAnswers(to.config)).toEqual(await apiAnswers(from.config));
          const pruned = `${text}\nprune: true\n`;
          expect(await to.plan(pruned, { env })).toBe(`${NO_CHANGE}, none made\n`);
        } finally {
          await from.remove();
          await to.remove();
        }
      }),
      // A smaller example would take minutes to find.
      { numRuns: runs, endOnFailure: true },
    );
  });
}

interface Exported {
  readonly identity_providers: readonly {
    readonly id: string;
    readonly protocols: readonly { readonly id: string; readonly settings?: Record<string, unknown> }[];
  }[];
}

/** The variables that an export names, with the secrets. */
function variablesOf(json: string, secrets: ReadonlyMap<string, string>): Record<string, string> {
  const { identity_providers: providers } = JSON.parse(json) as Exported;
  const variables: Record<string, string> = {};
  for (const { id, protocols } of providers)
    for (const { id: protocol, settings = {} } of protocols)
      for (const [member, secret] of secrets)
        if (member === JSON.stringify([id, protocol, "client_secret"]))
          variables[(settings["client_secret"] as { env: string }).env] = secret;
  return variables;
}
