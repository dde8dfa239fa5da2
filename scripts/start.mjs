/**
 * `npm start` runs the identity service, on a database of its own in the user's folder for data. With a word behind it, it is
 * hamkit that answers: `npm start -- DH1TW` tells what it knows of a call, `npm start -- tour` shows what it can do.
 */
import { build, install, root, run } from "./prepare.mjs";

install();
build();
const words = process.argv.slice(2);
const [program, args] =
  words.length === 0
    ? ["identity/dist/hamkit-identity.js", ["serve"]]
    : ["hamkit/dist/cli/main.js", words[0] === "tour" ? ["tour"] : ["call", ...words]];
process.exitCode = run(process.execPath, [`${root}packages/${program}`, ...args]).status ?? 1;
