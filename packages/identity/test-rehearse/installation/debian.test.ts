/** The Debian packages: built twice with the same content, installed on a machine with systemd, upgraded, removed, purged. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { bootDebian, type DebianMachine } from "./debian-machine.js";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const { version: RELEASE } = JSON.parse(
  readFileSync(join(ROOT, "packages/identity/package.json"), "utf8"),
) as {
  readonly version: string;
};
const STATE = "/var/lib/hamkit-identity";
const SETTINGS = "/etc/hamkit-identity/environment";

const folder = mkdtempSync(join(tmpdir(), "hamkit debs "));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Builds packages from what `npm run rehearse` has built. @returns Their paths by name. */
function buildPackages(
  out: string,
  { names = [], version, umask = "022" }: { names?: readonly string[]; version?: string; umask?: string },
): Map<string, string> {
  const temporary = join(folder, `work of ${out}`);
  mkdirSync(temporary);
  const options = [
    "--no-build",
    `--out=${join(folder, out)}`,
    ...(version === undefined ? [] : [`--version=${version}`]),
  ];
  const args = [
    "-c",
    'umask "$1"; shift; exec "$@"',
    "sh",
    umask,
    process.execPath,
    join(ROOT, "scripts/debian/build.mjs"),
  ];
  const built = spawnSync("sh", [...args, ...options, ...names], {
    encoding: "utf8",
    env: { ...process.env, TMPDIR: temporary },
  });
  if (built.status !== 0) throw new Error(`${built.stdout}${built.stderr}`);
  const files = readdirSync(join(folder, out));
  return new Map(files.map((file) => [file.replace(/_.*/, ""), join(folder, out, file)]));
}

function digest(path: string | undefined): string {
  return createHash("sha256")
    .update(readFileSync(path ?? ""))
    .digest("hex");
}

const current = buildPackages("current", {});

it("builds the same files again, also in other folders and with a narrow umask", () => {
  const again = buildPackages("again", { names: ["hamkit-identity", "hamkit"], umask: "077" });
  expect([...current.keys()].toSorted()).toEqual(["hamkit", "hamkit-identity", "hamkit-nodejs"]);
  for (const [name, path] of again) expect([name, digest(path)]).toEqual([name, digest(current.get(name))]);
});

it("passes lintian", () => {
  const checked = spawnSync("lintian", ["--fail-on", "error,warning", "--allow-root", ...current.values()], {
    encoding: "utf8",
  });
  expect(checked.stdout).toBe("");
  expect(checked.status).toBe(0);
});

it("contains no path of the machine that built it", () => {
  for (const path of current.values()) {
    const listed = spawnSync("dpkg-deb", ["--contents", path], {
      encoding: "utf8",
      maxBuffer: 1 << 26,
    }).stdout;
    expect(
      listed.split("\n").filter((line) => line !== "" && !/ root\/root .* \.\/(?:$|usr|etc|lib)/.test(line)),
    ).toEqual([]);
    expect(listed).not.toMatch(/\.map$|node_modules\/.*\.md$/m);
  }
});

