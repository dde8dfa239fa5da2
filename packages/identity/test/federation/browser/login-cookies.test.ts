/** Cookies of pending logins, as browsers keep them and send them. */
import { describe, expect, it } from "vitest";

import {
  createLoginCookies,
  readLoginCookies,
  type LoginCookies,
} from "../../../src/federation/browser/login-cookies.js";
import { createLinks } from "../../../src/platform/http/links.js";
import { createBrowser, type TestBrowser } from "../openid/test-browser.js";

const links = createLinks("https://id.example.org/identity");
const callbackOf = (idpId: string, id = "openid") =>
  links.self("/v3/OS-FEDERATION/identity_providers", idpId, "protocols", id, "auth");
const CALLBACK = callbackOf("acme");
/** Where dashboards begin logins: not below the callback. */
const WEBSSO = "https://id.example.org/identity/v3/auth/OS-FEDERATION/websso/openid";
/** As long as a login is that was sealed. */
const sealedLogin = (id: string) => id.padEnd(220, "-");

interface Options {
  /** Another process, if left out. */
  readonly cookies?: LoginCookies;
  readonly at?: string;
  readonly authUrl?: string;
  readonly header?: string;
}

/** Has a browser begin a login. */
function begin(
  browser: TestBrowser,
  id: string,
  {
    cookies = createLoginCookies(),
    at = WEBSSO,
    authUrl = CALLBACK,
    header = browser.cookiesFor(at),
  }: Options = {},
): readonly string[] {
  const login = { sealed: sealedLogin(id), authUrl, lifeSeconds: 600, isPostedBack: false };
  const values = cookies.set(header, login);
  browser.keep(at, values);
  return values;
}

/** The logins whose cookies a browser sends to a callback. */
const brought = (browser: TestBrowser, authUrl = CALLBACK) =>
  readLoginCookies(browser.cookiesFor(authUrl), authUrl).map((sealed) => sealed.replace(/-+$/, ""));

const idsTo = (end: number, start = 0) =>
  Array.from({ length: end - start }, (_, index) => `login${start + index}`);

describe("a browser that begins logins", () => {
  it.each([
    ["at a dashboard's address", WEBSSO],
    ["at the callback's", CALLBACK],
  ])("%s carries the five newest of eighty", (_, at) => {
    const browser = createBrowser();
    for (const id of idsTo(80)) begin(browser, id, { at });
    expect(brought(browser).toSorted()).toEqual(idsTo(80, 75));
    expect(browser.cookiesFor(CALLBACK).length).toBeLessThan(2000);
  });

  it("at several providers carries the five newest of all", () => {
    const browser = createBrowser();
    const callbacks = ["a", "b", "c", "d"].map((id) => callbackOf(id));
    for (const [index, id] of idsTo(80).entries())
      begin(browser, id, { authUrl: callbacks[index % 4] as string });
    expect(callbacks.map((authUrl) => brought(browser, authUrl).toSorted())).toEqual([
      ["login76"],
      ["login77"],
      ["login78"],
      ["login75", "login79"],
    ]);
  });

  it.each([
    ["one process", true],
    ["many", false],
  ])("eighty at the same time, at %s, carries twelve at most, and the newest among them", (_, isOne) => {
    const browser = createBrowser();
    const cookies = createLoginCookies();
    for (const id of idsTo(80)) begin(browser, id, { header: "", ...(isOne && { cookies }) });
    expect(brought(browser)).toContain("login79");
    expect(brought(browser).length).toBeLessThanOrEqual(12);
    expect(browser.cookiesFor(CALLBACK).length).toBeLessThan(5000);
    // From then on one by one.
    for (const id of idsTo(90, 80)) begin(browser, id);
    expect(brought(browser)).toEqual(expect.arrayContaining(idsTo(90, 85)));
  });

  it("five at the same time, at one process, carries all of them", () => {
    const browser = createBrowser();
    const cookies = createLoginCookies();
    for (const id of idsTo(5)) begin(browser, id, { cookies, header: "" });
    expect(brought(browser).toSorted()).toEqual(idsTo(5));
  });

  it("at providers with the longest ids keeps a list that browsers take, and the newest login", () => {
    const browser = createBrowser();
    const longest = (start: string) => start + "\u{1f600}".repeat(63);
    for (const id of idsTo(9)) {
      const cookies = begin(browser, id, { authUrl: callbackOf(longest(id.slice(-1)), longest("p")) });
      for (const cookie of cookies) expect((cookie.split("; ")[0] as string).length).toBeLessThan(4000);
      expect(brought(browser, callbackOf(longest(id.slice(-1)), longest("p")))).toEqual([id]);
    }
  });
});

