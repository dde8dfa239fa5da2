/** Which values of conditions name an owner, and which accept workloads of other owners of the same issuer. */

/** What a beginning before the first `*` has to contain, so that it names one owner: its name with the delimiter that ends it. */
const SEGMENT = /^[^:/]+[:/]/;
const UP_TO_SLASH = /^[^:/]+\//;
const UP_TO_COLON = /^[^:/]+:/;
/** A key that names the owner, after others. */
const LATER_OWNER =
  /(?:^|:)(?:(?:repo|repository|job_workflow_ref|project_path):[^:/]+\/|(?:repository_owner(?:_id)?|repository_id|project_id|namespace_id):[^:]+:)/;

/**
 * What the subjects of issuers begin with, and what comes next where an owner is named.
 *
 * @see The issuers' documents on OpenID Connect: GitHub ("Customizing the token claims"), GitLab ("ID token payload"), Kubernetes
 *   ("ServiceAccount tokens"), SPIFFE (SPIFFE-ID, 2), AWS (ARNs), HCP Terraform, Buildkite, CircleCI, Azure DevOps, Harness.
 */
const SUBJECTS: readonly { readonly beginning: string; readonly owner: RegExp }[] = [
  // GitHub, also with claims of the operator's choice; GitLab.
  ...["repo:", "repository:", "job_workflow_ref:", "project_path:"].map((beginning) => ({
    beginning,
    owner: UP_TO_SLASH,
  })),
  ...["repository_id:", "repository_owner:", "repository_owner_id:", "project_id:", "namespace_id:"].map(
    (beginning) => ({ beginning, owner: UP_TO_COLON }),
  ),
  { beginning: "namespace_path:", owner: SEGMENT },
  { beginning: "enterprise:", owner: UP_TO_COLON },
  ...[
    "actor:",
    "actor_id:",
    "base_ref:",
    "context:",
    "environment:",
    "event_name:",
    "head_ref:",
    "job_workflow_sha:",
    "pipeline_source:",
    "ref:",
    "ref_protected:",
    "ref_type:",
    "repository_visibility:",
    "runner_environment:",
    "user_id:",
    "user_login:",
    "workflow:",
    "workflow_ref:",
  ].map((beginning) => ({ beginning, owner: LATER_OWNER })),
  // Kubernetes.
  { beginning: "system:", owner: /^serviceaccount:[^:]+:/ },
  // SPIFFE.
  { beginning: "spiffe://", owner: UP_TO_SLASH },
  // AWS: the account.
  { beginning: "arn:", owner: /^[^:]+:[^:]+:[^:]*:\d{12}:/ },
  // HCP Terraform, Buildkite; CircleCI; Azure DevOps; Harness, Codefresh.
  { beginning: "organization:", owner: UP_TO_COLON },
  { beginning: "org/", owner: UP_TO_SLASH },
  { beginning: "sc://", owner: UP_TO_SLASH },
  { beginning: "p://", owner: UP_TO_SLASH },
  { beginning: "account/", owner: SEGMENT },
  { beginning: "account:", owner: UP_TO_COLON },
  // Others that are URLs.
  { beginning: "https://", owner: UP_TO_SLASH },
  { beginning: "http://", owner: UP_TO_SLASH },
];

/** Claims that identify the repository or project whose job has the token, and whether a beginning of their value names an owner. */
const OWNER_CLAIMS: Readonly<Record<string, (beginning: string) => boolean>> = {
  sub: isSubjectOfOwner,
  repository: (beginning) => UP_TO_SLASH.test(beginning),
  repository_owner: () => false,
  project_path: (beginning) => UP_TO_SLASH.test(beginning),
  namespace_path: (beginning) => UP_TO_SLASH.test(beginning),
  // Numbers, of which the beginning says nothing.
  repository_id: () => false,
  repository_owner_id: () => false,
  project_id: () => false,
  namespace_id: () => false,
};

export const IDENTIFYING_CLAIMS: readonly string[] = Object.keys(OWNER_CLAIMS);

/** Whether a value of a condition accepts workloads of one owner alone. A `*` stands for any characters. */
export function namesOwner(claim: string, value: string): boolean {
  const isOfOwner = Object.hasOwn(OWNER_CLAIMS, claim) ? OWNER_CLAIMS[claim] : undefined;
  if (isOfOwner === undefined) return false;
  const [beginning = "", ...rest] = value.split("*");
  return rest.length === 0 || isOfOwner(beginning);
}

/** Whether a value of a number has a `*`: 7 and 74 are different repositories. */
export function isNumberPattern(claim: string, value: string): boolean {
  return /^(?:repository|repository_owner|project|namespace)_id$/.test(claim) && value.includes("*");
}

function isSubjectOfOwner(beginning: string): boolean {
  // It covers a common one.
  if (SUBJECTS.some((common) => common.beginning.startsWith(beginning))) return false;
  const known = SUBJECTS.filter((common) => beginning.startsWith(common.beginning));
  if (known.length === 0) return SEGMENT.test(beginning);
  return known.some((common) => common.owner.test(beginning.slice(common.beginning.length)));
}