describe("on a machine with Debian 12", () => {
  let machine: DebianMachine;
  let password = "";
  beforeAll(async () => {
    machine = await bootDebian();
    const former = buildPackages("former", { names: ["hamkit-identity"], version: "0.0.1-1" });
    machine.bring([...former.values(), ...current.values()]);
  }, 600_000);
  afterAll(() => machine.stop());

  /** Logs in as the administrator, from inside. @returns The status, and the length of the token. */
  const logIn = () => {
    const body = {
      auth: {
        identity: {
          methods: ["password"],
          password: { user: { name: "admin", domain: { id: "default" }, password } },
        },
      },
    };
    const code = `const response = await fetch("http://127.0.0.1:5001/v3/auth/tokens", { method: "POST", headers: { "content-type": "application/json" }, body: ${JSON.stringify(JSON.stringify(body))} }); console.log(response.status, response.headers.has("x-subject-token"))`;
    return machine
      .run(`/usr/lib/hamkit-nodejs/bin/node --input-type=module --eval '${code}' || true`)
      .output.trim();
  };
  const state = () =>
    machine
      .run("systemctl is-enabled hamkit-identity; systemctl is-active hamkit-identity")
      .output.split("\n")
      .slice(0, 2);

  it("is installed, and neither started nor bootstrapped", () => {
    machine.must(
      `dpkg -i /debs/hamkit-nodejs_*.deb /debs/hamkit_${RELEASE}*.deb /debs/hamkit-identity_0.0.1*.deb`,
    );
    expect(state()).toEqual(["disabled", "inactive"]);
    expect(machine.must(`stat -c '%a %U %G' ${STATE} ${SETTINGS}`)).toBe(
      "700 hamkit-identity hamkit-identity\n640 root hamkit-identity\n",
    );
    expect(machine.must(`ls -A ${STATE}`)).toBe("");
  });

  it("has hamkit, which works without a network", () => {
    expect(machine.must("hamkit call --offline DH1TW")).toContain("Germany");
    expect(
      machine.must("cd /tmp && hamkit map JN48QM W1AW -o 'a path.png' && head -c 4 'a path.png' | tail -c 3"),
    ).toContain("PNG");
  });

  it("serves the radio page", async () => {
    machine.must("(hamkit serve --offline --port 8080 > /tmp/serve.log 2>&1 & echo $! > /tmp/serve.pid)");
    const code = 'console.log((await (await fetch("http://127.0.0.1:8080/")).text()).slice(0, 15))';
    const ask = () =>
      machine.run(`/usr/lib/hamkit-nodejs/bin/node --input-type=module --eval '${code}'`).output;
    await expect.poll(ask, { timeout: 30_000 }).toBe("<!doctype html>\n");
    machine.must("kill $(cat /tmp/serve.pid)");
  });

  it("is bootstrapped by root with the settings of the service, and as its user", () => {
    machine.must(
      `echo 'IDENTITY_PORT = "5001"' >> ${SETTINGS}; echo "IDENTITY_PUBLIC_URL=http://127.0.0.1:5001" >> ${SETTINGS}`,
    );
    const output = machine.must("cd / && hamkit-identity bootstrap");
    password = /shown only once: (\S+)/.exec(output)?.[1] ?? "";
    expect(password).toHaveLength(24);
    expect(machine.must(`stat -c '%a %U %n' ${STATE}/identity.db ${STATE}/master.key`)).toBe(
      `600 hamkit-identity ${STATE}/identity.db\n600 hamkit-identity ${STATE}/master.key\n`,
    );
    expect(machine.run("ls -A /root/.local").status).not.toBe(0);
  });

  it("starts under systemd, confined as the unit says, and lets the administrator log in", async () => {
    machine.must("systemctl enable --now hamkit-identity");
    await expect.poll(logIn, { timeout: 30_000 }).toBe("201 true");
    expect(state()).toEqual(["enabled", "active"]);
    const process_ = machine.must("cat /proc/$(systemctl show -P MainPID hamkit-identity)/status");
    expect(process_).toMatch(/^NoNewPrivs:\t1$/m);
    expect(process_).toMatch(/^CapEff:\t0+$/m);
    expect(machine.must("journalctl -u hamkit-identity")).not.toContain(password);
    expect(machine.run("hamkit-identity doctor").output).toContain("127.0.0.1:5001");
  });

  it("is upgraded while it runs: data and settings stay", async () => {
    machine.must(`echo '# edited' >> ${SETTINGS}`);
    const before = machine.must(
      `sha256sum ${SETTINGS} ${STATE}/master.key; systemctl show -P MainPID hamkit-identity`,
    );
    machine.must(`dpkg -i /debs/hamkit-identity_${RELEASE}*.deb`);
    await expect.poll(logIn, { timeout: 30_000 }).toBe("201 true");
    expect(state()).toEqual(["enabled", "active"]);
    const after = machine.must(
      `sha256sum ${SETTINGS} ${STATE}/master.key; systemctl show -P MainPID hamkit-identity`,
    );
    expect(after.split("\n").slice(0, 2)).toEqual(before.split("\n").slice(0, 2));
    expect(after.split("\n")[2]).not.toBe(before.split("\n")[2]);
    expect(machine.must(`stat -c '%a %G' ${SETTINGS}`)).toBe("640 hamkit-identity\n");
  });

  it("stays stopped over an upgrade that finds it disabled", () => {
    machine.must("systemctl disable --now hamkit-identity");
    machine.must(`dpkg -i /debs/hamkit-identity_0.0.1*.deb && dpkg -i /debs/hamkit-identity_${RELEASE}*.deb`);
    expect(state()).toEqual(["disabled", "inactive"]);
    machine.must("systemctl enable --now hamkit-identity");
  });

  it("keeps data and settings when it is removed, and finds them when it is installed again", async () => {
    machine.must("dpkg --remove hamkit-identity");
    expect(state()[1]).toBe("inactive");
    expect(machine.must(`ls ${STATE}`)).toContain("master.key");
    expect(machine.must(`tail -n 1 ${SETTINGS}`)).toBe("# edited\n");
    expect(machine.run("command -v hamkit-identity").status).not.toBe(0);
    machine.must(`dpkg -i /debs/hamkit-identity_${RELEASE}*.deb && systemctl start hamkit-identity`);
    await expect.poll(logIn, { timeout: 30_000 }).toBe("201 true");
  });

  it("deletes them when it is purged, and keeps the user's number", () => {
    machine.must("dpkg --purge hamkit-identity hamkit hamkit-nodejs");
    expect(machine.run(`ls -d ${STATE} /etc/hamkit-identity /usr/lib/hamkit*`).output).not.toMatch(/^\//m);
    expect(machine.must("getent passwd hamkit-identity")).toContain("/usr/sbin/nologin");
    expect(machine.run("systemctl list-unit-files | grep hamkit").output).toBe("");
  });
});
