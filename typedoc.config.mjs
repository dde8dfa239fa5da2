/** The API reference: every public module of hamkit, into a folder that is not kept. `npm run docs` makes it. */
import { readFileSync } from "node:fs";

const { exports } = JSON.parse(
  readFileSync(new URL("packages/hamkit/package.json", import.meta.url), "utf8"),
);

/** @type {import("typedoc").TypeDocOptions} */
const options = {
  name: "hamkit",
  tsconfig: "packages/hamkit/tsconfig.json",
  // The root module comes last: names that several modules have are described with the others.
  entryPoints: Object.values(exports)
    .flatMap((target) => (typeof target === "object" ? [target.default] : []))
    .map((path) => `packages/hamkit/${path.replace(/^\.\/dist\/(.*)\.js$/, "src/$1.ts")}`)
    .toSorted((a, b) => Number(a.endsWith("/index.ts")) - Number(b.endsWith("/index.ts"))),
  preservedTypeAnnotationTags: ["@throws"],
  out: "api",
  readme: "none",
  favicon: "packages/radio-page/public/icon.svg",
  navigation: { includeFolders: false },
  // In the website, which has the guides.
  ...(process.env.SITE_BASE !== undefined && {
    navigationLinks: { "hamkit and identity": `${process.env.SITE_BASE}hamkit.html` },
  }),
  sort: ["source-order"],
  excludePrivate: true,
  githubPages: false,
  // A clone need not know where it came from.
  disableSources: true,
  // Fields of records say by their names what they are; everything else has to be explained.
  requiredToBeDocumented: [
    "Module",
    "Variable",
    "Function",
    "Class",
    "Interface",
    "Method",
    "Accessor",
    "TypeAlias",
  ],
  packagesRequiringDocumentation: ["hamkit"],
  // Words that types are made of, and insides that are hidden behind a symbol.
  intentionallyNotExported: [
    "CODES",
    "CallIndex",
    "HamkitErrorFacts",
    "PROJECTIONS",
    "THEMES",
    "ValueErrorCode",
  ],
  validation: { notExported: true, invalidLink: true, notDocumented: true, rewrittenLink: true },
  treatWarningsAsErrors: true,
  treatValidationWarningsAsErrors: true,
};

export default options;
