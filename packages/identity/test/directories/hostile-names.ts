/** Names that try to be more than a name: filters, DNs, control characters, broken and long text. */
const PIECES = [
  "*",
  "(",
  ")",
  "\\",
  "\0",
  ")(uid=*",
  "*)(uid=*))(|(uid=*",
  "\\2a",
  "\\00",
  "&",
  "|",
  "!",
  "=",
  ",",
  "+",
  "#",
  ";",
  "<",
  ">",
  '"',
  " ",
  "\u00a0",
  "\u200b",
  "\u202e",
  "\ud800",
  "\u{1f98a}",
  "e\u0301",
  "ß",
  "İ",
];

/** At least 200, all different. */
export function hostileNames(): string[] {
  const names = new Set<string>(["x".repeat(65_536), "(".repeat(1000), "\u{1f98a}".repeat(500)]);
  for (const one of PIECES) {
    for (const name of [one, `alva${one}`, `${one}alva`, `al${one}va`]) names.add(name);
    for (const other of PIECES.slice(0, 7)) names.add(one + other);
  }
  for (const dn of [
    "uid=alva,dc=test",
    "cn=admin,dc=test",
    "",
    "alva\n",
    "alva)(objectClass=*",
    "alva\\)",
    "CN=alva",
  ])
    names.add(dn);
  return [...names];
}
