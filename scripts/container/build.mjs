/**
 * `npm run image`: an image of the identity service without a registry: Node of npm, three libraries of Debian and the program, and no
 * shell, in `release/hamkit-identity-VERSION.tar`, which `podman load` and `docker load` read. Next to it is the list of its parts.
 *
 * Needs root, apt's packages and `buildah`. `--out=FOLDER` writes elsewhere, `--no-build` takes what was built before. It runs as
 * deploy/Containerfile does: same user, settings and folder for data.
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { nodeRuntime, NODE_VERSION } from "../packaging/node-runtime.mjs";
import { partsList } from "../packaging/sbom.mjs";
import { commitDate } from "../packaging/commit-date.mjs";
import { installFile, stage } from "../packaging/stage.mjs";
import { build, install, root, run } from "../prepare.mjs";

/** What Node and the native packages are linked with. */
const LIBRARIES = ["libc6", "libgcc-s1", "libstdc++6"];
const USER = "1000";

const { values } = parseArgs({
  options: {
    out: { type: "string", default: `${root}release` },
    "no-build": { type: "boolean", default: false },
  },
});
const { version } = JSON.parse(readFileSync(`${root}packages/identity/package.json`, "utf8"));
process.umask(0o022);
if (!values["no-build"]) {
  install();
  build();
}
const date = commitDate();
const work = mkdtempSync(join(tmpdir(), "hamkit-image-"));
try {
  const layer = join(work, "layer");
  const libraries = addLibraries(layer);
  addProgram(layer);
  const parts = partsList(["@hamkit/identity", "@hamkit/identity-import"], {
    folder: root,
    date,
    components: [...libraries, nodeComponent()],
  });
  const name = `hamkit-identity-${version}`;
  mkdirSync(values.out, { recursive: true });
  writeFileSync(join(values.out, `${name}.cdx.json`), parts);
  mkdirSync(join(layer, "usr/share/sbom"));
  writeFileSync(join(layer, "usr/share/sbom/hamkit-identity.cdx.json"), parts);
  makeImage(archive(layer), join(values.out, `${name}.tar`));
  console.log(join(values.out, `${name}.tar`));
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Unpacks Debian's packages. @returns Them as parts. */
function addLibraries(layer) {
  const folder = join(work, "libraries");
  mkdirSync(folder);
  // apt downloads as a user of its own.
  chmodSync(work, 0o755);
  chmodSync(folder, 0o777);
  must(folder, "apt-get", "download", "--quiet=2", ...LIBRARIES);
  return readdirSync(folder).map((file) => {
    must(folder, "dpkg-deb", "--extract", file, layer);
    const [name, debVersion, arch] = must(
      folder,
      "dpkg-deb",
      "--show",
      "--showformat=${Package} ${Version} ${Architecture}",
      file,
    ).split(" ");
    const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(debVersion)}?arch=${arch}`;
    return { type: "library", "bom-ref": purl, name, version: debVersion, purl };
  });
}

function nodeComponent() {
  const purl = `pkg:npm/node-linux-${process.arch}@${NODE_VERSION}`;
  return { type: "application", "bom-ref": purl, name: "node", version: NODE_VERSION, purl };
}

function addProgram(layer) {
  const runtime = nodeRuntime();
  installFile(join(runtime, "bin/node"), join(layer, "usr/bin/node"), 0o755);
  installFile(join(runtime, "LICENSE"), join(layer, "usr/share/doc/node/LICENSE"));
  stage("hamkit-identity", join(layer, "app"));
  const files = {
    "etc/passwd": `root:x:0:0:root:/:/sbin/nologin\nidentity:x:${USER}:${USER}:identity:/data:/sbin/nologin\n`,
    "etc/group": `root:x:0:\nidentity:x:${USER}:\n`,
    "etc/nsswitch.conf": "hosts: files dns\n",
  };
  mkdirSync(join(layer, "etc"), { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(layer, path), text);
  // Where engines mount; not all of them make the folders.
  for (const name of ["dev", "proc", "sys", "tmp"]) mkdirSync(join(layer, name));
  mkdirSync(join(layer, "data"), { mode: 0o700 });
}

/** The same bytes for the same files: sorted, with one time, and owned by root except for the folder of data. */
function archive(layer) {
  const file = join(work, "layer.tar");
  const common = [
    "--sort=name",
    `--mtime=@${date.getTime() / 1000}`,
    "--numeric-owner",
    "--format=gnu",
    "-C",
    layer,
  ];
  must(
    work,
    "tar",
    "-cf",
    file,
    ...common,
    "--owner=0",
    "--group=0",
    "--exclude=./data",
    "--exclude=./tmp",
    ".",
  );
  must(work, "tar", "-rf", file, ...common, `--owner=${USER}`, `--group=${USER}`, "--mode=700", "./data");
  must(work, "tar", "-rf", file, ...common, "--owner=0", "--group=0", "--mode=1777", "./tmp");
  return file;
}

function makeImage(layer, out) {
  const storage = [
    "--root",
    join(work, "storage"),
    "--runroot",
    join(work, "run"),
    "--storage-driver",
    "vfs",
  ];
  const buildah = (...args) => must(work, "buildah", ...storage, ...args).trim();
  const container = buildah("from", "scratch");
  buildah("add", container, layer, "/");
  const text = readFileSync(`${root}deploy/Containerfile`, "utf8");
  const [, health] = /HEALTHCHECK (?:--\S+ )*\\?\s*CMD (\[.*\])/.exec(text);
  const settings = /^ENV ((?:.*\\\n)*.*)$/m.exec(text)[1].split(/\s*\\\n\s*/);
  buildah(
    "config",
    ...settings.map((pair) => `--env=${pair}`),
    `--user=${USER}:${USER}`,
    "--workingdir=/app",
    "--volume=/data",
    "--port=5000",
    '--entrypoint=["/usr/bin/node", "/app/node_modules/@hamkit/identity/dist/hamkit-identity.js"]',
    "--cmd=serve",
    "--env=PATH=/usr/bin",
    `--healthcheck=CMD ${JSON.parse(health).map(quoted).join(" ")}`,
    "--healthcheck-interval=10s",
    "--healthcheck-timeout=3s",
    "--healthcheck-start-period=20s",
    `--label=org.opencontainers.image.version=${version}`,
    "--label=org.opencontainers.image.licenses=MIT",
    container,
  );
  const name = `localhost/hamkit-identity:${version}`;
  buildah("commit", "--quiet", "--format=docker", `--timestamp=${date.getTime() / 1000}`, container, name);
  rmSync(out, { force: true });
  buildah("push", "--quiet", name, `docker-archive:${out}:${name}`);
}

/** For buildah, which divides the command as a shell does. */
function quoted(word) {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function must(folder, command, ...args) {
  const { status, stdout, stderr, error } = run("env", ["--chdir", folder, command, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}${error ?? ""}`);
  return stdout;
}
