/** Serves the built page on loopback: `npm start -- radio [PORT]`. */
import { fileURLToPath } from "node:url";

import { preview } from "vite";

const [port = "8080"] = process.argv.slice(2);
if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
  console.error(`Invalid port ${JSON.stringify(port)}; expected a number from 0 to 65535`);
  process.exit(2);
}
const server = await preview({
  configFile: fileURLToPath(new URL("../vite.config.mjs", import.meta.url)),
  preview: { host: "127.0.0.1", port: Number(port) },
});
const [url] = server.resolvedUrls?.local ?? [];
console.log(`The radio page is at ${url}`);
console.log("Ctrl+C ends it.");
