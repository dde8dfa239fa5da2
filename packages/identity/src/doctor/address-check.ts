/** Checks that the public URL reaches this service. */
import { messageOf } from "../platform/errors.js";
import { ok, warning, type Finding } from "./finding.js";

const TIMEOUT_MS = 5000;

export async function examineAddress(publicUrl: string | undefined): Promise<Finding[]> {
  if (publicUrl === undefined)
    return [warning("public URL", "not set: links use the listening address. Set IDENTITY_PUBLIC_URL")];
  const url = `${publicUrl}/v3`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "manual" });
    const body = (await response.json()) as { readonly version?: { readonly id?: unknown } };
    return [
      typeof body.version?.id === "string"
        ? ok("public URL", `${url} returns version ${body.version.id}`)
        : warning(
            "public URL",
            `${url} returns status ${response.status} without the version document of this service: check the proxy`,
          ),
    ];
  } catch (error) {
    return [
      warning(
        "public URL",
        `no response from ${url} (${messageOf(error)}): check that service and proxy are running`,
      ),
    ];
  }
}
