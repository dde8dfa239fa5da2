/** Identity providers after an upgrade from an earlier release. */
import { describe, expect, it } from "vitest";

import { findProvider } from "../../src/identity-providers/identity-provider.js";
import { authorizedDomains } from "../../src/migrations/0015-authorized-domains.js";
import { migrations } from "../../src/migrations/migrations.js";
import { migrate } from "../../src/platform/database/migrate.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { databases } from "../databases.js";

interface Tables {
  readonly project: object;
  readonly identity_provider: object;
  readonly identity_provider_remote_id: object;
}

describe(`identity providers of an earlier release on ${databases.name}`, () => {
  it("are held to no domains, and lose the white space around remote ids where that leaves them one", async () => {
    const place = await databases.create();
    const database = openDatabase(place.url);
    await migrate(
      database,
      migrations.filter(({ name }) => name < authorizedDomains.name),
    );
    const tables = database.tables<Tables>();
    const domain = { id: "d", name: "d", is_domain: true, enabled: true, options: "{}", extra: "{}" };
    await tables.insertInto("project").values(domain).execute();
    for (const id of ["a", "b"])
      await tables.insertInto("identity_provider").values({ id, domain_id: "d", enabled: true }).execute();
    const remoteIds = ["x ", "\ty\n", "z"].map((remote_id, position) => ({
      remote_id,
      idp_id: "a",
      position,
    }));
    // Of another provider, and taken without the white space.
    const taken = { remote_id: " z", idp_id: "b", position: 0 };
    await tables
      .insertInto("identity_provider_remote_id")
      .values([...remoteIds, taken])
      .execute();

    expect(await migrate(database, migrations)).toContain("0015-authorized-domains");
    expect(await findProvider(database, "a")).toMatchObject({
      authorizedDomains: null,
      remoteIds: ["x", "y", "z"],
    });
    expect(await findProvider(database, "b")).toMatchObject({ remoteIds: [" z"] });
    await database.close();
    await place.remove();
  });
});
