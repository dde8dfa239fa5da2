/** What browsers show on their way to a dashboard. */
import { createHash } from "node:crypto";

import { escapeHtml } from "../../platform/text/html.js";
import type { BrowserStep } from "../assertion-verifier.js";

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 4rem auto; max-width: 32rem; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
ul { padding: 0; list-style: none; }
a, input[type="submit"] {
  display: block; box-sizing: border-box; width: 100%; margin: 0.75rem 0; padding: 0.75rem 1rem; font: inherit;
  text-align: center; border: 1px solid; border-radius: 0.5rem; overflow-wrap: anywhere;
}
`;

/** Goes on at once where scripts run; the button is for everybody else. */
const SCRIPT = `document.getElementById("sso").submit();`;

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The page that posts a token to a dashboard, in the field that Keystone's has. */
export function handOverPage(origin: string, token: string): BrowserStep {
  const body = `<form id="sso" name="sso" action="${escapeHtml(origin)}" method="post">
<h1>You are logged in</h1>
<p>You are being sent on to your dashboard.<br></p>
<noscript><p>Your browser runs no scripts: please press the button.</p></noscript>
<input type="hidden" name="token" id="token" value="${escapeHtml(token)}">
<input type="submit" value="Continue">
</form>
<script type="text/javascript">${SCRIPT}</script>`;
  return page("Logging in", body, [`script-src ${hashOf(SCRIPT)}`, `form-action ${new URL(origin).origin}`]);
}

/** A way in, as somebody may choose it. */
export interface Choice {
  readonly name: string;
  readonly url: string;
}

/** The page that asks which provider somebody wants to log in by. */
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

/** Why a browser goes no further. */
export interface BrowserRefusal {
  readonly status: number;
  readonly message: string;
  /** By which the log tells more. */
  readonly requestId: string;
}

/** The page that somebody sees who is not let in. */
export function refusalPage({ status, message, requestId }: BrowserRefusal): BrowserStep {
  const body = `<main>
<h1>You are not logged in</h1>
<p>${escapeHtml(message)}</p>
<p>Please go back to where you came from, and begin again. Whoever runs this service finds out why by this:</p>
<p><code>${escapeHtml(requestId)}</code></p>
</main>`;
  return { ...page("You are not logged in", body, ["form-action 'none'"]), status };
}

function page(title: string, body: string, policies: readonly string[]): BrowserStep {
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
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`,
  };
}
