/** Clouds for property tests: drawn at random, and created by requests of the API. */
import fc from "fast-check";

import type { App } from "../../src/app.js";
import { logIn } from "./api-answers.js";
import { metadata } from "../federation/saml/test-provider.js";

/** Texts that YAML takes for something else, or that have to be quoted, folded or escaped. */
const TRAPS = [
  ..."no,null,~,1e3,0x1f,2024-01-01,yes,.inf,-,?,|,>,!tag,&anchor,*alias,%directive,{},[],<<,a: b,a #b,'quoted',\"quoted\"".split(
    ",",
  ),
  "back\\slash",
  "line\nbreak",
  "two\n\nbreaks\n",
  "tab\there",
  "a/b",
  "next\u0085line",
  "\u2028",
  "\ufeffmark",
  "Zürich 😀",
  "__proto__",
  "constructor",
  "x".repeat(64),
];

/** How all secrets begin. */
export const SECRET = "a-secret-of";

const trap = fc.constantFrom(...TRAPS);
const text = fc.oneof(trap, fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" }));
/** As the service stores them: without white space around them. */
const name = text.map((each) => each.replaceAll("\0", "0").trim()).filter((each) => each !== "");
const description = fc.option(
  fc.oneof(
    fc.constant(""),
    text.map((each) => each.replaceAll("\0", "")),
  ),
);
const id = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/);
const namesOf = (maxLength: number) =>
  fc.uniqueArray(name, { minLength: 1, maxLength, selector: (each) => each.normalize("NFKC").toLowerCase() });
const idsOf = (maxLength: number) => fc.uniqueArray(id, { minLength: 1, maxLength });
const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const few = <Value>(value: fc.Arbitrary<Value>, maxLength = 3) =>
  fc.uniqueArray(value, { minLength: 1, maxLength });

const word = fc.stringMatching(/^[A-Za-z0-9:._-]{1,12}$/);
const shared = { logout: some(fc.boolean()), attribute_prefix: some(trap) };
const settings = {
  openid: fc.record({
    type: fc.constant("openid"),
    issuer: fc.webUrl(),
    client_id: name,
    client_secret: some(name.map((each) => `${SECRET} ${each}`)),
    client_auth_method: some(fc.constantFrom("client_secret_basic", "client_secret_post")),
    scopes: some(few(word)),
    audiences: some(few(word)),
    userinfo: some(fc.constantFrom("always", "as_needed")),
    acr_values: some(few(word)),
    max_age: some(fc.nat(1000)),
    claims_format: some(fc.constantFrom("plain", "mod_auth_openidc")),
    claims_as_keys: some(few(word)),
    ...shared,
  }),
  workload: fc.record({
    type: fc.constant("openid"),
    issuer: fc.webUrl(),
    token_kinds: fc.constant(["workload"]),
    audiences: few(word),
    conditions: fc.constant([
      { claim: "repository_owner_id", values: ["1"] },
      { claim: "x", values: ["*"] },
    ]),
    persist_user: some(fc.boolean()),
    max_users: some(fc.integer({ min: 1, max: 1000 })),
  }),
  saml2: fc.record({
    type: fc.constant("saml2"),
    idp_metadata_xml: fc.constant(metadata()),
    sp_entity_id: some(fc.webUrl()),
    name_id_format: some(fc.constant("urn:oasis:names:tc:SAML:2.0:nameid-format:persistent")),
    force_authn: some(fc.boolean()),
    authn_contexts: some(few(word)),
    allow_sha1: some(fc.boolean()),
    ...shared,
  }),
  forwarded: fc.record({ type: fc.constant("forwarded"), header: some(word), attribute_prefix: some(trap) }),
};

/** Indices are taken modulo the number of what they select from. */
const index = fc.nat(99);

