/** keystoneauth and keystonemiddleware, the libraries of OpenStack's services. */
import { randomBytes } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { askClient } from "../run-program.js";
import { ADMIN_PASSWORD, runService, type ReachableService } from "../service-process.js";
import { postgresDatabases, servedDatabases } from "../../test/databases.js";

interface Answer {
  readonly check: string;
  readonly [fact: string]: unknown;
}

/** A token that names no place to work in. */
const unscoped = {
  user: expect.stringMatching(/^kate-/),
  user_domain: "Default",
  project: null,
  project_domain: null,
  domain: null,
  system: null,
  roles: [],
  catalog: false,
  soon: false,
  audit: true,
};
const scoped = { ...unscoped, roles: ["member", "reader"], catalog: true };
const inProject = { ...scoped, project: expect.stringMatching(/^atelier-/), project_domain: "default" };

/** What each way of logging in comes to, as a real Keystone has it. */
const LOGINS = {
  "by name, without a scope": unscoped,
  "by id, for a project": inProject,
  "for a project by name": inProject,
  "for a domain": { ...scoped, domain: "Default" },
  "for the system": { ...scoped, system: { all: true } },
  "with a token, for a project": inProject,
  "with an application credential": { ...inProject, restricted: true },
  "with an application credential by its name": { ...inProject, roles: ["reader"], restricted: false },
  "with a trust": {
    ...inProject,
    roles: ["reader"],
    trust: true,
    parties: true,
    read: 200,
    refused: 403,
    deleted: 204,
    after: 401,
  },
  "with a wrong password": [
    401,
    expect.stringMatching(/^The request you have made requires authentication\. /),
  ],
  "after its token was revoked": { status: 200, other: true },
};

/** Headers that the middleware sets for the application. */
const kate = {
  "Identity-Status": "Confirmed",
  "User-Name": expect.stringMatching(/^kate-/),
  "User-Domain-Id": "default",
  "Project-Name": expect.stringMatching(/^atelier-/),
  "Project-Domain-Id": "default",
  Roles: ["member", "reader"],
  "Is-Admin-Project": "True",
  catalog: ["identity"],
  service: null,
};

for (const databases of servedDatabases(postgresDatabases))
  describe(`OpenStack's libraries, and the service on ${databases.name}`, () => {
    let service: ReachableService;
    let url: string;
    beforeAll(async () => {
      service = await runService(databases);
      url = service.url;
    });
    afterAll(() => service.close());

    async function ask(script: string): Promise<(check: string) => Answer | undefined> {
      const question = { url, password: ADMIN_PASSWORD, suffix: `-${randomBytes(4).toString("hex")}` };
      const answers = (await askClient(script, question)) as Answer[];
      return (check) => answers.find((answer) => answer.check === check);
    }

    describe("keystoneauth", () => {
      let answerTo: (check: string) => Answer | undefined;
      beforeAll(async () => {
        answerTo = await ask("keystoneauth.py");
      });

      it.each(Object.entries(LOGINS))("logs in %s", (check, value) => {
        expect(answerTo(check)).toEqual({ check, value });
      });

      it("finds its way from the address without a version", () => {
        const endpoint = `${url}/v3/`;
        expect(answerTo("discovery")?.["value"]).toEqual({
          versions: [[3, 14, endpoint]],
          plugin: "v3",
          endpoint,
          minor: [3, 0],
        });
      });
    });

    describe("keystonemiddleware", () => {
      let answerTo: (check: string) => Answer | undefined;
      beforeAll(async () => {
        answerTo = await ask("auth-token.py");
      });

      it.each([
        ["a user's token", kate],
        ["a user's token with a service's", { ...kate, service: "Confirmed" }],
        ["a second token", kate],
        ["a token with access rules, where one allows it", kate],
      ])("lets %s in", (check, body) => {
        expect(answerTo(check)).toEqual({ check, status: 200, www: null, body });
      });

      it.each([
        "no token",
        "no token of ours",
        "a revoked token",
        "a token of a user who was disabled",
        "a token with access rules, where none allows it",
      ])("refuses %s", (check) => {
        expect(answerTo(check)).toEqual({ check, status: 401, www: `Keystone uri="${url}"`, body: null });
      });
    });
  });
