/** `npm start -- DH1TW` tells what hamkit knows of a call; `npm start` alone gives a short tour. */
import { build, install, root, run } from "./prepare.mjs";

install();
build();
const words = process.argv.slice(2);
const args = words.length === 0 ? ["tour"] : ["call", ...words];
process.exitCode = run(process.execPath, [`${root}packages/hamkit/dist/cli/main.js`, ...args]).status ?? 1;
