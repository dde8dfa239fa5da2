import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { runProgram } from "../run-program.js";
import { ADMIN_PASSWORD, type ReachableService } from "../service-process.js";
import { LOST, STEPS } from "./openstack-steps.js";

const commands = [...STEPS.map(({ command }) => command), ...Object.keys(LOST)];
/** Printed before the answer to each command. */
const MARK = "@@next@@";

/** The `openstack` command, typing to it one command after another: starting it takes longer than most of them. */
export function openstackContract(name: string, start: () => Promise<ReachableService>): void {
  describe(`the openstack command, and the service on ${name}`, () => {
    let service: ReachableService;
    let answers: readonly string[];
    beforeAll(async () => {
      service = await start();
      answers = await type(service.url);
    }, 300_000);
    afterAll(() => service.close());

    it.each(STEPS.map(({ command, prints = "" }, index) => [command, prints, index] as const))(
      "%s",
      (_, prints, index) => {
        expect(parsed(answers[index])).toEqual(prints);
      },
    );

    it.each(Object.entries(LOST))("%s: %s", (command, message) => {
      expect(answers[commands.indexOf(command)]).toBe(message);
    });
  });
}

/** What is printed for each command, errors included. */
async function type(url: string): Promise<string[]> {
  const { output } = await runProgram(["/bin/sh", "-c", "exec /usr/bin/openstack 2>&1"], {
    input: commands.map((command) => `!echo ${MARK}\n${command}\n`).join(""),
    env: {
      OS_AUTH_URL: url,
      OS_USERNAME: "admin",
      OS_PASSWORD: ADMIN_PASSWORD,
      OS_PROJECT_NAME: "admin",
      OS_USER_DOMAIN_ID: "default",
      OS_PROJECT_DOMAIN_ID: "default",
      OS_IDENTITY_API_VERSION: "3",
      NO_PROXY: "127.0.0.1",
    },
  });
  return output
    .split(`${MARK}\n`)
    .slice(1)
    .map((answer) => answer.trim());
}

function parsed(answer = ""): unknown {
  try {
    return JSON.parse(answer) as unknown;
  } catch {
    return answer;
  }
}
