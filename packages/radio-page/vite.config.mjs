import { defineConfig } from "vite";

import { leaveOutEllipsoid } from "./scripts/leave-out-ellipsoid.mjs";
import { collectLicenses, writeLicenses } from "./scripts/licenses.mjs";
import { writeServiceWorker } from "./scripts/service-worker-plugin.mjs";

export default defineConfig({
  root: import.meta.dirname,
  // Relative: the page may be in any folder of a server.
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [leaveOutEllipsoid(), collectLicenses(), writeLicenses(), writeServiceWorker()],
  worker: {
    format: "es",
    // One chunk of what several parts share, rather than many of a few hundred bytes.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "shared", minShareCount: 2 }] } } },
    plugins: () => [leaveOutEllipsoid(), collectLicenses()],
  },
  build: { target: "es2023", modulePreload: { polyfill: false }, reportCompressedSize: false },
  logLevel: "warn",
});
