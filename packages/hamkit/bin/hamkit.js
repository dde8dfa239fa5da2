#!/usr/bin/env node
// npm links commands at `npm ci`, before dist/ is built: this file exists by then.
import { existsSync } from "node:fs";

const program = new URL("../dist/cli/main.js", import.meta.url);
if (existsSync(program)) await import(program.href);
else {
  process.stderr.write(
    "hamkit is not built: run `npm run build` in the repository, or `npm start -- COMMAND`\n",
  );
  process.exitCode = 1;
}
