/** Policies, endpoint policies, endpoint filters and domain configuration. */
import { exactly, type RestPart } from "./golden-rules.js";

export const PART_D: RestPart = {
  part: "d",
  rules: {
    "20_setup_d": {},
    "34_policies": {
      // The policy with such attributes is in the lists.
      "attributes-keep-their-names": [
        12,
        /^policy create: attribute with dashes$|^policy list(?: as .*| \?(?:type__contains=json|blob=x|name=my%20policy|bogus=1|id=x))?$/,
      ],
      "policies-have-no-collection-methods": [7, /^policy (?:member|collection) /],
    },
    "35_endpoint_policy": {
      "policies-link-to-themselves": [7, /^policy of endpoint (?:ep[123]|as .*|ep1 after)$/],
      "endpoints-of-policies-are-listed-once": exactly("endpoint policy: endpoints of p", "endpoints of q 2"),
    },
    "36_ep_filter": {
      "authorized-before-validated": [8, /^endpoint group create invalid as /],
      "lists-come-in-pages": exactly("endpoint groups ?limit=1"),
      "unknown-endpoint-groups-are-missing": exactly("projects of unknown group"),
      "groups-of-projects-have-links": [6, /^group in project GET (?:after$|as )/],
      "errors-in-json": exactly("endpoint groups unknown path"),
    },
    "37_domain_config": {},
  },
  // The first policy of a page, and whether the first public endpoint is Keystone's own, depend on random ids.
  byChance: /^policy list \?limit=1$|^policy of endpoint (?:HEAD )?keystone$/,
};
