/**
 * The rules that clicks on the attributes of a test login make: who the user is, whom the rules accept, and the groups. Rules of
 * another form are edited in the workbench.
 */
/** What attributes are for. */
export const USES = ["user_id", "user_name", "email", "groups"] as const;
export type Use = (typeof USES)[number];

export const USE_WORDS: Readonly<Record<Use, string>> = {
  user_id: "id",
  user_name: "name",
  email: "e-mail",
  groups: "groups",
};

/** One value of an attribute. */
export interface AttributeValue {
  readonly attribute: string;
  readonly value: string;
}

/** A value whose users are in a group. */
export interface GroupValue extends AttributeValue {
  readonly group: { readonly id: string; readonly name: string };
}

export interface ClickedRules {
  /** The attribute of each use; each value of `groups` is the group of that name. */
  readonly uses: Readonly<Partial<Record<Use, string>>>;
  /** A login has one of the values of each attribute that is named here. */
  readonly required: readonly AttributeValue[];
  readonly groups: readonly GroupValue[];
}

interface Condition {
  readonly type: string;
  readonly any_one_of?: readonly string[];
}
export interface ClickedRule {
  readonly remote: readonly Condition[];
  readonly local: readonly object[];
}

/** What claims of one token alone are: of no use in rules. */
const OF_TOKENS = /[-_](?:nonce|exp|iat|nbf|jti|at_hash|c_hash)$/i;

/** Attributes with text, without those of one token, and without the second spelling of claims, as headers have it. */
export function shownAttributes(
  attributes: Readonly<Record<string, unknown>>,
): readonly (readonly [name: string, value: string])[] {
  const entries = Object.entries(attributes).flatMap(([name, value]) =>
    typeof value === "string" && !OF_TOKENS.test(name) ? [[name, value] as const] : [],
  );
  const spelled = new Set(
    entries.map(([name]) => `HTTP_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`),
  );
  return entries.filter(([name]) => !spelled.has(name));
}

/** What a kind of provider usually sends. */
export interface UsualAttributes {
  readonly attributes: Readonly<Partial<Record<Use, string>>>;
}

export const usualRules = ({ attributes }: UsualAttributes): ClickedRules => ({
  uses: Object.fromEntries(
    USES.flatMap((use) => (attributes[use] === undefined ? [] : [[use, attributes[use]]])),
  ),
  required: [],
  groups: [],
});

/** Without uses of attributes that did not come. */
export function withoutMissing(
  { uses, ...others }: ClickedRules,
  attributes: Readonly<Record<string, unknown>>,
): ClickedRules {
  const present = Object.entries(uses).filter(([, attribute]) => attribute in attributes);
  return { ...others, uses: Object.fromEntries(present) };
}

/** The click on a use: set, or taken back. An attribute may have several. */
export function withUse({ uses, ...others }: ClickedRules, use: Use, attribute: string): ClickedRules {
  const { [use]: before, ...rest } = uses;
  return { ...others, uses: before === attribute ? rest : { ...rest, [use]: attribute } };
}

const isSame = (one: AttributeValue) => (other: AttributeValue) =>
  one.attribute === other.attribute && one.value === other.value;

/** The click that requires a value, or does not any more. */
export function withRequired(rules: ClickedRules, wanted: AttributeValue): ClickedRules {
  const is = isSame(wanted);
  const isRequired = rules.required.some(is);
  return {
    ...rules,
    required: isRequired ? rules.required.filter((each) => !is(each)) : [...rules.required, wanted],
  };
}

/** Users with the value are in the group; in none, without one. */
export function withGroup(
  rules: ClickedRules,
  value: AttributeValue,
  group: GroupValue["group"] | undefined,
): ClickedRules {
  const others = rules.groups.filter((each) => !isSame(value)(each));
  return { ...rules, groups: group === undefined ? others : [...others, { ...value, group }] };
}