describe("a login's cookie", () => {
  it("is sent to the callback alone, by its path as links escape it, and by HTTPS alone", () => {
    const [cookie = "", list = ""] = createLoginCookies().set(undefined, {
      sealed: "sealed",
      authUrl: callbackOf("a; Path=/; Domain=example.org", "b c;d"),
      lifeSeconds: 600,
      isPostedBack: false,
    });
    expect(cookie.split("; ")).toEqual([
      expect.stringMatching(/^__Secure-identity-login-\d+=sealed$/),
      "Path=/identity/v3/OS-FEDERATION/identity_providers/a%3B%20Path=%2F%3B%20Domain=example.org/protocols/b%20c%3Bd/auth",
      "Max-Age=600",
      "HttpOnly",
      "Secure",
      "SameSite=Lax",
    ]);
    expect(list.split("; ")[1]).toBe("Path=/identity/v3");
  });

  it("has no semicolon in its path, for any request address", () => {
    const authUrl = "https://id.example.org/a;b/v3/OS-FEDERATION/identity_providers/x;y/protocols/p/auth";
    const login = { sealed: "s", authUrl, lifeSeconds: 600, isPostedBack: true };
    const paths = createLoginCookies()
      .set(undefined, login)
      .map((cookie) => cookie.split("; ")[1]);
    expect(paths).toEqual([
      "Path=/a%3Bb/v3/OS-FEDERATION/identity_providers/x%3By/protocols/p/auth",
      "Path=/a%3Bb/v3",
    ]);
  });

  it("is none over HTTPS without the prefix, and none of a name that the service does not give", () => {
    const of = (cookie: string, authUrl = CALLBACK) => readLoginCookies(cookie, authUrl);
    expect(of("identity-login-1=a; __Secure-identity-login-2=b; __Secure-identity-login-12=c")).toEqual([
      "b",
    ]);
    expect(of("identity-login-1=a", CALLBACK.replace("https:", "http:"))).toEqual(["a"]);
    expect(of("__Secure-identity-login-0123456789abcdef=a; __Secure-identity-saml-0=b")).toEqual([]);
  });

  it("is one of twelve, however many a browser sends", () => {
    const header = Array.from({ length: 5000 }, (_, index) => `__Secure-identity-login-${index % 12}=a`);
    expect(readLoginCookies(header.join("; "), CALLBACK)).toHaveLength(12);
  });
});

describe("a list of logins", () => {
  it("is read up to 3,000 characters", () => {
    const path = (length: number) => "/identity/v3/".padEnd(length, "x");
    const list = Buffer.from(JSON.stringify([[0, path(2242)]])).toString("base64url");
    expect(list).toHaveLength(3000);
    const listed = (value: string) => {
      const cookies = begin(createBrowser(), "a", { header: `__Secure-identity-begun=${value}` });
      const [, kept = ""] = /^__Secure-identity-begun=([^;]*)/.exec(cookies[1] ?? "") ?? [];
      const dropped = cookies.slice(2);
      return [...(JSON.parse(Buffer.from(kept, "base64url").toString()) as unknown[]), ...dropped].length;
    };
    expect(listed(list)).toBe(2);
    // The last character encodes nothing.
    expect(listed(`${list}A`)).toBe(1);
  });
});

describe("a list of logins that the service has not made", () => {
  const listing = (list: unknown) =>
    `__Secure-identity-begun=${Buffer.from(JSON.stringify(list)).toString("base64url")}`;
  const inRoot = (path: string) => `/identity/v3/${path}`;

  it.each([
    ["with an attribute behind the path", [[0, inRoot("x; Domain=example.org")]]],
    ["with a line feed", [[0, inRoot("x\r\nset-cookie: a=b")]]],
    ["with a path beyond ASCII", [[0, inRoot("\u00fc")]]],
    ["with a path elsewhere", [[0, "/"]]],
    ["with a name that the service does not give", [[12, inRoot("x")]]],
    ["with a name that is no number", [["0=x; Path=/", inRoot("x")]]],
    ["with a path that is no text", [[0, [inRoot("x")]]]],
    ["that is no list", { length: 3 }],
    ["of something else", [null, 1]],
    ["that is longer than any", Array.from({ length: 500 }, () => [0, inRoot("x")])],
  ])("%s counts as empty, and nothing of it is sent back", (_, list) => {
    const five = Array.isArray(list) ? [...list, ...list, ...list, ...list, ...list, ...list] : list;
    for (const given of [list, five]) {
      const cookies = begin(createBrowser(), "a", { header: listing(given) });
      expect(cookies).toHaveLength(2);
      expect(cookies.join()).not.toMatch(/Domain|\n|Path=\/(?:,|;)/);
    }
  });

  it.each(["__Secure-identity-begun=%%%", "__Secure-identity-begun=", "=", ";;;", "a"])(
    "counts as empty: %s",
    (header) => {
      expect(begin(createBrowser(), "a", { header })).toHaveLength(2);
    },
  );
});
