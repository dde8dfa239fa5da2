/** A sudden new key of an OpenID provider: the service reads the keys again, at most every 30 seconds. */
import { afterAll, beforeAll, expect, it } from "vitest";

import {
  newKeys,
  startPortalService,
  type PortalService,
} from "../../test-system/federation/lemonldap/lemonldap-service.js";

/** Between two requests for the keys of a provider. */
const KEYS_MS = 30_000;

let scene: PortalService;
beforeAll(async () => {
  scene = await startPortalService(newKeys("first"));
});
afterAll(() => scene.close());

it("accepts LemonLDAP::NG's new key within half a minute", async () => {
  const status = async () => (await scene.logIn("openid")).page.status;
  expect(await status()).toBe(201);
  await scene.portal.rotate(newKeys("second"));
  await expect.poll(status, { timeout: KEYS_MS + 5000, interval: 2000 }).toBe(201);
});
