/**
 * `npm run deb`: Debian packages of this checkout, in `release/debian`. `npm run deb -- hamkit` builds only the packages that are named.
 *
 * `--out=FOLDER` puts them elsewhere, `--version=VERSION` names another version, `--no-build` packs what was built before. Maintainer is
 * who DEBFULLNAME and DEBEMAIL name. The same checkout makes the same files: times are those of SOURCE_DATE_EPOCH, by default of the
 * last commit.
 */
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { commitDate } from "../packaging/commit-date.mjs";
import { nodeRuntime, NODE_VERSION } from "../packaging/node-runtime.mjs";
import { installFile, stage } from "../packaging/stage.mjs";
import { build, install, root, run } from "../prepare.mjs";
import { copyrightFile } from "./copyright.mjs";
import { bashCompletion, manualPage, readHelp } from "./manual.mjs";

const TEMPLATES = `${root}deploy/debian/`;
const { version: RELEASE } = JSON.parse(readFileSync(`${root}packages/identity/package.json`, "utf8"));

/** By package: what puts its files into `tree`, and returns what its copyright file lists. */
const PACKAGES = {
  "hamkit-identity": identityTree,
  hamkit: hamkitTree,
  "hamkit-nodejs": nodejsTree,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string", default: `${root}release/debian` },
    version: { type: "string", default: `${RELEASE}-1` },
    "no-build": { type: "boolean", default: false },
  },
});
const names = positionals.length === 0 ? Object.keys(PACKAGES) : positionals;
requireKnown(names);