/** The mapping rules. @param domainId Of the users and groups. */
export function rulesOf({ uses, required, groups }: ClickedRules, domainId: string): readonly ClickedRule[] {
  const conditions = conditionsOn(required);
  const members = (["id", "name", "email"] as const).flatMap((member) => {
    const attribute = uses[USE_OF_MEMBER[member]];
    return attribute === undefined ? [] : [{ member, attribute }];
  });
  const taken = [...new Set(members.map(({ attribute }) => attribute))];
  const user = Object.fromEntries(
    members.map(({ member, attribute }) => [member, `{${taken.indexOf(attribute)}}`]),
  );
  const names = taken.map((type) => ({ type }));
  return [
    { remote: [...names, ...conditions], local: [{ user }] },
    ...(uses.groups === undefined
      ? []
      : [
          {
            remote: [{ type: uses.groups }, ...conditions],
            local: [{ groups: "{0}", domain: { id: domainId } }],
          },
        ]),
    ...groups.map(({ attribute, value, group }) => ({
      remote: [
        { type: attribute, any_one_of: [value] },
        ...conditions.filter(({ type }) => type !== attribute),
      ],
      local: [{ group: { id: group.id } }],
    })),
  ];
}

const USE_OF_MEMBER = { id: "user_id", name: "user_name", email: "email" } as const;

function conditionsOn(required: readonly AttributeValue[]): readonly Condition[] {
  const types = [...new Set(required.map(({ attribute }) => attribute))];
  return types.map((type) => ({
    type,
    any_one_of: required.filter(({ attribute }) => attribute === type).map(({ value }) => value),
  }));
}

/**
 * The clicks that make these rules; `undefined` for rules of another form.
 *
 * @param domainId Of the users and groups.
 */
export function clicksOf(rules: readonly unknown[], domainId: string): ClickedRules | undefined {
  const read = readClicks(rules as readonly ClickedRule[]);
  return read !== undefined && JSON.stringify(rulesOf(read, domainId)) === JSON.stringify(rules)
    ? read
    : undefined;
}

function readClicks([first, ...others]: readonly ClickedRule[]): ClickedRules | undefined {
  try {
    const [{ user } = { user: {} }] = (first?.local ?? []) as { user: Record<string, string> }[];
    const named = (first?.remote ?? []).filter((condition) => condition.any_one_of === undefined);
    const uses = Object.entries(user).map(([member, text]) => [
      USE_OF_MEMBER[member as keyof typeof USE_OF_MEMBER],
      named[Number(text.slice(1, -1))]?.type,
    ]);
    const required = (first?.remote ?? []).flatMap(({ type, any_one_of: values = [] }) =>
      values.map((value) => ({ attribute: type, value })),
    );
    const groups: GroupValue[] = [];
    for (const { remote, local } of others) {
      const [condition] = remote;
      const [given] = local as { groups?: string; group?: { id: string } }[];
      if (condition === undefined) return undefined;
      if (given?.groups !== undefined) uses.push(["groups", condition.type]);
      else if (given?.group !== undefined) {
        const { id } = given.group;
        groups.push({
          attribute: condition.type,
          value: condition.any_one_of?.[0] ?? "",
          group: { id, name: id },
        });
      }
    }
    return { uses: Object.fromEntries(uses), required, groups };
  } catch {
    // Not even the members of rules.
    return undefined;
  }
}

export interface RulesFault {
  readonly text: string;
  /** Whether the rules may be saved once someone has confirmed it. */
  readonly isConfirmable: boolean;
}

/** Attributes that are another one at each login, or may pass to another person. */
export interface UnstableAttributes {
  /** The NameID is transient. */
  readonly isTransient: boolean;
  /** What lint says of the rules' user, if it warns. */
  readonly lint: string | undefined;
}

const NAME_IDS: ReadonlySet<string | undefined> = new Set(["NAME_ID", "REMOTE_USER"]);

/** What is wrong with the rules, or has to be confirmed; the gravest first. */
export function faultsOfRules(
  { uses, required }: ClickedRules,
  requires: readonly { readonly attribute: string; readonly reason: string }[],
  { isTransient, lint }: UnstableAttributes,
): readonly RulesFault[] {
  if (uses.user_name === undefined && uses.user_id === undefined)
    return [{ text: "Click name or id at the attribute that says who the user is.", isConfirmable: false }];
  const missing = requires
    .filter(({ attribute }) => !required.some((each) => each.attribute === attribute))
    .map(({ attribute, reason }) => ({
      text: `Click the value of ${attribute} that users have to have. ${reason}`,
      isConfirmable: false,
    }));
  if (missing.length > 0) return missing;
  const key = uses.user_id ?? uses.user_name;
  if (isTransient && NAME_IDS.has(key))
    return [
      {
        text: `${key} is a transient NameID: it is another one at each login, so that each login is a new user. Click id at an attribute that stays, or ask for persistent NameIDs in the settings.`,
        isConfirmable: true,
      },
    ];
  return lint === undefined ? [] : [{ text: sentence(lint), isConfirmable: true }];
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