const clouds = fc.record({
  domains: namesOf(3),
  descriptions: fc.array(description, { minLength: 5, maxLength: 5 }),
  projects: namesOf(4),
  tags: fc.uniqueArray(
    name.filter((each) => !/[,/]/.test(each)),
    { maxLength: 3 },
  ),
  groups: namesOf(3),
  roles: namesOf(3),
  domainRoles: namesOf(2),
  grants: fc.array(fc.record({ group: index, role: index, target: index, isInherited: fc.boolean() }), {
    maxLength: 6,
  }),
  services: few(word),
  regions: few(name, 2),
  defaults: fc.array(fc.integer({ min: 10, max: 2 ** 31 - 1 }), { minLength: 1, maxLength: 3 }),
  limits: fc.array(fc.nat(9), { maxLength: 3 }),
  mappings: idsOf(3),
  values: few(text, 4),
  providers: fc.uniqueArray(
    fc.record({
      id,
      domain: index,
      enabled: fc.boolean(),
      description,
      authorization_ttl: fc.option(fc.nat(1000)),
      remoteIds: fc.uniqueArray(word, { maxLength: 3 }),
      authorized: fc.option(fc.uniqueArray(fc.nat(2), { maxLength: 3 })),
      protocols: fc.uniqueArray(
        fc.record({
          id,
          mapping: index,
          settings: fc.option(
            fc.oneof(settings.openid, settings.workload, settings.saml2, settings.forwarded),
          ),
        }),
        { maxLength: 3, selector: (each) => each.id },
      ),
    }),
    { minLength: 1, maxLength: 3, selector: (each) => each.id },
  ),
  serviceProviders: idsOf(2),
});

export type GeneratedCloud = typeof clouds extends fc.Arbitrary<infer Value> ? Value : never;

export const generatedClouds: fc.Arbitrary<GeneratedCloud> = clouds;

type Item = Record<string, unknown>;