process.umask(0o022);
if (!values["no-build"]) {
  install();
  build();
}
const date = commitDate();
const work = mkdtempSync(join(tmpdir(), "hamkit-deb-"));
try {
  const source = join(work, "hamkit");
  await writeSource(source);
  packSource(source);
  mkdirSync(values.out, { recursive: true });
  for (const file of readdirSync(work).filter((each) => each.endsWith(".deb"))) {
    copyFileSync(join(work, file), join(values.out, file));
    console.log(resolve(values.out, file));
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

function requireKnown(wanted) {
  const unknown = wanted.filter((name) => !Object.hasOwn(PACKAGES, name));
  if (unknown.length === 0) return;
  console.error(`Unknown package ${unknown.join(", ")}; expected ${Object.keys(PACKAGES).join(", ")}`);
  process.exit(2);
}

/** A folder as dpkg-buildpackage reads it, with the files of each package in `tree/NAME`. */
async function writeSource(source) {
  const debian = join(source, "debian");
  cpSync(TEMPLATES, debian, { recursive: true, filter: (path) => !path.endsWith(".sh") });
  copyFileSync(`${root}CHANGELOG.md`, join(source, "CHANGELOG.md"));
  const { DEBFULLNAME = "hamkit maintainers", DEBEMAIL = "maintainers@hamkit.invalid" } = process.env;
  const maintainer = `${DEBFULLNAME} <${DEBEMAIL}>`;
  const [head, ...paragraphs] = readFileSync(`${TEMPLATES}control`, "utf8").trimEnd().split("\n\n");
  const control = [head.replace("@MAINTAINER@", maintainer), ...paragraphs.filter(isOfWantedPackage)].join(
    "\n\n",
  );
  writeFileSync(join(debian, "control"), `${control}\n`);
  const entry = `  * Release ${RELEASE}: see changelog.gz for what is new.`;
  const day = date.toUTCString().replace("GMT", "+0000");
  writeFileSync(
    join(debian, "changelog"),
    `hamkit (${values.version}) unstable; urgency=medium\n\n${entry}\n\n -- ${maintainer}  ${day}\n`,
  );
  for (const name of names) {
    const tree = join(source, "tree", name);
    const copyright = await PACKAGES[name]({ debian, tree, name });
    writeFileSync(join(debian, `${name}.copyright`), copyright);
    writeFileSync(join(debian, `${name}.install`), `tree/${name}/* /\n`);
  }
  for (const file of readdirSync(debian).filter((each) => !belongsTo(each)))
    rmSync(join(debian, file), { recursive: true });
}

/** Of a paragraph of `control`. */
function isOfWantedPackage(paragraph) {
  return names.includes(/^Package: (.+)$/m.exec(paragraph)[1]);
}

/** debhelper would complain about files of packages that are not in `control`. */
function belongsTo(file) {
  const owner = Object.keys(PACKAGES).find((name) => file.startsWith(`${name}.`));
  return owner === undefined || names.includes(owner);
}

async function identityTree({ debian, tree, name }) {
  const lib = join(tree, "usr/lib/hamkit-identity");
  const packages = stage(name, lib);
  writeScript(join(lib, name), "launch.sh", {
    PROGRAM: "/usr/lib/hamkit-identity/node_modules/@hamkit/identity/dist/hamkit-identity.js",
  });
  const unit = readFileSync(`${root}deploy/hamkit-identity.service`, "utf8");
  writeScript(join(tree, "usr/bin", name), "hamkit-identity.sh", { ENVIRONMENT: environmentOf(unit) });
  writeFileSync(join(debian, `${name}.service`), installedUnit(unit));
  installFile(join(debian, `${name}.environment`), join(tree, "etc/hamkit-identity/environment"), 0o640);
  for (const file of ["haproxy.cfg", "nginx.conf", "prometheus/identity-alerts.yml", "grafana/identity.json"])
    installFile(`${root}deploy/${file}`, join(tree, "usr/share/doc/hamkit-identity/examples", file));
  await writeHelp({
    debian,
    name,
    main: `${root}packages/identity/dist/hamkit-identity.js`,
    summary: "identity service with the API of OpenStack Keystone",
    files: [
      ["/etc/hamkit-identity/environment", "Settings of the service, lines of NAME=VALUE."],
      ["/var/lib/hamkit-identity/", "The master key, and the database where that is SQLite."],
    ],
  });
  return copyrightFile(packages);
}

async function hamkitTree({ debian, tree, name }) {
  const lib = join(tree, "usr/lib/hamkit");
  const packages = stage(name, lib);
  writeScript(join(tree, "usr/bin", name), "launch.sh", {
    PROGRAM: "/usr/lib/hamkit/node_modules/hamkit/dist/cli/main.js",
  });
  const main = `${root}packages/hamkit/dist/cli/main.js`;
  await writeHelp({ debian, name, main, summary: "amateur radio on the command line" });
  const notice = "packages/hamkit/dist/THIRD-PARTY-LICENSES.txt";
  installFile(`${root}${notice}`, join(tree, "usr/share/doc/hamkit/THIRD-PARTY-LICENSES.txt"));
  const data = readFileSync(`${root}packages/country-data/LICENSE`, "utf8");
  return copyrightFile(packages, [
    {
      files: "packages/country-data/* packages/hamkit/data/*",
      copyright: [...data.matchAll(/^Copyright (.*)$/gim)].map(([, owner]) => owner).join("\n"),
      license: "MIT",
      text: readFileSync(`${root}LICENSE`, "utf8")
        .replaceAll(/^Copyright.*$/gm, "")
        .trim(),
      comment: "THIRD-PARTY-LICENSES.txt has the licenses of zones, counties and other data.",
    },
  ]);
}

function nodejsTree({ tree, name }) {
  const folder = nodeRuntime();
  installFile(join(folder, "bin/node"), join(tree, "usr/lib/hamkit-nodejs/bin/node"), 0o755);
  installFile(join(folder, "LICENSE"), join(tree, `usr/share/doc/${name}/LICENSE.node`));
  return copyrightFile(
    [],
    [
      {
        files: "usr/lib/hamkit-nodejs/bin/node",
        copyright: "Node.js contributors, Joyent, Inc. and other Node contributors",
        license: "node",
        text: "Node.js is licensed for use as its file LICENSE states, which is\n/usr/share/doc/hamkit-nodejs/LICENSE.node.gz. That file has the licenses of the libraries\nthat are part of the binary, too: V8, OpenSSL, libuv, ICU, zlib, SQLite and others.",
        comment: `Node.js ${NODE_VERSION}, as the package node-linux-${process.arch} of npm has it.`,
      },
    ],
  );
}

/** Manual page and completion, where debhelper expects them. */
async function writeHelp({ debian, name, main, summary, files }) {
  const help = await readHelp(name, main);
  const page = manualPage(help, { date: date.toISOString().slice(0, 10), version: RELEASE, summary, files });
  writeFileSync(join(debian, `${name}.1`), page);
  writeFileSync(join(debian, `${name}.manpages`), `debian/${name}.1\n`);
  const completion = join(debian, "..", "tree", name, "usr/share/bash-completion/completions", name);
  mkdirSync(join(completion, ".."), { recursive: true });
  writeFileSync(completion, bashCompletion(help));
}

/** A script of `deploy/debian`, with `@NAME@` filled in. */
function writeScript(path, template, variables) {
  installFile(`${TEMPLATES}${template}`, path, 0o755);
  const text = readFileSync(path, "utf8").replaceAll(/@([A-Z]+)@/g, (_, name) => variables[name]);
  writeFileSync(path, text);
}

/** The variables of the unit, as lines of the script for the command line. */
function environmentOf(unit) {
  const pairs = [...unit.matchAll(/^Environment=(.+)$/gm)].flatMap(([, words]) => words.split(" "));
  return pairs.map((pair) => `use ${pair.replace("=", " '")}'`).join("\n");
}

/** The unit without the instructions for a manual installation, and with the program's place in the package. */
function installedUnit(unit) {
  const lines = unit.slice(unit.indexOf("[Unit]")).split("\n");
  const start = lines.filter((line) => line.startsWith("ExecStart="));
  if (start.length !== 1) throw new Error(`the unit has ${start.length} lines ExecStart=, expected 1`);
  return lines
    .map((line) => (line === start[0] ? "ExecStart=/usr/lib/hamkit-identity/hamkit-identity serve" : line))
    .map((line) => (line.startsWith("Documentation=") ? `${line} man:hamkit-identity(1)` : line))
    .join("\n");
}

function packSource(source) {
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(date.getTime() / 1000), LC_ALL: "C.UTF-8" };
  const { status, stdout, stderr, error } = run(
    "env",
    ["--chdir", source, "dpkg-buildpackage", "--build=binary", "--no-sign", "--no-check-builddeps"],
    { stdio: ["ignore", "pipe", "pipe"], env },
  );
  if (status === 0) return;
  console.error(`${stdout}${stderr}${error ?? ""}`);
  console.error("dpkg-buildpackage failed; it needs Debian's packages dpkg-dev and debhelper");
  process.exit(1);
}
