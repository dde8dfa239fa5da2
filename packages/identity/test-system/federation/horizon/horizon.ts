/** Debian's Horizon in Django's own web server, with the lines of the guide for its login page. */
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startParty } from "../party-process.js";

const GUIDE = new URL("../../../../../docs/identity/openid-connect.md", import.meta.url);

export interface HorizonOptions {
  readonly port: number;
  /** Of the identity service. */
  readonly serviceUrl: string;
}

export interface Horizon {
  output(): string;
  close(): Promise<void>;
}

export async function startHorizon({ port, serviceUrl }: HorizonOptions): Promise<Horizon> {
  const folder = await mkdtemp(join(tmpdir(), "hamkit-horizon-"));
  // Horizon imports its administrator's settings from a module of this name.
  await mkdir(join(folder, "local"));
  await writeFile(join(folder, "local/__init__.py"), "");
  await writeFile(join(folder, "local/local_settings.py"), settings(serviceUrl));
  const process = await startParty({
    command: [
      "/usr/bin/python3",
      "-m",
      "django",
      "runserver",
      "--noreload",
      "--insecure",
      `127.0.0.1:${port}`,
    ],
    env: {
      DJANGO_SETTINGS_MODULE: "openstack_dashboard.settings",
      PYTHONPATH: folder,
      PYTHONDONTWRITEBYTECODE: "1",
      NO_PROXY: "127.0.0.1",
    },
    readyUrl: `http://127.0.0.1:${port}/auth/login/`,
  });
  return {
    output: () => process.output(),
    async close() {
      await process.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function settings(serviceUrl: string): string {
  const [, guide = ""] = /^```python\n(.*?)^```$/ms.exec(readFileSync(GUIDE, "utf8")) ?? [];
  return `ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
SECRET_KEY = "a secret of a test"
WEBROOT = "/"
OPENSTACK_KEYSTONE_URL = "${serviceUrl}/v3"
OPENSTACK_API_VERSIONS = {"identity": 3}
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
SESSION_ENGINE = "django.contrib.sessions.backends.cache"
# Compiling style sheets takes minutes.
COMPRESS_ENABLED = False
COMPRESS_PRECOMPILERS = ()
${guide}`;
}
