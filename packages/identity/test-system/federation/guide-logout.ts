/** A logout at a dashboard, by the form of the guide, and the dashboard's page behind it. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { closed } from "./browser-front.js";
import type { FormBrowser, Page } from "./form-browser.js";

const GUIDE = new URL("../../../../docs/identity/saml.md", import.meta.url);

export interface LeftDashboard {
  /** Where a browser is sent after the logout. */
  readonly url: string;
  /** Posts a token from its page to a protocol of the service. */
  logOut(browser: FormBrowser, protocolUrl: string, token: string): Promise<Page>;
  close(): Promise<void>;
}

export async function openLeftDashboard(): Promise<LeftDashboard> {
  const server = createServer((_, answer) => answer.end("You have left the dashboard"));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/auth/login/`;
  const [, form = ""] = /^```html\n(.*?)^```$/ms.exec(readFileSync(GUIDE, "utf8")) ?? [];
  return {
    url,
    logOut(browser, protocolUrl, token) {
      const text = form.replace(/https:.*PROTOCOL/, protocolUrl);
      return browser.submit({ url, text }, { token, origin: url });
    },
    close: () => closed(server),
  };
}
