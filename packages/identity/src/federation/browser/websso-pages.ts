/** The pages of a login in a browser: the forms that post the token, the choice of a provider, errors. */
import { createHash } from "node:crypto";

import { escapeHtml, htmlPage } from "../../platform/text/html.js";
import type { BrowserStep } from "../assertion-verifier.js";

const STYLE = `
:root { color-scheme: light dark; background: Canvas; color: CanvasText; }
body { margin: 4rem auto; max-width: 32rem; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
ul { padding: 0; list-style: none; }
a, input[type="submit"] {
  display: block; box-sizing: border-box; width: 100%; margin: 0.75rem 0; padding: 0.75rem 1rem; font: inherit;
  text-align: center; border: 1px solid; border-radius: 0.5rem; overflow-wrap: anywhere;
}
.entities a { display: flex; align-items: center; gap: 0.75rem; text-align: start; }
.entities span { flex: 1; }
.entities img { width: 2rem; height: 2rem; object-fit: contain; }
input[type="search"] { box-sizing: border-box; width: 100%; padding: 0.75rem 1rem; font: inherit; }
code { overflow-wrap: anywhere; }
.delayed { animation: wait 1s; }
@keyframes wait { from, to { opacity: 0.5; pointer-events: none; } }
`;

/** Submits at once; without scripts the user presses the button. */
const SCRIPT = `document.getElementById("sso").submit();`;

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The page that posts a token to a dashboard, in Keystone's form field. */
export function handOverPage(origin: string, token: string): BrowserStep {
  const body = `<form id="sso" name="sso" action="${escapeHtml(origin)}" method="post">
<h1>You are logged in</h1>
<p>You are being sent on to your dashboard.<br></p>
<noscript><p>Your browser runs no scripts: please press the button.</p></noscript>
${tokenField(token)}
<input type="submit" value="Continue">
</form>
<script type="text/javascript">${SCRIPT}</script>`;
  return page("Logging in", body, [`script-src ${hashOf(SCRIPT)}`, `form-action ${new URL(origin).origin}`]);
}

/**
 * The page that posts a token to a program on the user's computer, once the user agrees: another user, or another program, may
 * listen there. The button ignores the first second, so that a double click elsewhere does not press it.
 *
 * @param address A loopback address.
 */
export function confirmationPage(address: string, token: string): BrowserStep {
  const body = `<form action="${escapeHtml(address)}" method="post">
<h1>Let a program log in as you?</h1>
<p>A program on this computer asks to log in as you. It can then do everything that you can do here. Your login is sent to this
address:</p>
<p><code>${escapeHtml(address)}</code></p>
${tokenField(token)}
<input class="delayed" type="submit" value="Log the program in">
<p>If you have not just started such a program, close this page. Nothing has been sent yet.</p>
</form>`;
  const { host, origin } = new URL(address);
  // Host sources of CSP can't be IPv6 addresses.
  return page("Let a program log in as you?", body, [
    `form-action ${host.startsWith("[") ? "http:" : origin}`,
  ]);
}

const tokenField = (token: string): string =>
  `<input type="hidden" name="token" id="token" value="${escapeHtml(token)}">`;

/** A provider to choose. */
export interface Choice {
  readonly name: string;
  readonly url: string;
}

/** The page on which the user chooses a provider. */
export function choicePage(choices: readonly Choice[]): BrowserStep {
  const items = choices.map(
    ({ name, url }) => `<li><a href="${escapeHtml(url)}">${escapeHtml(name)}</a></li>`,
  );
  const body = `<main>
<h1 id="choose">Choose how to log in</h1>
<ul aria-labelledby="choose">
${items.join("\n")}
</ul>
</main>`;
  return page("Choose how to log in", body, ["form-action 'none'"]);
}

/** The page after a logout, where no dashboard receives the browser. */
export function loggedOutPage(): BrowserStep {
  const body = `<main>
<h1>You are logged out</h1>
<p>You can close this page.</p>
</main>`;
  return page("You are logged out", body, ["form-action 'none'"]);
}

/** The page after a test login. @param failedStep `undefined` if it passed. */
export function testFinishedPage(failedStep: string | undefined): BrowserStep {
  const title = failedStep === undefined ? "The test login passed" : "The test login failed";
  const body = `<main>
<h1>${title}</h1>
<p>${failedStep === undefined ? "" : `Failed step: <code>${escapeHtml(failedStep)}</code>. `}No user was created, and no token issued.</p>
<p>The result is where you began the test. You can close this page.</p>
</main>`;
  return page(title, body, ["form-action 'none'"]);
}

/** Titles and advice of error pages. */
const FAILED = {
  login: {
    title: "You are not logged in",
    advice: "Please return to the page you came from, and log in again.",
  },
  logout: {
    title: "The logout did not finish",
    advice: "Please close all windows of your browser to end what is left of your session.",
  },
} as const;

export interface ErrorPageOptions {
  /** By it the operator finds the reason in the log. */
  readonly requestId: string;
  readonly failed?: keyof typeof FAILED;
}

/** The page of an error. */
export function errorPage(message: string, { requestId, failed = "login" }: ErrorPageOptions): BrowserStep {
  const { title, advice } = FAILED[failed];
  const body = `<main>
<h1>${title}</h1>
<p>${escapeHtml(message)}</p>
<p>${advice} The operator of this service finds the reason by this id:</p>
<p><code>${escapeHtml(requestId)}</code></p>
</main>`;
  return page(title, body, ["form-action 'none'"]);
}

export function page(title: string, body: string, policies: readonly string[]): BrowserStep {
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(STYLE)}`,
    ...policies,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    status: 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy.join("; "),
    },
    body: htmlPage({ title, style: STYLE, body }),
  };
}
