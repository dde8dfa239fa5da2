/**
 * Import directions, from ARCHITECTURE in docs/architecture.md: each folder lists what it may import.
 * What a folder may not import is everything else of ours.
 */
const hamkit = "^packages/hamkit/src/";

/** Folder (or file) under packages/hamkit/src -> the folders and files it may reach besides itself. */
const allowed = {
  "show-value\\.ts": [],
  "errors\\.ts": ["show-value\\.ts"],
  "rule-form\\.ts": ["show-value\\.ts"],
  "geo/": ["errors\\.ts"],
  "sun/": ["geo/", "errors\\.ts"],
  "moon/": ["geo/"],
  "bands/": ["errors\\.ts"],
  "callsign/": ["errors\\.ts"],
  "lookup/": ["callsign/", "geo/", "errors\\.ts"],
  "io/": ["errors\\.ts"],
  "logs/": ["lookup/", "callsign/", "geo/", "bands/", "errors\\.ts", "show-value\\.ts"],
  "adif/": ["logs/adif-text/", "logs/log\\.ts", "errors\\.ts", "show-value\\.ts"],
  "zones/": ["geo/", "errors\\.ts"],
  "places/": ["geo/", "errors\\.ts"],
  "references/": ["geo/", "io/", "errors\\.ts", "show-value\\.ts"],
  "map/": [
    "places/generated/",
    "lookup/",
    "geo/",
    "sun/",
    "zones/",
    "logs/log\\.ts",
    "logs/annotation/qso-query\\.ts",
    "errors\\.ts",
  ],
  "awards/": [
    "adif/tables/",
    "adif/parse-adif\\.ts",
    "references/(comment|renamed)-references\\.ts",
    "callsign/",
    "lookup/",
    "bands/",
    "geo/",
    "errors\\.ts",
    "rule-form\\.ts",
    "show-value\\.ts",
  ],
  "contest/": [
    "awards/units/",
    "logs/",
    "callsign/",
    "lookup/",
    "bands/",
    "geo/",
    "errors\\.ts",
    "rule-form\\.ts",
    "show-value\\.ts",
  ],
  "satellites/": ["geo/", "sun/", "io/", "errors\\.ts", "show-value\\.ts"],
  "uploads/": [
    "adif/parse-adif\\.ts",
    "awards/contacts/mode-group\\.ts",
    "satellites/satellite-names\\.ts",
    "callsign/",
    "bands/",
    "io/",
    "errors\\.ts",
    "show-value\\.ts",
  ],
  "n1mm/": ["adif/parse-adif\\.ts", "bands/", "io/", "errors\\.ts"],
  "merge/": ["adif/parse-adif\\.ts", "awards/contacts/mode-group\\.ts", "bands/", "errors\\.ts"],
  "scp/": ["errors\\.ts", "show-value\\.ts"],
  "spots/": ["lookup/", "geo/", "sun/", "errors\\.ts", "show-value\\.ts"],
  "feeds/": [
    "references/comment-references\\.ts",
    "spots/",
    "lookup/",
    "bands/",
    "geo/",
    "text/",
    "io/",
    "errors\\.ts",
  ],
  "wsjtx/": ["callsign/", "io/", "errors\\.ts"],
  "user-lists/": ["io/", "errors\\.ts", "show-value\\.ts"],
  "text/": [],
  "country-file/": ["lookup/", "io/", "text/", "errors\\.ts", "show-value\\.ts"],
  "log-xml/": ["lookup/", "io/", "text/", "errors\\.ts", "show-value\\.ts"],
  "log-api/": ["lookup/", "country-file/", "io/", "errors\\.ts", "show-value\\.ts"],
  "callbook/": ["lookup/", "io/", "text/", "errors\\.ts", "show-value\\.ts"],
  "kvstore/": ["lookup/", "io/", "errors\\.ts", "show-value\\.ts"],
};

const identity = "^packages/identity/src/";

/**
 * Folders of packages/identity/src from the general to the specific: each may import those before it, and nothing behind it.
 * Features of one line don't import each other.
 */
const identityOrder = [
  ["platform/"],
  ["policy/"],
  ["catalog/", "projects/", "mappings/", "passwords/", "saml/"],
  [
    "groups/",
    "identity-providers/",
    "service-providers/",
    "limits/",
    "endpoint-filter/",
    "stored-policies/",
    "domain-config/",
  ],
  ["users/"],
  ["directories/", "events/"],
  ["roles/"],
  ["grants/"],
  ["assignments/"],
  ["application-credentials/", "credentials/", "oauth1/", "trusts/"],
  ["passkeys/"],
  ["tokens/"],
  ["auth/"],
  ["federation/"],
  ["workbench/", "k2k/", "oauth2/", "console/", "scim/"],
  ["sessions/", "federation-document/"],
];

