import { expect, it } from "vitest";
import { parse } from "yaml";

import { cloudsYaml, identityOf } from "../../src/pages/account/clouds-yaml.ts";

it("writes a file that YAML readers read as it is meant, whatever the name", () => {
  const yaml = cloudsYaml({
    cloud: 'ci: "nightly" # é',
    authUrl: "https://cloud.example/v3",
    credentialId: "0123",
    secret: "yes",
    region: undefined,
  });
  expect(parse(yaml)).toEqual({
    clouds: {
      'ci: "nightly" # é': {
        auth_type: "v3applicationcredential",
        auth: {
          auth_url: "https://cloud.example/v3",
          application_credential_id: "0123",
          application_credential_secret: "yes",
        },
        interface: "public",
        identity_api_version: 3,
      },
    },
  });
});

it("takes address and region from the catalog, or else the address of the page", () => {
  const endpoints = [
    { interface: "admin", url: "http://inside/v3", region: "one" },
    { interface: "public", url: "https://cloud.example/v3", region: "one" },
  ];
  expect(identityOf({ catalog: [{ type: "identity", endpoints }] }, "http://page/v3")).toEqual({
    authUrl: "https://cloud.example/v3",
    region: "one",
  });
  expect(identityOf({}, "http://page/v3")).toEqual({ authUrl: "http://page/v3", region: undefined });
});
