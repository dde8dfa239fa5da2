/**
 * Prefixes whose calls belong to several DXCC entities, so that only a list of calls tells which one.
 *
 * @see The prefixes of the ARRL DXCC list, with their cross-references; ADIF 3.1.6, enumeration DXCC_Entity_Code.
 */

const ANTARCTICA = 13;
const OVERSEAS_FRANCE = "10 36 41 62 63 79 84 99 124 131 162 169 175 213 276 277 298 453 508 509 512 516"
  .split(" ")
  .map(Number);

/** Prefixes, separated by blanks, and the codes of the entities that share them; none for any. */
const SHARED: readonly (readonly [prefixes: string, entities: readonly number[]])[] = [
  ["3D2", [176, 460, 489]], // Fiji, Rotuma, Conway Reef
  ["3Y", [ANTARCTICA, 24, 199]], // Bouvet, Peter I
  ["9M4 9M5", [299, 46, 247]], // West Malaysia, East Malaysia, Spratly
  ["CE0 CA0 CB0 CC0 CD0 XQ0 XR0 3G0", [47, 125, 217]], // Easter, Juan Fernandez, San Felix
  ["CE9 XR9", [ANTARCTICA, 112, 241]], // Chile, South Shetland
  ["E5 ZK1", [191, 234]], // North Cook, South Cook
  ["TO TX FO FK FT FR", [...OVERSEAS_FRANCE, ANTARCTICA]],
  ["GB 2O 2Q 2R 2V GO GQ GR GV MO MQ MR MV", [106, 114, 122, 223, 265, 279, 294]], // special calls of the United Kingdom
  ["HK0 HJ0 5J0 5K0", [161, 216]], // Malpelo, San Andres
  ["II0 IO0 IQ0 IR0", [225, 248]], // Sardinia, Italy
  ["JD1", [177, 192]], // Minami Torishima, Ogasawara
  ["KC4", [ANTARCTICA, 182, 291]], // Navassa, United States
  ["KG4", [105, 291]], // Guantanamo Bay, United States
  ["KG6", [103, 166, 291]], // Guam, Mariana, United States
  ["KV4", [285, 291]], // Virgin Islands, United States
  ["KP3 KP4 NP3 NP4 WP3 WP4", [43, 182, 202]], // Desecheo, Navassa, Puerto Rico
  ["KH5 AH5 NH5 WH5", [134, 197]], // Kingman Reef, Palmyra
  ["KH7 AH7 NH7 WH7", [110, 138]], // Hawaii, Kure
  ["KH8 AH8 NH8 WH8", [9, 515]], // American Samoa, Swains
  ["PJ0", [517, 518, 519, 520]], // Curacao, Sint Maarten, Saba and St. Eustatius, Bonaire
  ["PP0 PQ0 PR0 PS0 PT0 PU0 PV0 PW0 PX0 PY0 ZV0 ZW0 ZX0 ZY0 ZZ0", [56, 253, 273]], // islands of Brazil
  ["R1 RI1", [ANTARCTICA, 54, 61, 151, 241]], // Russia, Franz Josef Land, Malyj Vysotskij
  ["SV0 SV2 SW SX SY SZ J4", [40, 45, 180, 236]], // Crete, Dodecanese, Athos, Greece
  ["VK0 AX0 VI0", [ANTARCTICA, 111, 153]], // Heard, Macquarie
  ["VK9 AX9 VI9", [35, 38, 147, 150, 171, 189, 303]], // islands of Australia
  ["VP6", [172, 513]], // Pitcairn, Ducie
  ["VP8 VP0", [ANTARCTICA, 141, 235, 238, 240, 241]], // Falklands and the islands south of them
  // Calls of countries for their stations in Antarctica.
  ["8J1", [ANTARCTICA, 339]],
  ["DP0 DP1", [ANTARCTICA, 230, 241]],
  ["EM1", [ANTARCTICA, 288]],
  ["HF0", [ANTARCTICA, 241, 269]],
  ["OR4", [ANTARCTICA, 209]],
  ["4U", []], // the United Nations' stations are in any country
];

const SHARED_PREFIXES: ReadonlyMap<string, SharedPrefix> = new Map(
  SHARED.flatMap(([prefixes, entities]) =>
    prefixes.split(" ").map((prefix) => [prefix, { prefix, entities }] as const),
  ),
);

/** A prefix that entities share. */
export interface SharedPrefix {
  readonly prefix: string;
  /** Codes of the entities; empty for any. */
  readonly entities: readonly number[];
}

/**
 * The shared prefix of a call; `undefined` where its prefix belongs to one entity.
 *
 * @param call A normalized call without slashes, or a prefix.
 */
export function sharedPrefixOf(call: string): SharedPrefix | undefined {
  return SHARED_PREFIXES.get(call.slice(0, 3)) ?? SHARED_PREFIXES.get(call.slice(0, 2));
}

/**
 * Whether calls with the prefix of this call belong to several entities, of which this is one.
 *
 * @param call A normalized call without slashes.
 * @param adif The entity's code.
 */
export function isSharedPrefix(call: string, adif: number): boolean {
  const entities = sharedPrefixOf(call)?.entities;
  return entities !== undefined && (entities.length === 0 || entities.includes(adif));
}