/** What an area is, and the type of the settings. */
const AREA = ["area\\.ts", "config-options\\.ts"];

const identityDirections = identityOrder.flatMap((line, index) =>
  line.map((from) => ({
    name: `identity-${from.replace("/", "")}-imports`,
    comment: `${from} may import only what comes before it`,
    severity: "error",
    from: { path: `${identity}${from}` },
    to: {
      path: identity,
      pathNot: [from, ...identityOrder.slice(0, index).flat(), ...AREA].map(
        (target) => `${identity}${target}`,
      ),
    },
  })),
);

/** Folders of packages/identity/src around the features: what each may import, and from where it may be imported. */
const identityShell = [
  {
    folder: "migrations/",
    imports: ["platform/"],
    importedBy: ["migrated-database\\.ts", "doctor/", "commands/", "import-support/"],
  },
  {
    folder: "workers/",
    imports: ["platform/"],
    importedBy: ["serve\\.ts", "main\\.ts", "key-wait\\.ts", "commands/"],
  },
  {
    folder: "doctor/",
    imports: [
      "platform/",
      "migrations/",
      "config\\.ts",
      "sealed-secrets\\.ts",
      "master-key-of\\.ts",
      "[a-z0-9-]+/[a-z0-9-]+-store\\.ts",
      "console/overview/replica-store\\.ts",
      "tokens/imported/imported-key-store\\.ts",
      "tokens/signing-keys\\.ts",
      "credentials/credential\\.ts",
      "mappings/mapping\\.ts",
      "identity-providers/(?:identity-provider|protocols/protocol-store)\\.ts",
      "mappings/rules/",
      "areas\\.ts",
      "policy/deletions\\.ts",
      "federation/protocols/saml2/threads/reader-threads\\.ts",
      "identity-providers/protocols/(?:protocol-report|private-parts)\\.ts",
      "federation/protocols/(?:openid/openid|saml2/saml2)-settings\\.ts",
      "federation/leeway\\.ts",
      "users/federated/merged-users\\.ts",
      "public-url\\.ts",
      "users/multi-factor-rules\\.ts",
      "auth/auth-methods\\.ts",
    ],
    importedBy: ["commands/"],
  },
  {
    folder: "import-support/",
    imports: [""],
    // Only the package identity-import does, through `exports`.
    importedBy: [],
  },
  { folder: "commands/", imports: [""], importedBy: ["program\\.ts", "main\\.ts", "import-support/"] },
];

const identityEdges = identityShell.flatMap(({ folder, imports, importedBy }) => {
  const name = folder.replace("/", "");
  const own = `${identity}${folder}`;
  return [
    {
      name: `identity-${name}-imports`,
      comment: `${folder} may import only: ${imports.join(", ")}`,
      severity: "error",
      from: { path: own },
      to: { path: identity, pathNot: [own, ...imports.map((target) => `${identity}${target}`)] },
    },
    {
      name: `identity-${name}-imported-by`,
      comment: `${folder} may be imported only by: ${importedBy.join(", ")}`,
      severity: "error",
      from: { path: identity, pathNot: [own, ...importedBy.map((source) => `${identity}${source}`)] },
      to: { path: own },
    },
  ];
});

const identityImport = "^packages/identity-import/src/";

/** Folders of packages/identity-import/src: what each may import besides itself. */
const importFolders = { "import/": [], "export/": ["import/"], "commands/": ["import/", "export/"] };
const importDirections = Object.entries(importFolders).map(([from, targets]) => ({
  name: `identity-import-${from.replace("/", "")}-imports`,
  severity: "error",
  from: { path: identityImport + from },
  to: { path: identityImport, pathNot: [from, ...targets].map((each) => identityImport + each) },
}));

const directions = Object.entries(allowed).map(([from, targets]) => ({
  name: `hamkit-${from.replace(/[\\/]|\.ts/g, "")}-imports`,
  comment: `${from} may import only: ${targets.join(", ") || "nothing of ours"}`,
  severity: "error",
  from: { path: `${hamkit}${from}` },
  to: { path: hamkit, pathNot: [from, ...targets].map((target) => `${hamkit}${target}`) },
}));

const console_ = "^packages/console/src/";

