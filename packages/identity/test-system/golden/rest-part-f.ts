/** OAuth 1.0a. */
import { exactly, type RestPart } from "./golden-rules.js";

export const PART_F: RestPart = {
  part: "f",
  rules: {
    "20_setup_f": {},
    "41_oauth1": {
      "attributes-keep-their-names": exactly("consumer create: extra"),
      "mistakes-are-told": exactly(
        "consumer create: null",
        "oauth1 request token: unsigned",
        "oauth1 access token: unsigned",
      ),
      "authorizations-name-roles": exactly("oauth1 authorize: no roles", "oauth1 authorize: no wrapper"),
      "oauth1-logins-are-unauthorized": exactly(
        "oauth1 login: unsigned",
        "oauth1 login: unknown token",
        "oauth1 login: after delete",
      ),
      "nonces-work-once": exactly("oauth1 login: the same nonce again"),
      "delegated-tokens-reach-no-secrets": exactly("oauth1 token makes ec2"),
    },
  },
  consequences: {
    "41_oauth1": { bodies: [4, /^consumers(?: as (?:project admin|sys_reader|sys_member))?$/] },
  },
};
