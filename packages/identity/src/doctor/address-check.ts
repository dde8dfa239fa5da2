/** Does the service answer where clients are told that it does? */
import { messageOf } from "../platform/errors.js";
import { ok, warning, type Finding } from "./finding.js";

const ANSWER_MS = 5000;

export async function examineAddress(publicUrl: string | undefined): Promise<Finding[]> {
  if (publicUrl === undefined)
    return [
      warning("public URL", "not set: links lead to where the service listens. Set IDENTITY_PUBLIC_URL"),
    ];
  const url = `${publicUrl}/v3`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS), redirect: "manual" });
    const body = (await answer.json()) as { readonly version?: { readonly id?: unknown } };
    return [
      typeof body.version?.id === "string"
        ? ok("public URL", `${url} answers with ${body.version.id}`)
        : warning("public URL", `${url} answers ${answer.status}, and not as this service: check the proxy`),
    ];
  } catch (error) {
    return [
      warning(
        "public URL",
        `${url} does not answer (${messageOf(error)}): is the service running, and the proxy?`,
      ),
    ];
  }
}
