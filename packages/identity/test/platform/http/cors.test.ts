import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { NotFoundError } from "../../../src/platform/errors.js";
import { createLinks } from "../../../src/platform/http/links.js";
import { testServer } from "../../test-server.js";

const CONSOLE = "https://console.example.org";
const { server } = testServer({ corsOrigins: [CONSOLE, "http://localhost:5173"] });
beforeAll(async () => {
  server.get("/things", () => ({}));
  server.get("/nothing", () => {
    throw new NotFoundError("Could not find nothing.");
  });
  await server.ready();
});
afterAll(() => server.close());

const preflight = {
  method: "OPTIONS",
  url: "/things",
  headers: { origin: CONSOLE, "access-control-request-method": "GET" },
} as const;

describe("pages of other origins", () => {
  it.each(["/things", "/nothing", "/not-there"])("may read answers and errors of %s", async (url) => {
    const { headers } = await server.inject({ url, headers: { origin: CONSOLE } });
    expect(headers["access-control-allow-origin"]).toBe(CONSOLE);
    expect(headers["access-control-expose-headers"]).toContain("X-Subject-Token");
    expect(headers["access-control-allow-credentials"]).toBeUndefined();
    expect(headers.vary).toBe("X-Auth-Token, Origin");
  });

  it("may ask beforehand what they may send", async () => {
    const { statusCode, headers } = await server.inject(preflight);
    expect(statusCode).toBe(204);
    expect(headers["access-control-allow-origin"]).toBe(CONSOLE);
    expect(headers["access-control-allow-methods"]).toContain("PATCH");
    expect(headers["access-control-allow-headers"]).toContain("X-Auth-Token");
  });

  it.each([
    "https://evil.example",
    "https://console.example.org.evil.example",
    "http://console.example.org",
    "https://console.example.org:8443",
    "null",
    "*",
  ])("may do nothing at %s, which is not in the list", async (origin) => {
    const get = await server.inject({ url: "/things", headers: { origin } });
    expect(get.headers["access-control-allow-origin"]).toBeUndefined();
    expect(get.headers.vary).toBe("X-Auth-Token, Origin");
    const asked = await server.inject({ ...preflight, headers: { ...preflight.headers, origin } });
    expect(Object.keys(asked.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  it("may do nothing anywhere unless some are listed", async () => {
    const { server: closed } = testServer();
    const { headers } = await closed.inject({ url: "/", headers: { origin: CONSOLE } });
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(headers.vary).toBe("X-Auth-Token");
    await closed.close();
  });

  it("leaves OPTIONS that ask for nothing as they are", async () => {
    const { statusCode, headers } = await server.inject({ ...preflight, headers: { origin: CONSOLE } });
    expect(statusCode).toBe(200);
    expect(headers.allow).toBe("GET, HEAD, OPTIONS");
  });
});

describe("every answer", () => {
  it.each(["/things", "/not-there", "/%zz"])(
    "of %s is nothing that a browser would run, frame or keep",
    async (url) => {
      const { headers } = await server.inject(url);
      expect(headers).toMatchObject({
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      });
      expect(headers["strict-transport-security"]).toBeUndefined();
    },
  );

  it("keeps browsers on HTTPS where clients reach the service by it", async () => {
    const { server: secure } = testServer({ links: createLinks("https://id.example.org") });
    const { headers } = await secure.inject("/");
    expect(headers["strict-transport-security"]).toBe("max-age=31536000");
    await secure.close();
  });
});
