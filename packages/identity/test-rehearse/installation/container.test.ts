/** The image of `npm run image`, run on a read-only root as its user; without a container engine, which needs control groups. */
import { spawn, spawnSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, expect, it, onTestFinished } from "vitest";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const { version } = JSON.parse(readFileSync(join(ROOT, "packages/identity/package.json"), "utf8")) as {
  readonly version: string;
};

const folder = mkdtempSync(join(tmpdir(), "an image "));
const STORAGE = [
  "--root",
  join(folder, "storage"),
  "--runroot",
  join(folder, "run"),
  "--storage-driver",
  "vfs",
];
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function must(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout.trim();
}

function buildImage(out: string): string {
  must(
    process.execPath,
    join(ROOT, "scripts/container/build.mjs"),
    "--no-build",
    `--out=${join(folder, out)}`,
  );
  return join(folder, out, `hamkit-identity-${version}.tar`);
}

/** Of `buildah inspect`. */
interface Image {
  readonly config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly Cmd: readonly string[];
    readonly Healthcheck: { readonly Test: readonly string[] };
  };
  readonly rootfs: unknown;
}

it("has the same content when it is built again, starts on a read-only root, is healthy, and lets the administrator log in", async () => {
  const [image, again] = [buildImage("one"), buildImage("other")].map((file) => {
    const container = must("buildah", ...STORAGE, "from", `docker-archive:${file}`);
    const { Docker } = JSON.parse(must("buildah", ...STORAGE, "inspect", container)) as {
      readonly Docker: Image;
    };
    return { container, config: Docker.config, rootfs: Docker.rootfs };
  });
  if (image === undefined || again === undefined) throw new Error("no image");
  // buildah writes a number of its own into the image.
  expect(again.rootfs).toEqual(image.rootfs);
  const { User, Env, Entrypoint, Cmd, Healthcheck } = image.config;
  expect(User).toBe("1000:1000");

  const root = must("buildah", ...STORAGE, "mount", image.container);
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, 1000, 1000);
  // The program is the first process of its namespace: it gets a signal from outside only if it handles it.
  const script = `ip link set lo up && mount --bind "$1" "$1" && mount --bind "$2" "$1/data" && mount -t proc proc "$1/proc" &&
    mount -o remount,bind,ro "$1" && shift 2 && exec env -i "$@"`;
  const variables = Env.filter((each) => !each.startsWith("PATH="));
  const environment = [`PATH=${process.env["PATH"]}`, "IDENTITY_ADMIN_PASSWORD=correct horse", ...variables];
  const shell = [
    "--mount",
    "--net",
    "--pid",
    "--fork",
    "--kill-child",
    "--",
    "sh",
    "-c",
    script,
    "sh",
    root,
    data,
  ];
  const chroot = ["setpriv", "--no-new-privs", "--", "chroot", "--userspec", User, root];
  const container = spawn("unshare", [...shell, ...environment, ...chroot, ...Entrypoint, ...Cmd]);
  let log = "";
  for (const stream of [container.stdout, container.stderr])
    stream.on("data", (text: Buffer) => (log += text.toString()));
  const firstProcess = () =>
    readFileSync(`/proc/${container.pid}/task/${container.pid}/children`, "utf8").trim();
  onTestFinished(async () => {
    const ended = new Promise((resolve) => void container.once("close", resolve));
    process.kill(Number(firstProcess()), "SIGKILL");
    await ended;
    must("buildah", ...STORAGE, "umount", "--all");
  });
  await expect.poll(() => log, { timeout: 60_000 }).toContain('"msg":"serving"');

  const pid = firstProcess();
  const namespaces = [
    "--target",
    pid,
    "--mount",
    "--net",
    "--pid",
    "--root",
    "--wd",
    "--setuid",
    "1000",
    "--setgid",
    "1000",
  ];
  const env = Object.fromEntries(Env.map((each) => each.split("=", 2) as [string, string]));
  const inside = (...command: readonly string[]) =>
    spawnSync("nsenter", [...namespaces, ...command], { encoding: "utf8", env });
  const [, ...health] = Healthcheck.Test;
  expect(inside(...health)).toMatchObject({ status: 0, stdout: "", stderr: "" });
  const body = JSON.stringify({
    auth: {
      identity: {
        methods: ["password"],
        password: { user: { name: "admin", domain: { id: "default" }, password: "correct horse" } },
      },
    },
  });
  const logIn = `const { status } = await fetch("http://127.0.0.1:5000/v3/auth/tokens", { method: "POST", headers: { "content-type": "application/json" }, body: ${JSON.stringify(body)} }); console.log(status)`;
  expect(inside("/usr/bin/node", "--input-type=module", "--eval", logIn)).toMatchObject({
    stderr: "",
    stdout: "201\n",
  });
  expect(inside("/usr/bin/node", "--eval", 'require("fs").writeFileSync("/app/x", "")').stderr).toContain(
    "EROFS",
  );
  expect(readFileSync(`/proc/${pid}/status`, "utf8")).toMatch(/^Uid:\t1000\t1000/m);
  expect(inside("/bin/sh", "-c", "true").status).not.toBe(0);
  const parts = readFileSync(join(root, "usr/share/sbom/hamkit-identity.cdx.json"), "utf8");
  for (const name of ["pkg:deb/debian/libc6@", "pkg:npm/node-linux-", "pkg:npm/libsql@", "pkg:npm/mysql2@"])
    expect(parts).toContain(name);
});
