/** A browser without scripts: cookies, redirects, and forms that a user completes. */
import { createBrowser } from "../../test/federation/openid/test-browser.js";

export interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface FormBrowser {
  /** Goes to an address, and on where it is redirected. */
  open(url: string): Promise<Page>;
  /** Submits the first form that has these fields, with these values instead of the page's own. */
  submit(page: Pick<Page, "url" | "text">, fields: Readonly<Record<string, string>>): Promise<Page>;
}

const MAX_REDIRECTS = 10;

export function createFormBrowser(): FormBrowser {
  const cookies = createBrowser();

  async function go(url: string, form?: URLSearchParams): Promise<Page> {
    let [next, body] = [url, form];
    for (let steps = 0; steps <= MAX_REDIRECTS; steps += 1) {
      const answer = await fetch(next, {
        method: body === undefined ? "GET" : "POST",
        redirect: "manual",
        headers: { cookie: cookies.cookiesFor(next), accept: "text/html" },
        body: body ?? null,
      });
      cookies.keep(next, answer.headers.getSetCookie());
      const location = answer.headers.get("location");
      if (location === null) {
        const { status, headers } = answer;
        return { url: next, status, headers, text: await answer.text() };
      }
      [next, body] = [new URL(location, next).href, undefined];
    }
    throw new Error(`${url}: more than ${MAX_REDIRECTS} redirects`);
  }

  return {
    open: (url) => go(url),
    submit(page, fields) {
      const form = formWith(page, Object.keys(fields));
      for (const [name, value] of Object.entries(fields)) form.values.set(name, value);
      if (form.isPost) return go(form.action, form.values);
      return go(`${form.action}?${form.values.toString()}`);
    },
  };
}

interface Form {
  readonly action: string;
  readonly isPost: boolean;
  readonly values: URLSearchParams;
}

function formWith({ url, text }: Pick<Page, "url" | "text">, names: readonly string[]): Form {
  for (const [form, tag] of text.matchAll(/(<form\b[^>]*>).*?<\/form>/gs)) {
    const inputs = Array.from(form.matchAll(/<input\b[^>]*>/g), ([input]) => input);
    const values = new URLSearchParams(
      inputs
        .map((input) => [attribute(input, "name"), attribute(input, "value")] as [string, string])
        .filter(([name]) => name !== ""),
    );
    if (!names.every((name) => values.has(name))) continue;
    const action = new URL(attribute(tag ?? "", "action"), url);
    action.hash = "";
    return { action: action.href, isPost: /\bmethod="post"/i.test(tag ?? ""), values };
  }
  throw new Error(`${url} has no form with ${names.join(", ")}: ${text}`);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

function attribute(tag: string, name: string): string {
  const [, value = ""] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? [];
  return value.replaceAll(/&(#?\w+);/g, (whole, entity: string) => {
    const hex = /^#x([0-9a-f]+)$/i.exec(entity)?.[1];
    return hex === undefined ? (ENTITIES[entity] ?? whole) : String.fromCodePoint(Number.parseInt(hex, 16));
  });
}
