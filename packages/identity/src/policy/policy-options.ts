/** The settings of policy files, named as Keystone's in `[oslo_policy]`. */
import { oneOf, onOrOff, text, wordList, type Options } from "../platform/option-parsers.js";
import { POLICY_RELEASES } from "./rules/release-rules.js";

export const POLICY_OPTIONS = {
  file: {
    name: "IDENTITY_POLICY_FILE",
    parser: text("the path of a file"),
    help: "policy file of rules over the built-in ones, YAML or JSON, such as /etc/hamkit-identity/policy.yaml; by default none",
  },
  folders: {
    name: "IDENTITY_POLICY_DIRS",
    parser: wordList("folders"),
    help: "folders of further policy files, such as /etc/hamkit-identity/policy.d: read in the order of their names, later ones replace rules of earlier ones",
    standard: "",
  },
  release: {
    name: "IDENTITY_POLICY_RELEASE",
    parser: oneOf(...POLICY_RELEASES),
    help: "the release of Keystone whose rules hold where no file replaces them: 2026, or 22 (of Debian 12) for policy files that were written for it",
    standard: "2026",
  },
  enforcesScope: {
    name: "IDENTITY_POLICY_ENFORCE_SCOPE",
    parser: onOrOff,
    help: "refuse tokens of other scopes than an action is for, whatever its rule: on or off; Keystone of 2026 has it always on",
    standard: "on",
  },
  enforcesNewDefaults: {
    name: "IDENTITY_POLICY_ENFORCE_NEW_DEFAULTS",
    parser: onOrOff,
    help: "apply the built-in rules alone: on; or off, so that also what Keystone's former rules allowed is allowed",
    standard: "on",
  },
} satisfies Options;
