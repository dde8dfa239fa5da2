/** OAuth 1.0a with Debian's keystoneclient and keystoneauth, which sign with oauthlib. */
import { afterAll, beforeAll, expect, it } from "vitest";

import { sqliteDatabases } from "../../test/databases.js";
import { askPython } from "../python.js";
import { ADMIN_PASSWORD, runService, type ReachableService } from "../service-process.js";

let service: ReachableService;
beforeAll(async () => {
  service = await runService(sqliteDatabases);
}, 60_000);
afterAll(() => service.close());

it("gives keystoneclient an access token, and keystoneauth a token by it", () => {
  const answer = askPython("oauth1/oauth1.py", { url: service.url, password: ADMIN_PASSWORD });
  expect(answer).toEqual({
    project: true,
    roles: ["member", "reader"],
    consumer: true,
    access: true,
    // keystoneauth sends a scope, which is ignored.
    ignored: true,
    refused: "Unauthorized",
    listed: [true],
    ended: "NotFound",
  });
});
