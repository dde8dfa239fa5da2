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
  /**
   * The lines of the guide to OpenID Connect: for a choice at the login page, or for logins and logouts that all go to this logout page's
   * provider; or lines of another guide.
   */
  readonly guide?: "choices" | { readonly logoutUrl: string } | { readonly lines: string };
}

export interface Horizon {
  output(): string;
  close(): Promise<void>;
}

export async function startHorizon({
  port,
  serviceUrl,
  guide = "choices",
}: HorizonOptions): Promise<Horizon> {
  const folder = await mkdtemp(join(tmpdir(), "hamkit-horizon-"));
  // Horizon imports its administrator's settings from a module of this name.
  await mkdir(join(folder, "local"));
  await writeFile(join(folder, "local/__init__.py"), "");
  await writeFile(join(folder, "local/local_settings.py"), settings(serviceUrl, guide));
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
    // Its login page may redirect to the provider.
    readyUrl: `http://127.0.0.1:${port}/static/dashboard/img/favicon.ico`,
  });
  return {
    output: () => process.output(),
    async close() {
      await process.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function settings(serviceUrl: string, guide: NonNullable<HorizonOptions["guide"]>): string {
  const lines = linesOf(guide);
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
${lines}`;
}

function linesOf(guide: NonNullable<HorizonOptions["guide"]>): string {
  if (typeof guide === "object" && "lines" in guide) return guide.lines;
  const blocks = Array.from(
    readFileSync(GUIDE, "utf8").matchAll(/^```python\n(.*?)^```$/gms),
    ([, text = ""]) => text,
  );
  const lines =
    guide === "choices"
      ? blocks.find((block) => block.includes("WEBSSO_CHOICES"))
      : blocks
          .find((block) => block.includes("WEBSSO_DEFAULT_REDIRECT"))
          ?.replace("https://login.example.org/session/end", guide.logoutUrl);
  if (lines === undefined) throw new Error("the guide has no such lines");
  return lines;
}