/** Creates it. @returns The secrets, by provider, protocol and member. */
export async function createCloud(app: App, cloud: GeneratedCloud): Promise<Map<string, string>> {
  const token = await logIn(app);
  const secrets = new Map<string, string>();
  const send = async (method: "POST" | "PUT", url: string, payload?: Item): Promise<Item> => {
    const answer = await app.server.inject({
      method,
      url: `/v3/${url}`,
      headers: { "x-auth-token": token },
      ...(payload !== undefined && { payload }),
    });
    if (answer.statusCode >= 300) throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.body}`);
    return answer.body === "" ? {} : (Object.values(answer.json<Record<string, Item>>())[0] as Item);
  };
  const create = async (kind: string, item: Item): Promise<string> =>
    String((await send("POST", `${kind}s`, { [kind]: item }))["id"]);
  const at = <Value>(list: readonly Value[], place: number): Value => list[place % list.length] as Value;
  const described = (place: number) => ({ description: at(cloud.descriptions, place) });

  const domains: string[] = [];
  for (const [place, each] of cloud.domains.entries())
    domains.push(
      await create("domain", { name: each, ...described(place), enabled: place !== 2, tags: cloud.tags }),
    );
  const projects: { id: string; domain: string }[] = [];
  for (const [place, each] of cloud.projects.entries()) {
    const above = place % 2 === 1 ? projects.at(-1) : undefined;
    const domain = above?.domain ?? at(domains, place % 2);
    const parent = above !== undefined && { parent_id: above.id };
    const item = { name: each, domain_id: domain, ...parent, ...described(place + 1), tags: cloud.tags };
    projects.push({ id: await create("project", item), domain });
  }
  const groups: string[] = [];
  for (const [place, each] of cloud.groups.entries())
    groups.push(
      await create("group", { name: each, domain_id: at(domains, place), ...described(place + 2) }),
    );
  const roles: string[] = [];
  for (const [place, each] of cloud.roles.entries())
    roles.push(
      await create("role", {
        name: `own ${each}`,
        ...described(place + 3),
        ...(place === 0 && { options: { immutable: true } }),
      }),
    );
  for (const [place, each] of cloud.domainRoles.entries()) {
    const role = await create("role", { name: each, domain_id: at(domains, place) });
    if (place === 0) await send("PUT", `roles/${role}/implies/${at(roles, 1)}`);
  }
  if (roles.length > 1) await send("PUT", `roles/${String(roles[1])}/implies/${String(roles[0])}`);
  const grant = (target: string, group: string, role: string, isInherited = false) =>
    send(
      "PUT",
      `${isInherited ? "OS-INHERIT/" : ""}${target}/groups/${group}/roles/${role}${isInherited ? "/inherited_to_projects" : ""}`,
    );
  // The export has the projects of grants.
  for (const project of projects) await grant(`projects/${project.id}`, at(groups, 0), at(roles, 0));
  for (const { group, role, target, isInherited } of cloud.grants) {
    const [actor, granted] = [at(groups, group), at(roles, role)];
    if (target % 3 === 0) await grant("system", actor, granted);
    else if (target % 3 === 1) await grant(`domains/${at(domains, target)}`, actor, granted, isInherited);
    else await grant(`projects/${at(projects, target).id}`, actor, granted, isInherited);
  }

  // The export has the services and regions of limits.
  const services: string[] = [];
  for (const [place, each] of cloud.services.slice(0, cloud.defaults.length).entries())
    services.push(await create("service", { type: each, name: at(cloud.groups, place) }));
  const regions: string[] = [];
  for (const each of cloud.regions.slice(0, cloud.defaults.length - 1)) {
    const item = { id: each, ...(regions.length > 0 && { parent_region_id: regions[0] }) };
    regions.push(await create("region", item));
  }
  for (const [place, amount] of cloud.defaults.entries()) {
    const resource = {
      service_id: at(services, place),
      resource_name: place === 0 ? at(cloud.roles, 0) : `${at(cloud.roles, place)} ${place}`,
      ...(place > 0 && { region_id: at(regions, place - 1) }),
    };
    const registered = { ...resource, default_limit: amount, ...described(place) };
    await send("POST", "registered_limits", { registered_limits: [registered] });
    const limit = cloud.limits[place];
    const owner = place === 1 ? { domain_id: at(domains, 0) } : { project_id: projects[0]?.id };
    if (limit !== undefined)
      await send("POST", "limits", { limits: [{ ...resource, ...owner, resource_limit: limit }] });
  }

  for (const [place, mapping] of cloud.mappings.entries()) {
    const remote = [
      { type: "MELLON_NAME_ID" },
      place % 2 === 0
        ? { type: "groups", any_one_of: cloud.values }
        : { type: "HTTP_GROUPS", whitelist: cloud.values },
    ];
    const local = [
      { user: { name: "{0}", email: at(cloud.values, place) } },
      { group: { name: at(cloud.groups, place), domain: { name: at(cloud.domains, place) } } },
    ];
    await send("PUT", `OS-FEDERATION/mappings/${mapping}`, { mapping: { rules: [{ local, remote }] } });
  }
  const remoteIds = new Set<string>();
  for (const { id: idp, domain, enabled, description: about, ...provider } of cloud.providers) {
    const own = provider.remoteIds.filter((each) => !remoteIds.has(each));
    for (const each of own) remoteIds.add(each);
    const authorized = provider.authorized?.map((place) => at(domains, place)) ?? null;
    await send("PUT", `OS-FEDERATION/identity_providers/${idp}`, {
      identity_provider: {
        domain_id: at(domains, domain),
        enabled,
        description: about,
        authorization_ttl: provider.authorization_ttl,
        remote_ids: own,
        authorized_domains: authorized && [...new Set(authorized)],
      },
    });
    for (const { id: protocol, mapping, settings: each } of provider.protocols) {
      const { client_secret: secret } = (each ?? {}) as { client_secret?: string };
      if (secret !== undefined) secrets.set(JSON.stringify([idp, protocol, "client_secret"]), secret);
      await send("PUT", `OS-FEDERATION/identity_providers/${idp}/protocols/${protocol}`, {
        protocol: { mapping_id: at(cloud.mappings, mapping), ...(each !== null && { settings: each }) },
      });
    }
  }
  for (const [place, each] of cloud.serviceProviders.entries())
    await send("PUT", `OS-FEDERATION/service_providers/${each}`, {
      service_provider: {
        auth_url: `https://${each}.example/v3`,
        sp_url: `https://${each}.example/sp`,
        enabled: place === 0,
        ...described(place),
      },
    });
  return secrets;
}
