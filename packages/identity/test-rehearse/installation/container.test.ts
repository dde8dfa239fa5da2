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

interface Image {
  readonly Config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly Cmd: readonly string[];
  };
  readonly Healthcheck: { readonly Test: readonly string[] };
}

it("has the same content when it is built again, starts on a read-only root, is healthy, and lets the administrator log in", async () => {
  const [image, again] = [buildImage("one"), buildImage("other")].map((file) => {
    const container = must("buildah", ...STORAGE, "from", `docker-archive:${file}`);
    return {
      file,
      container,
      info: JSON.parse(must("buildah", ...STORAGE, "inspect", container)) as {
        Docker: { config: Image["Config"] & { Healthcheck: Image["Healthcheck"] } };
        FromImageDigest: string;
      },
    };
  });
  if (image === undefined || again === undefined) throw new Error("no image");
  expect(again.info.FromImageDigest).toBe(image.info.FromImageDigest);
  const { User, Env, Entrypoint, Cmd, Healthcheck } = image.info.Docker.config;
  expect(User).toBe("1000:1000");

  const root = must("buildah", ...STORAGE, "mount", image.container);
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, 1000, 1000);
  // The program is the first process of its namespace: it gets a signal from outside only if it handles it.
  const script = `ip link set lo up && mount --bind "$1" "$1" && mount --bind "$2" "$1/data" && mount -t proc proc "$1/proc" &&
    mount -o remount,bind,ro "$1" && shift 2 && root=$1 && shift &&
    exec env -i "$@"`;
  const chroot = ["setpriv", "--no-new-privs", "--", "chroot", "--userspec", User, root];
  const variables = [...Env, "IDENTITY_ADMIN_PASSWORD=correct horse"];
  const container = spawn("unshare", [
    ...[
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
      root,
    ],
    ...[
      `PATH=${process.env["PATH"]}`,
      ...variables.filter((each) => !each.startsWith("PATH=")),
      ...chroot,
      ...Entrypoint,
      ...Cmd,
    ],
  ]);
  let log = "";
  for (const stream of [container.stdout, container.stderr])
    stream.on("data", (text: Buffer) => (log += text.toString()));
  onTestFinished(async () => {
    const ended = new Promise((resolve) => void container.once("close", resolve));
    container.kill("SIGKILL");
    await ended;
    must("buildah", ...STORAGE, "umount", "--all");
  });
  await expect.poll(() => log, { timeout: 60_000 }).toContain('"msg":"serving"');

  const pid = readFileSync(`/proc/${container.pid}/task/${container.pid}/children`, "utf8").trim();
  const inside = (...command: readonly string[]) =>
    spawnSync(
      "nsenter",
      [
        "--target",
        pid,
        "--mount",
        "--net",
        "--pid",
        "--root",
        "--setuid",
        "1000",
        "--setgid",
        "1000",
        ...command,
      ],
      {
        encoding: "utf8",
        env: Object.fromEntries(Env.map((each) => each.split("=", 2) as [string, string])),
      },
    );
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
  expect(inside("/usr/bin/node", "--input-type=module", "--eval", logIn).stdout).toBe("201\n");
  expect(inside("/usr/bin/node", "--eval", 'require("fs").writeFileSync("/app/x", "")').stderr).toContain(
    "EROFS",
  );
  expect(readFileSync(`/proc/${pid}/status`, "utf8")).toMatch(/^Uid:\t1000\t1000/m);
  expect(inside("/bin/sh", "-c", "true").status).not.toBe(0);
  const parts = readFileSync(join(root, "usr/share/sbom/hamkit-identity.cdx.json"), "utf8");
  for (const name of ["pkg:deb/debian/libc6@", "pkg:npm/node-linux-", "pkg:npm/libsql@", "pkg:npm/mysql2@"])
    expect(parts).toContain(name);
});
