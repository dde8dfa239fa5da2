import { expect, it } from "vitest";

import { watchHome } from "../../src/platform/discovery/json-home.js";
import { createLinks } from "../../src/platform/http/links.js";
import { addAssignmentRoutes } from "../../src/assignments/assignment-routes.js";
import { addGrantRoutes } from "../../src/grants/grant-routes.js";
import { addImpliedRoleRoutes } from "../../src/roles/implied-roles.js";
import { addRoleRoutes } from "../../src/roles/role-routes.js";
import { addUserProjectRoutes } from "../../src/assignments/user-project-routes.js";
import { goldenRows, hasGolden } from "../golden.js";
import { testServer } from "../test-server.js";

interface Home {
  readonly resources: Readonly<Record<string, { readonly href?: string; readonly "href-template"?: string }>>;
}

it.runIf(hasGolden)("routes about roles are in the home document as they are in Keystone's", () => {
  const { server } = testServer();
  const resources = watchHome(server);
  // The services are never called.
  const services = { roles: {}, impliedRoles: {}, grants: {}, assignments: {} };
  const deps = {
    ...services,
    links: createLinks("http://127.0.0.1:5900"),
    defaultPageSize: undefined,
  } as never;
  for (const addRoutes of [
    addRoleRoutes,
    addImpliedRoleRoutes,
    addGrantRoutes,
    addAssignmentRoutes,
    addUserProjectRoutes,
  ])
    addRoutes(server, deps);

  const documents = goldenRows("head", "01_discovery").map(({ response_body: body }) => body as Home | null);
  const recorded = documents.find((body) =>
    Object.values(body?.resources ?? {}).some(({ href }) => href === "/roles"),
  );
  const ours = Object.entries(recorded?.resources ?? {}).filter(([relation, { href, ...place }]) => {
    const path = href ?? place["href-template"] ?? "";
    return !/OS-TRUST|OS-OAUTH1/.test(relation) && /\/role|\/users\/{user_id}\/projects/.test(path);
  });
  expect(ours).toHaveLength(25);
  expect(Object.fromEntries(resources())).toEqual(Object.fromEntries(ours));
});
