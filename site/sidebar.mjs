/** The two products' pages in their order. Pages that are not listed follow in a group of their own: a new page is never lost. */
import { readdirSync, readFileSync } from "node:fs";

export const NAVIGATION = [
  { text: "hamkit", link: "/hamkit", activeMatch: "^/(?!identity/|console|playground|index|$)" },
  { text: "identity", link: "/identity/", activeMatch: "^/(?:identity/|console)" },
  {
    text: "References",
    items: [
      { text: "API of hamkit", link: "/api/index.html", target: "_self" },
      { text: "API of identity", link: "/identity/api" },
      { text: "Commands of hamkit", link: "/command-line" },
      { text: "Settings of identity", link: "/identity/configuration" },
      { text: "Error codes of identity", link: "/identity/error-codes" },
    ],
  },
  { text: "Playground", link: "/playground" },
];

const HAMKIT = {
  Start: ["hamkit", "playground", "command-line", "migration", "differences"],
  "In a program": ["guide-logger", "guide-cluster", "guide-skimmer", "guide-web-map", "guide-radio-page"],
  Callsigns: ["guide-explain", "guide-offline", "guide-shared-store", "band-plan"],
  Logs: [
    "guide-logs",
    "guide-contest",
    "guide-awards",
    "guide-merge",
    "guide-uploads",
    "guide-n1mm",
    "guide-wsjtx",
  ],
  "Maps and places": ["guide-map", "guide-places", "guide-satellites", "guide-moon"],
};

const IDENTITY = {
  Start: [
    "README",
    "installing",
    "kubernetes",
    "operating",
    "configuration",
    "upgrading",
    "backup",
    "../console",
  ],
  Operators: [
    "log",
    "login-limits",
    "passwords",
    "bootstrap",
    "cluster",
    "postgresql",
    "monitoring",
    "capacity",
    "scale",
    "connecting-services",
    "heat",
    "ldap",
    "limits",
    "policy",
    "policy-rules",
    "failed-logins",
    "error-codes",
  ],
  Moving: ["moving-a-cloud", "moving-from-keystone", "differences"],
  Federation: [
    "openid-connect",
    "openid-connect-programs",
    "saml",
    "workloads",
    "mappings",
    "protocol-checks",
    "failed-federated-logins",
    "test-logins",
    "scim",
    "federation-as-code",
    "front-end",
  ],
  Providers: [
    "keycloak",
    "okta",
    "entra-id",
    "google",
    "adfs",
    "authentik",
    "zitadel",
    "gitlab",
    "shibboleth",
    "simplesamlphp",
    "keystone",
    "kubernetes",
    "github-actions",
    "spiffe",
  ].map((name) => `providers/${name}`),
  "Developers and auditors": [
    "api",
    "delegation",
    "catalog-filters",
    "tempest",
    "events",
    "sessions",
    "passkeys",
    "keystone-cves",
  ],
};

/** @param docs The folder of the pages. */
export function sidebars(docs) {
  const listed = (groups, folder) =>
    Object.entries(groups).map(([text, names]) =>
      group(
        text,
        names.map((name) => `${folder}${name}`),
      ),
    );
  const group = (text, paths) => ({
    text,
    items: paths.map((path) => ({ text: titleOf(docs, path), link: linkOf(path) })),
  });
  const hamkit = listed(HAMKIT, "");
  const identity = listed(IDENTITY, "identity/");
  const known = new Set([...hamkit, ...identity].flatMap(({ items }) => items.map(({ link }) => link)));
  const others = pagesOf(docs).filter((path) => path !== "README" && !known.has(linkOf(path)));
  const rest = (pattern) => others.filter((path) => pattern.test(path));
  return {
    "/identity/": [...identity, group("More", rest(/^identity\//))].filter(hasItems),
    "/console": [...identity],
    "/": [
      ...hamkit,
      group("Commands", rest(/^commands\//)),
      group("More", rest(/^(?!identity\/|decisions\/|releases\/|commands\/)/)),
      group("Releases", rest(/^releases\//).toReversed()),
      group("Decisions", rest(/^decisions\//)),
    ].filter(hasItems),
  };
}

const hasItems = ({ items }) => items.length > 0;

function pagesOf(docs) {
  return readdirSync(docs, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".md"))
    .map((path) => path.replace(/\.md$/, ""))
    .sort();
}

function titleOf(docs, path) {
  return (/^# (.*)$/m.exec(readFileSync(`${docs}/${path}.md`, "utf8"))?.[1] ?? path).replaceAll("`", "");
}

/** `identity/../console` is `/console`, and a README is the index of its folder. */
function linkOf(path) {
  return new URL(path, "https://site/").pathname.replace(/README$/, "");
}
