/**
 * `npm start` runs the identity service, with a database in the user's data folder. `npm start -- radio` serves the radio page (`hamkit serve`). With
 * other arguments it runs hamkit with them: `npm start -- path JN48QM FN31PR`, `npm start -- DH1TW`, `npm start -- tour`.
 */
import { build, install, root, run } from "./prepare.mjs";

install();
build();
const words = process.argv.slice(2);
if (words.length === 0)
  console.error("Starting the identity service. Amateur radio: npm start -- radio, or npm start -- DH1TW");
const [first, ...others] = words;
const [program, args] =
  first === undefined
    ? ["identity/dist/hamkit-identity.js", ["serve"]]
    : first === "radio"
      ? [
          "hamkit/dist/cli/main.js",
          ["serve", ...(/^\d+$/.test(others[0] ?? "") ? ["--port", ...others] : others)],
        ]
      : ["hamkit/dist/cli/main.js", words];
// As in deploy/hamkit-identity.service.
const env = { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: "131072", ...process.env };
process.exitCode = run(process.execPath, [`${root}packages/${program}`, ...args], { env }).status ?? 1;
