import { expect, it } from "vitest";

import { deleteProject, findProject } from "../../src/projects/project-store.js";
import { sqliteDatabases } from "../databases.js";
import { projectServer } from "./project-server.js";

it("a domain of any size is deleted in slices, between which SQLite yields to other requests", async () => {
  const service = await projectServer(sqliteDatabases);
  const domainId = await service.domain({ name: "large" });
  const tables = service.database.tables<{ project: object }>();
  const common = { domain_id: domainId, parent_id: domainId, is_domain: false, enabled: true };
  const rows = Array.from({ length: 3000 }, (_, index) =>
    Object.assign({ id: `p${index}`, name: `p${index}`, options: "{}", extra: "{}" }, common),
  );
  for (let begin = 0; begin < rows.length; begin += 500)
    await tables
      .insertInto("project")
      .values(rows.slice(begin, begin + 500))
      .execute();
  let turns = 0;
  let isRunning = true;
  const turn = () => {
    turns++;
    if (isRunning) setImmediate(turn);
  };
  await service.database.transaction(async (transaction) => {
    setImmediate(turn);
    await deleteProject(transaction, domainId);
  });
  isRunning = false;
  // A single statement would leave one or none.
  expect(turns).toBeGreaterThan(2);
  expect(await findProject(service.database, "p2999")).toBeUndefined();
  await service.close();
});
