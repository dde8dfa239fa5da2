/** The records of callbooks: callsigns and DXCC entities. */

/**
 * A value as the owner of the entry typed it. A text such as `602/480` instead of a number is kept.
 */
export type OrText<Value> = Value | string;

/**
 * The record of a callsign in a callbook. Unknown fields are absent.
 *
 * Keys are the same for all callbooks. The data is current, whatever the timestamp. Undocumented elements are left out, and so
 * are HamQTH's links to messengers and social networks.
 *
 * @example
 * async function townOf(callsign: string): Promise<string | undefined> {
 *   const lookup = new LookupLib({ lookuptype: "callbook", username: "N0CALL", pwd: "secret" });
 *   return (await lookup.lookupCallsign(callsign)).addr2;
 * }
 */
export interface CallbookRecord {
  /** The callsign of this entry. It differs from the requested one if the owner has several. */
  readonly callsign?: string;
  /** The requested callsign, if its entry is under another one. */
  readonly xref?: string;
  /** Other callsigns of this entry. */
  readonly aliases?: readonly string[];
  /** DXCC entity code of the callsign. */
  readonly adif?: OrText<number>;
  /** Name of the DXCC entity of the callsign. */
  readonly land?: string;
  /** EU, NA, SA, AS, AF, OC or AN; HamQTH only. */
  readonly continent?: string;
  /** CQ zone, 1 to 40. */
  readonly cqz?: OrText<number>;
  /** ITU zone, 1 to 90. */
  readonly ituz?: OrText<number>;
  /** WGS84 degrees, north positive. `geoloc` has the origin, and so the precision. */
  readonly latitude?: OrText<number>;
  /** WGS84 degrees, east positive. */
  readonly longitude?: OrText<number>;
  /** Maidenhead locator. */
  readonly locator?: string;
  /** The origin of the coordinates: user, geocode, grid, zip, state, dxcc or none. */
  readonly geoloc?: string;

  /** Attention line of the postal address. */
  readonly attn?: string;
  /** First names. */
  readonly fname?: string;
  /** Last name at QRZ, the full name at HamQTH. */
  readonly name?: string;
  readonly nickname?: string;
  /** The name as its owner formats it. */
  readonly name_fmt?: string;
  /** House and street. */
  readonly addr1?: string;
  /** Town. */
  readonly addr2?: string;
  /** Location of the station, in its owner's words; HamQTH only. */
  readonly qth?: string;
  /** State; of the United States only. */
  readonly state?: string;
  readonly zipcode?: string;
  /** Country of the postal address, or `land` where it is unknown. */
  readonly country?: string;
  /** DXCC entity code of the postal address. */
  readonly ccode?: OrText<number>;
  /** County; of the United States only. */
  readonly county?: string;
  /** Code of the county, with its leading zero. */
  readonly fips?: string;
  /** District of the address or of the national society; HamQTH only. */
  readonly district?: string;
  /** Russian district; HamQTH only. */
  readonly oblast?: string;
  /** Local branch of the German society; HamQTH only. */
  readonly dok?: string;
  /** Island on the air, such as NA-001. */
  readonly iota?: string;

  /** When the license became valid: a day of UTC. */
  readonly efdate?: OrText<Date>;
  /** When the license expires: a day of UTC. */
  readonly expdate?: OrText<Date>;
  /** The previous callsign. */
  readonly p_call?: string;
  readonly license_class?: string;
  /** Codes of the kind of license. */
  readonly codes?: string;
  /** Year of the license; HamQTH only. */
  readonly licensed?: OrText<number>;

  /** How QSL cards are to be sent. */
  readonly qslmgr?: string;
  /** Uses Logbook of the World. */
  readonly lotw?: OrText<boolean>;
  /** Accepts electronic cards of eQSL. */
  readonly eqsl?: OrText<boolean>;
  /** Returns cards by mail. */
  readonly mqsl?: OrText<boolean>;
  /** Accepts cards from the bureau; HamQTH only. */
  readonly bqsl?: OrText<boolean>;

  readonly email?: string;
  /** Web page. */
  readonly url?: string;
  /** Number of views of the entry. */
  readonly u_views?: OrText<number>;
  /** Size in bytes of the page about the owner; in older responses with a date behind a slash. */
  readonly bio?: string;
  /** When that page was changed. */
  readonly biodate?: OrText<Date>;
  /** Address of a picture. */
  readonly image?: string;
  /** Height, width and size in bytes of the picture, with colons between. */
  readonly imageinfo?: string;
  /** Number of the entry. */
  readonly serial?: OrText<number>;
  /** When the entry was changed. */
  readonly moddate?: OrText<Date>;
  /** Manager of the entry. */
  readonly user?: string;
  /** Year of birth. */
  readonly born?: OrText<number>;

  /** Metropolitan service area; of the United States only. */
  readonly msa?: OrText<number>;
  /** Telephone area; of the United States only. */
  readonly areacode?: OrText<number>;
  /** Name of the time zone. */
  readonly timezone?: string;
  /** Hours that local time is ahead of UTC. */
  readonly gmtoffset?: OrText<number>;
  /** Observes daylight saving time. */
  readonly dst?: OrText<boolean>;
}

/**
 * The record of a DXCC entity in a callbook, without main prefix and deletion. Zone 0 stands for several zones.
 */
export interface CallbookEntity {
  /** DXCC entity code. */
  readonly adif?: OrText<number>;
  readonly country?: string;
  /** EU, NA, SA, AS, AF, OC or AN. */
  readonly continent?: string;
  /** WGS84 degrees, north positive. */
  readonly latitude?: OrText<number>;
  /** WGS84 degrees, east positive. */
  readonly longitude?: OrText<number>;
  /** CQ zone. */
  readonly cqz?: OrText<number>;
  /** ITU zone. */
  readonly ituz?: OrText<number>;
  /** Hours that local time is ahead of UTC: 5.75 in Nepal. */
  readonly timezone?: OrText<number>;
  /** ISO 3166 code of the country, two letters; QRZ only. */
  readonly cc?: string;
  /** ISO 3166 code of the country, three letters; QRZ only. */
  readonly ccc?: string;
  /** QRZ only. */
  readonly notes?: string;
}
