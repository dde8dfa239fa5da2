/** A browser: cookies and redirects only. */

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly host: string;
  readonly path: string;
}

export interface TestBrowser {
  /** Stores the cookies of a response. */
  keep(url: string, cookies: readonly string[]): void;
  /** What is sent to an address. */
  cookiesFor(url: string): string;
  /** Goes to an address, and on where it is sent, until that begins with `goal`. */
  follow(url: string, goal: string): Promise<URL>;
}

export function createBrowser(): TestBrowser {
  const jar = new Map<string, Cookie>();

  const browser: TestBrowser = {
    keep(url, cookies) {
      const { host, pathname } = new URL(url);
      for (const text of cookies) {
        const [pair = "", ...attributes] = text.split("; ");
        const [name = "", value = ""] = pair.split(/=(.*)/s);
        const path = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? pathname;
        const key = `${host} ${path} ${name}`;
        if (attributes.includes("Max-Age=0")) jar.delete(key);
        else jar.set(key, { name, value, host, path });
      }
    },
    cookiesFor(url) {
      const { host, pathname } = new URL(url);
      return [...jar.values()]
        .filter((cookie) => cookie.host === host && isWithin(pathname, cookie.path))
        .map(({ name, value }) => `${name}=${value}`)
        .join("; ");
    },
    async follow(url, goal) {
      let next = url;
      for (let steps = 0; steps < 10; steps += 1) {
        if (next.startsWith(goal)) return new URL(next);
        const answer = await fetch(next, {
          redirect: "manual",
          headers: { cookie: browser.cookiesFor(next) },
        });
        browser.keep(next, answer.headers.getSetCookie());
        const location = answer.headers.get("location");
        if (location === null)
          throw new Error(`${next} leads nowhere: ${answer.status} ${await answer.text()}`);
        next = new URL(location, next).href;
      }
      throw new Error(`${url} leads around in a circle`);
    },
  };
  return browser;
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
