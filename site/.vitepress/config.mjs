/** The website: the pages of docs/ as they are, two products, with the references of both. `npm run site` builds it into site/dist. */
import { fileURLToPath } from "node:url";

import { defineConfig } from "vitepress";

import { renderDiagrams } from "../diagrams.mjs";
import { homePage } from "../home.mjs";
import { headingId, rewriteLinks } from "../links.mjs";
import { SEARCH } from "../search.mjs";
import { NAVIGATION, sidebars } from "../sidebar.mjs";

const absolute = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export default defineConfig({
  title: "hamkit and identity",
  description:
    "Amateur radio in TypeScript, and an identity service with the HTTP API of OpenStack Keystone v3",
  base: process.env.SITE_BASE ?? "/",
  srcDir: "../docs",
  outDir: "./dist",
  cleanUrls: false,
  rewrites: {
    "README.md": "index.md",
    "identity/README.md": "identity/index.md",
    "releases/README.md": "releases/index.md",
  },
  lastUpdated: false,
  ignoreDeadLinks: "localhostLinks",
  // Below 150 kB for the first page: nothing is loaded before someone asks for it.
  router: { prefetchLinks: false },
  metaChunk: true,
  head: [["link", { rel: "icon", href: "data:," }]],
  markdown: {
    // Whose comments and keywords have enough contrast.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    anchor: { slugify: headingId },
    image: { lazyLoading: true },
    config: (markdown) => {
      renderDiagrams(markdown);
      rewriteLinks(markdown);
      keepBraces(markdown);
      breakNames(markdown);
    },
  },
  transformPageData: homePage,
  themeConfig: {
    nav: NAVIGATION,
    sidebar: sidebars(absolute("docs")),
    outline: { level: [2, 3] },
    search: { provider: "local", options: { miniSearch: SEARCH } },
    docFooter: { prev: false, next: false },
  },
  vite: {
    // Rules of mappings are read in slices by a server; in a browser one turn is enough.
    resolve: { alias: { "node:timers/promises": absolute("site/one-turn.mjs") } },
    server: { fs: { allow: [absolute("")] } },
    build: { chunkSizeWarningLimit: 4000 },
  },
});

/** Two braces in code are no template. */
function keepBraces(markdown) {
  markdown.core.ruler.push("keep-braces", ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? []))
      if (token.type === "code_inline") token.attrSet("v-pre", "");
  });
}

/** Long names may break behind an underscore, so that columns fit. */
function breakNames(markdown) {
  const render = markdown.renderer.rules.code_inline;
  markdown.renderer.rules.code_inline = (...args) =>
    render(...args).replaceAll(/>([^<]*)</g, (_, text) => `>${text.replaceAll("_", "_<wbr>")}<`);
}
