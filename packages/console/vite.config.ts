import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { Marked, Renderer } from "marked";
import { defineConfig, type Plugin } from "vite";

/** The text in index.html that the service replaces by the nonce of each response. */
const NONCE_PLACEHOLDER = "__CSP_NONCE__";

const DOCS = fileURLToPath(new URL("../../docs/identity/", import.meta.url));

/** Pages of the documentation as HTML: `import html from ".../okta.md?page"`. Links to others name them in `data-page`. */
const documentation: Plugin = {
  name: "documentation",
  enforce: "pre",
  load(id) {
    const [file = "", query] = id.split("?");
    if (query !== "page" || !file.endsWith(".md")) return undefined;
    const plain = new Renderer();
    const renderer = {
      link(address: string, title: string | null | undefined, text: string): string {
        if (/^(https?:|#)/.test(address)) return plain.link(address, title, text);
        const [path = ""] = address.split("#");
        return `<a data-page="${relative(DOCS, resolve(dirname(file), path)).replace(/\.md$/, "")}">${text}</a>`;
      },
      image: () => "",
    };
    const html = new Marked({ renderer }).parse(readFileSync(file, "utf8"), { async: false });
    return `export default ${JSON.stringify(html)};`;
  },
};

export default defineConfig({
  // Relative: the public URL of the service may have a path of its own.
  base: "./",
  plugins: [documentation, svelte()],
  html: { cspNonce: NONCE_PLACEHOLDER },
  build: {
    target: ["chrome123", "firefox128", "safari17.5"],
    modulePreload: { polyfill: false },
    // Small files would become data: URLs, which the Content-Security-Policy rejects.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    manifest: true,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
});
