/** The directories of domains while their configurations change. */
import { expect, it } from "vitest";

import { createDomainDrivers } from "../../src/directories/domain-drivers.js";
import type { Database } from "../../src/platform/database/database.js";

it("keeps open what the latest configuration names, though an earlier reading of it ends later", async () => {
  let revision = 0;
  const readings: (() => void)[] = [];
  const closed: string[] = [];
  const drivers = createDomainDrivers({
    database: { revision: () => revision } as Partial<Database> as Database,
    domainConfigs: {
      directoryConfigs: async () => {
        const url = `ldap://${revision}.test`;
        await new Promise<void>((resolve) => readings.push(resolve));
        return [
          {
            domainId: "d",
            isDefault: false,
            ldap: { url },
            sealedPassword: undefined,
            readPassword: () => undefined,
          },
        ];
      },
    },
    openDirectory: ({ urls }) => ({
      search: async () => [],
      searchPages: async () => {},
      bindAs: async () => ({ isAccepted: true }),
      use: () => ({ used: 0, idle: 0, waiting: 0 }),
      close: () => void closed.push(urls.join()),
    }),
  });
  const first = drivers.read();
  await expect.poll(() => readings.length).toBe(1);
  revision++;
  const second = drivers.read();
  // The later one would end first.
  readings[1]?.();
  readings[0]?.();
  (await first).get("d")?.reader();
  await expect.poll(() => readings.length).toBe(2);
  readings[1]?.();
  (await second).get("d")?.reader();
  expect(closed).toEqual(["ldap://0.test"]);
  expect((await drivers.read()).get("d")).toBe((await second).get("d"));
  drivers.close();
  expect(closed).toEqual(["ldap://0.test", "ldap://1.test"]);
});
