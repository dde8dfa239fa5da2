/** Policies, endpoint policies, endpoint filters and domain configuration. */
import { exactly, type RestPart } from "./golden-rules.js";

export const PART_D: RestPart = {
  part: "d",
  rules: {
    "20_setup_d": {},
    "34_policies": {
      "attributes-keep-their-names": exactly("policy create: attribute with dashes"),
      "policies-have-no-collection-methods": exactly(
        "policy member POST",
        "policy collection PATCH",
        "policy collection DELETE",
      ),
    },
    "35_endpoint_policy": {
      "endpoints-of-policies-are-listed-once": exactly("endpoint policy: endpoints of p", "endpoints of q 2"),
    },
    "36_ep_filter": {
      "authorized-before-validated": [8, /^endpoint group create invalid as /],
      "lists-come-in-pages": exactly("endpoint groups ?limit=1"),
      "unknown-endpoint-groups-are-missing": exactly("projects of unknown group"),
      "errors-in-json": exactly("endpoint groups unknown path"),
    },
    "37_domain_config": {},
  },
  consequences: {
    "34_policies": {
      bodies: [
        11,
        /^policy list(?: as .*| \?(?:type__contains=json|blob=x|name=my%20policy|bogus=1|id=x))?$/,
      ],
    },
  },
  headers: { "34_policies": [4, /^policy (?:member|collection) (?:PUT|OPTIONS)$/] },
  // The first policy of a page, and whether the first public endpoint is Keystone's own, depend on random ids.
  byChance: /^policy list \?limit=1$|^policy of endpoint (?:HEAD )?keystone$/,
};
