/** The overlays of deploy/kubernetes, rendered by kubectl and checked against the types and schemas of Kubernetes. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it, onTestFinished } from "vitest";
import { parseAllDocuments } from "yaml";

import { OPTION_GROUPS } from "../src/config-options.js";
import { readConfig } from "../src/config.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const SETTINGS = new Set(
  Object.values(OPTION_GROUPS).flatMap((group) => Object.values(group).map(({ name }) => name)),
);

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas?: number;
    readonly strategy?: { readonly type: string };
    readonly selector: { readonly matchLabels: Labels } & Labels;
    readonly podSelector: { readonly matchLabels: Labels };
    readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
    readonly ports: readonly { readonly targetPort: string }[];
  };
}

type Labels = Readonly<Record<string, string>>;

interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[];
  readonly enableServiceLinks: boolean;
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly volumes: readonly Readonly<Record<string, unknown>>[];
}

interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: unknown;
  readonly volumeMounts: readonly { readonly mountPath: string }[];
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly startupProbe: Probe;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

function render(overlay: string): readonly Resource[] {
  const rendered = spawnSync("kubectl", ["kustomize", join(ROOT, "deploy/kubernetes/overlays", overlay)], {
    encoding: "utf8",
  });
  // Warnings about fields of the overlay that are deprecated, too.
  expect(rendered).toMatchObject({ status: 0, stderr: "" });
  return parseAllDocuments(rendered.stdout).map((document) => document.toJS() as Resource);
}

/** What the compiler finds in resources as literals of their types: unknown fields, missing ones, wrong values. */
function typeErrors(resources: readonly unknown[]): string {
  const cache = join(ROOT, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "kubernetes-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const lines = (resources as Resource[]).map(
    (resource) =>
      `(${JSON.stringify(resource)}) satisfies import("kubernetes-models/${groupOf(resource)}/${resource.kind}").I${resource.kind};`,
  );
  writeFileSync(join(folder, "resources.ts"), `${lines.join("\n")}\nexport {};\n`);
  const options = [
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--module",
    "nodenext",
    "--ignoreConfig",
    "--types",
    "",
  ];
  const compiler = join(ROOT, "node_modules/typescript-7/bin/tsc");
  return spawnSync(process.execPath, [compiler, ...options, join(folder, "resources.ts")], {
    encoding: "utf8",
  }).stdout;
}

function hasKey(source: unknown): boolean {
  return typeof source === "object" && source !== null && "secretKeyRef" in source;
}

/** In kubernetes-models: `apps/v1`, `networking.k8s.io/v1`, `v1`. */
function groupOf({ apiVersion }: Resource): string {
  return apiVersion;
}

