import { readFileSync } from "node:fs";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { ReachableService } from "../service-process.js";
import { RULES } from "./golden-rules.js";
import { hasRecorder, replay, type Difference, type Replay } from "./recorded-requests.js";

/** What proves the recorder, which is the front end too. */
const SECRET = "the-recorder-is-the-front-end";

/** As the servers of the recordings were configured, as far as it matters for them. */
export const SETTINGS = {
  IDENTITY_FORWARDED_ASSERTION_HEADER: "X-Test-Environ",
  IDENTITY_FORWARDED_ASSERTION_SECRET: SECRET,
  IDENTITY_FORWARDED_ASSERTION_FROM: "127.0.0.1",
  IDENTITY_REMOTE_ID_ATTRIBUTE: "MELLON_IDP",
  IDENTITY_TRUSTED_DASHBOARDS:
    "http://dash.example.com/auth/websso/,https://horizon.example.org/dashboard/auth/websso",
};

/** What is compared so far. Limits begin behind it. */
const REPLAY: Replay = {
  files: Object.keys(RULES),
  stopAt: "08_registered_limits",
  env: { KS_ENV_SECRET: SECRET },
};

const documented = ["docs/differences.md", "docs/identity/differences.md"]
  .map((path) => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8"))
  .join("\n");

/** The recorded requests, where they are beside the checkout, in their order against a service of its own. */
export function recordedRequestsContract(name: string, start: () => Promise<ReachableService>): void {
  describe(`the rules of what may differ from the recording (${name})`, () => {
    it.each(Object.values(RULES).flatMap((rules) => Object.keys(rules)))("%s is documented", (rule) => {
      expect(documented).toContain(`\n### ${rule}\n`);
    });
  });

  if (!hasRecorder) return;
  describe(`the recorded requests, and the service on ${name}`, () => {
    let service: ReachableService;
    let differences: ReadonlyMap<string, readonly Difference[]>;
    beforeAll(async () => {
      service = await start();
      differences = await replay(service.url, REPLAY);
    }, 300_000);
    afterAll(() => service.close());

    describe.each(REPLAY.files)("%s", (file) => {
      const rules = RULES[file] ?? {};
      const allowed = new Set(Object.values(rules).flat());

      it("differs where the rules say so alone", () => {
        const others = differences.get(file)?.filter(({ request }) => !allowed.has(request));
        expect(others?.map(({ details, request }) => details || `missing: ${request}`)).toEqual([]);
      });

      it.each(Object.entries(rules))("differs by %s in each of its requests", (_, requests) => {
        const differing = new Set(differences.get(file)?.map(({ request }) => request));
        expect(requests.filter((request) => !differing.has(request))).toEqual([]);
      });
    });
  });
}