/** Folders of packages/console/src: what each may import besides itself. Page groups don't import each other. */
const consoleFolders = {
  "api/": [],
  // Problem shows the API's errors.
  "ui/": ["api/errors\\.ts"],
  // The list of pages loads them on demand.
  "app/": ["api/", "ui/", "pages/"],
  "parts/": ["api/", "ui/", "app/"],
  "pages/([a-z0-9-]+)/": ["api/", "ui/", "app/", "parts/", "pages/$1/"],
};
const consoleDirections = Object.entries(consoleFolders).map(([from, targets]) => ({
  name: `console-${from.split("/", 1)[0]}-imports`,
  severity: "error",
  from: { path: console_ + from },
  to: {
    path: console_,
    pathNot: [...(from.includes("(") ? [] : [from]), ...targets].map((each) => console_ + each),
  },
}));

module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      comment: "Imports go from the specific to the general, never around in a ring.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    ...directions,
    ...identityDirections,
    ...identityEdges,
    ...importDirections,
    {
      name: "identity-import-imports-what-identity-exports",
      severity: "error",
      from: { path: identityImport },
      to: {
        path: "^packages/identity/",
        pathNot: "^packages/identity/dist/import-support/[a-z-]+\\.d\\.ts$",
      },
    },
    {
      name: "identity-does-not-import-identity-import",
      comment: "It loads the package by its name, when one of its commands is called.",
      severity: "error",
      from: { path: "^packages/identity/" },
      to: { path: "^packages/identity-import/" },
    },
    {
      name: "products-do-not-know-each-other",
      severity: "error",
      from: { path: "^packages/(hamkit|identity)(-import)?/" },
      to: { path: "^packages/(hamkit|identity)(-import)?/", pathNot: "^packages/$1(-import)?/" },
    },
    {
      name: "nothing-imports-the-radio-page",
      severity: "error",
      from: { path: "^packages/", pathNot: "^packages/radio-page/" },
      to: { path: "^packages/radio-page/" },
    },
    {
      name: "the-radio-page-imports-public-modules",
      severity: "error",
      from: { path: "^packages/radio-page/src/" },
      to: {
        path: "^packages/(hamkit|identity|identity-import|country-data)/",
        pathNot: "^packages/hamkit/dist/[a-z]+\\.(js|d\\.ts)$",
      },
    },
    {
      name: "pure-folders-run-in-a-browser",
      comment: "Nothing under these folders imports a node: module.",
      severity: "error",
      from: {
        path: `${hamkit}(geo|sun|moon|bands|callsign|lookup|logs|map|scp|spots)/|${hamkit}errors\\.ts`,
      },
      to: { dependencyTypes: ["core"] },
    },
    ...consoleDirections,
    {
      name: "only-the-command-line-imports-node",
      comment:
        "Everything else loads in a browser. io/ asks for Node's modules when it uses them: io/node-modules.ts.",
      severity: "error",
      from: { path: hamkit, pathNot: `${hamkit}(cli/|io/node-modules\\.ts)` },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "only-io-touches-network-and-disk",
      severity: "error",
      from: { path: hamkit, pathNot: `${hamkit}io/` },
      to: { path: `${hamkit}io/node-modules\\.ts` },
    },
    {
      name: "only-the-command-line-imports-itself",
      severity: "error",
      from: { path: hamkit, pathNot: `${hamkit}cli/` },
      to: { path: `${hamkit}cli/` },
    },
    {
      name: "only-the-country-file-source-knows-the-embedded-data",
      severity: "error",
      from: { path: hamkit, pathNot: `${hamkit}country-file/` },
      to: { path: "country-data" },
    },
    {
      name: "country-data-stands-alone",
      severity: "error",
      from: { path: "^packages/country-data/src/" },
      to: { pathNot: "^packages/country-data/src/" },
    },
    {
      name: "nothing-imports-the-console",
      severity: "error",
      from: { path: "^packages/(?!console/)" },
      to: { path: "^packages/console/" },
    },
    {
      name: "products-do-not-import-tests",
      severity: "error",
      from: { path: "^packages/[^/]+/src/" },
      to: { path: "^packages/[^/]+/test/" },
    },
    {
      name: "everything-resolves",
      severity: "error",
      from: { pathNot: "^packages/radio-page/src/" },
      to: { couldNotResolve: true },
    },
    {
      name: "the-radio-page-resolves",
      comment: "Components are .tsx, which only the compiler finds for .js.",
      severity: "error",
      from: { path: "^packages/radio-page/src/" },
      to: { couldNotResolve: true, pathNot: "^\\.{1,2}/.*[A-Z][A-Za-z]+\\.js$" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(dist|\\.tsbuild|\\.examples)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.base.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["types", "import", "node", "default"],
      extensions: [".ts", ".tsx", ".js", ".mjs", ".d.ts"],
    },
  },
};