function schemaErrors(resource: Resource): string | undefined {
  const models = createRequire(import.meta.url)(
    `kubernetes-models/${groupOf(resource)}/${resource.kind}`,
  ) as Readonly<Record<string, new (data: unknown) => { validate(): void }>>;
  const Model = models[resource.kind];
  if (Model === undefined) return `unknown kind ${resource.kind}`;
  try {
    new Model(resource).validate();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

it("finds faults of resources", () => {
  const deployment = render("small").find(({ kind }) => kind === "Deployment");
  const withSpec = (fields: object) =>
    ({ ...deployment, spec: { ...deployment?.spec, ...fields } }) as unknown as Resource;
  const [misspelled, wrong] = [withSpec({ strategi: {} }), withSpec({ replicas: "three" })];
  expect(typeErrors([misspelled])).toContain(`'"strategi"' does not exist`);
  expect(typeErrors([wrong])).toContain("Type 'string' is not assignable to type 'number'");
  expect(schemaErrors(wrong)).toBe("data/spec/replicas must be integer");
});

describe.each(["small", "production"])("the overlay %s", (overlay) => {
  const resources = render(overlay);
  const named = (kind: string) => resources.filter((resource) => resource.kind === kind);
  const [deployment] = named("Deployment");
  const [config] = named("ConfigMap");
  if (deployment === undefined || config === undefined) throw new Error("Deployment or ConfigMap missing");
  const pod = deployment.spec.template.spec;
  const [migration, service] = [...pod.initContainers, ...pod.containers];
  if (migration === undefined || service === undefined) throw new Error("containers missing");

  it("is valid", () => {
    expect(typeErrors(resources)).toBe("");
    for (const resource of resources) expect(schemaErrors(resource)).toBeUndefined();
  });

  it("has settings that the service knows and accepts", () => {
    const variables = service.env.filter(({ name }) => name.startsWith("IDENTITY_"));
    expect(
      [...Object.keys(config.data ?? {}), ...variables.map(({ name }) => name)].filter(
        (name) => !SETTINGS.has(name),
      ),
    ).toEqual([]);
    const { server, metrics } = readConfig({ HOME: "/", ...config.data });
    expect(service.ports).toEqual([
      { name: "http", containerPort: server.port },
      { name: "metrics", containerPort: metrics.port },
    ]);
    expect(server.host).toBe("0.0.0.0");
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(server.shutdownDelaySeconds + 15);
  });

  it("does not let Kubernetes set IDENTITY_PORT, the address of the service of the same name", () => {
    expect(pod.enableServiceLinks).toBe(false);
    expect(named("Service")[0]?.metadata.name).toBe("identity");
  });

  it("has secrets by reference only", () => {
    const secrets = new Set(["IDENTITY_ADMIN_PASSWORD", "IDENTITY_DATABASE_URL", "IDENTITY_MASTER_KEY"]);
    expect(named("Secret")).toEqual([]);
    const found = [...migration.env, ...service.env].filter(({ name }) => secrets.has(name));
    expect(found.filter(({ value, valueFrom }) => value !== undefined || !hasKey(valueFrom))).toEqual([]);
    expect(service.env.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["IDENTITY_ADMIN_PASSWORD", "IDENTITY_MASTER_KEY"]),
    );
  });

  it("migrates in a container of its own, with the settings of the service, before it starts", () => {
    expect([migration.args, service.args]).toEqual([["migrate"], ["serve"]]);
    const withoutPassword = service.env.filter(({ name }) => name !== "IDENTITY_ADMIN_PASSWORD");
    expect(migration.env).toEqual(withoutPassword);
    expect(migration.volumeMounts).toEqual(service.volumeMounts);
  });

  it("probes liveness and readiness where the service answers", () => {
    const routes = readFileSync(join(ROOT, "packages/identity/src/platform/health/health-routes.ts"), "utf8");
    const paths = [service.livenessProbe, service.startupProbe, service.readinessProbe].map(
      ({ httpGet }) => httpGet,
    );
    expect(paths.map(({ path }) => path)).toEqual(["/healthcheck", "/healthcheck", "/readyz"]);
    for (const { path, port } of paths)
      expect([routes.includes(`server.get("${path}"`), port]).toEqual([true, "http"]);
  });

  it("is confined", () => {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    for (const { securityContext } of [migration, service])
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
        readOnlyRootFilesystem: true,
      });
  });

  it("selects the pods of the deployment", () => {
    const { labels } = deployment.spec.template.metadata;
    expect(labels).toMatchObject(deployment.spec.selector.matchLabels);
    for (const { spec } of named("PodDisruptionBudget"))
      expect(labels).toMatchObject(spec.selector.matchLabels);
    for (const { spec } of named("NetworkPolicy")) expect(labels).toMatchObject(spec.podSelector.matchLabels);
    expect(labels).toMatchObject(named("Service")[0]?.spec.selector ?? {});
  });

  it("has malloc's settings of the systemd unit", () => {
    const unit = readFileSync(join(ROOT, "deploy/hamkit-identity.service"), "utf8").match(/MALLOC_\w+=\d+/g);
    expect(
      service.env.flatMap(({ name, value }) => (name.startsWith("MALLOC_") ? [`${name}=${value}`] : [])),
    ).toEqual(unit);
  });

  it("never has two pods on one volume; others are replaced when a new one serves", () => {
    const { replicas, strategy } = deployment.spec;
    expect({ replicas, strategy }).toEqual(
      overlay === "small"
        ? { replicas: 1, strategy: { type: "Recreate" } }
        : {
            replicas: 3,
            strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
          },
    );
  });
});
