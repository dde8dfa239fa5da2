import { fileURLToPath } from "node:url";

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

/** The text in index.html that the service replaces by the nonce of each response. */
const NONCE_PLACEHOLDER = "__CSP_NONCE__";

/** The components of bits-ui in use, by folder. */
const PRIMITIVES = { Combobox: "combobox", Dialog: "dialog" };

/** The whole package is 350 modules to compile, for those few that remain: its entry is replaced by one with the components in use. */
function primitives(): Plugin {
  const entry = "\0primitives";
  return {
    name: "primitives",
    enforce: "pre",
    resolveId: (id) => (id === "bits-ui" ? entry : undefined),
    load: (id) =>
      id === entry
        ? Object.entries(PRIMITIVES)
            .map(
              ([name, folder]) => `export { ${name} } from "${packageFolder}dist/bits/${folder}/index.js";`,
            )
            .join("\n")
        : undefined,
  };
}

const packageFolder = fileURLToPath(new URL(".", import.meta.resolve("bits-ui"))).replace(/dist\/$/, "");

export default defineConfig({
  // Relative: the public URL of the service may have a path of its own.
  base: "./",
  plugins: [primitives(), svelte()],
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
