import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { runService, type ReachableService } from "../service-process.js";
import { openOpenstackShell } from "./openstack-shell.js";
import { LOST, STEPS, type Step } from "./openstack-steps.js";
import { postgresDatabases, servedDatabases } from "../../test/databases.js";

/** The `openstack` command, as an operator types it. */
for (const databases of servedDatabases(postgresDatabases))
  describe(`the openstack command, and the service on ${databases.name}`, () => {
    let service: ReachableService;
    let answers: readonly string[];
    beforeAll(async () => {
      service = await runService(databases);
      answers = await typeAll(service.url);
    }, 300_000);
    afterAll(() => service.close());

    it.each(STEPS.map(({ command, prints = "" }, index) => [command, prints, index] as const))(
      "%s",
      (_, prints, index) => {
        expect(parsed(answers[index])).toEqual(prints);
      },
    );

    it.each(Object.entries(LOST).map(([command, message], index) => [command, message, index] as const))(
      "%s: %s",
      (_, message, index) => {
        expect(answers[STEPS.length + index]).toBe(message);
      },
    );
  });

/** What is printed for each command. */
async function typeAll(url: string): Promise<string[]> {
  const shell = openOpenstackShell(url);
  const answers: string[] = [];
  const ids = new Map<string, string>();
  const steps: readonly Step[] = [...STEPS, ...Object.keys(LOST).map((command) => ({ command }))];
  for (const { command, keepsId } of steps) {
    const answer = await shell.type(command.replace(/\{(\w+)\}/, (_, kept: string) => ids.get(kept) ?? kept));
    answers.push(answer);
    if (keepsId !== undefined) ids.set(keepsId, (parsed(answer) as { readonly id: string }).id);
  }
  await shell.close();
  return answers;
}

function parsed(answer = ""): unknown {
  try {
    return JSON.parse(answer) as unknown;
  } catch {
    return answer;
  }
}
