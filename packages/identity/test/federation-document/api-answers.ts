/** What the API of a service answers about its federation, with names instead of ids. */
import { createApp, type App } from "../../src/app.js";
import type { Config } from "../../src/config.js";
import { systemClock } from "../../src/platform/clock.js";
import { newId, newRequestId } from "../../src/platform/ids.js";
import { createLog } from "../../src/platform/log.js";
import { PUBLIC_URL } from "../test-server.js";

type Answer = Record<string, unknown>;

/** Opens the service in process. */
export async function withApp<Result>(config: Config, work: (app: App) => Promise<Result>): Promise<Result> {
  const log = createLog("silent", { write: () => {} });
  const app = await createApp(config, {
    publicUrl: PUBLIC_URL,
    log,
    clock: systemClock,
    newId,
    newRequestId,
    isProcess: false,
  });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

/** A token of the administrator of the system. */
export async function logIn(app: App): Promise<string> {
  const login = await app.server.inject({
    method: "POST",
    url: "/v3/auth/tokens",
    payload: {
      auth: {
        identity: {
          methods: ["password"],
          password: { user: { name: "admin", domain: { id: "default" }, password: "adminpw" } },
        },
        scope: { system: { all: true } },
      },
    },
  });
  return String(login.headers["x-subject-token"]);
}

/** Reads the resources of documents as the administrator of the system. */
export function apiAnswers(config: Config): Promise<Answer> {
  return withApp(config, async (app) => {
    const token = await logIn(app);
    const get = async (url: string) => {
      const answer = await app.server.inject({ url, headers: { "x-auth-token": token } });
      if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode} ${answer.body}`);
      return answer.json<Record<string, Answer[]>>();
    };
    const list = async (path: string, key: string) => (await get(path))[key] ?? [];
    const federation = "/v3/OS-FEDERATION";
    const providers = await list(`${federation}/identity_providers`, "identity_providers");
    const answers = {
      domains: await list("/v3/domains", "domains"),
      projects: await list("/v3/projects", "projects"),
      groups: await list("/v3/groups", "groups"),
      roles: await list("/v3/roles", "roles"),
      inferences: await list("/v3/role_inferences", "role_inferences"),
      services: await list("/v3/services", "services"),
      registered: await list("/v3/registered_limits", "registered_limits"),
      limits: await list("/v3/limits", "limits"),
      mappings: await list(`${federation}/mappings`, "mappings"),
      providers,
      protocols: await Promise.all(
        providers.map(({ id }) =>
          list(`${federation}/identity_providers/${String(id)}/protocols`, "protocols"),
        ),
      ),
      serviceProviders: await list(`${federation}/service_providers`, "service_providers"),
      grants: (await list("/v3/role_assignments?include_names", "role_assignments")).filter(
        (grant) => "group" in grant,
      ),
    };
    return byNames(answers);
  });
}

/** The same with `kind:name` for each id that names something, in the order of the text. */
function byNames(answers: Record<string, unknown>): Answer {
  const names = new Map<string, string>();
  const collect = (value: unknown, kind: string): void => {
    if (typeof value !== "object" || value === null) return;
    const { id, name } = value as { id?: unknown; name?: unknown };
    if (typeof id === "string" && typeof name === "string" && /^[0-9a-f]{32}$/.test(id))
      names.set(id, JSON.stringify(`${kind}:${name}`).slice(1, -1));
    for (const [key, member] of Object.entries(value)) collect(member, Array.isArray(value) ? kind : key);
  };
  // The lists after the objects in them: their names are those of kinds.
  for (const [kind, list] of Object.entries(answers).toReversed()) collect(list, kind);
  for (const kind of ["registered", "limits"])
    for (const { id } of answers[kind] as { id: string }[]) names.set(id, kind);
  let text = JSON.stringify(answers);
  for (const [id, name] of names) text = text.replaceAll(id, () => name);
  return sorted(JSON.parse(text) as Answer) as Answer;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(sorted).toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, sorted(member)]));
}
