/**
 * `npm start` runs the identity service, with a database in the user's data folder. With an argument it runs hamkit:
 * `npm start -- DH1TW` looks up a callsign, `npm start -- tour` runs example commands.
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
