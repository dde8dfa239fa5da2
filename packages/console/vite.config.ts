import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

/** The text in index.html that the service replaces by the nonce of each response. */
const NONCE_PLACEHOLDER = "__CSP_NONCE__";

export default defineConfig({
  // Relative: the public URL of the service may have a path of its own.
  base: "./",
  plugins: [svelte()],
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
