/** What callbooks tell of a station, and of a DXCC entity. */

/**
 * A value of a callbook: what its owner typed, so what should be a number may be `602/480`. Such a value is kept as its
 * text.
 */
export type OrText<Value> = Value | string;

/**
 * What a callbook tells of a callsign. What it doesn't know is left out.
 *
 * Keys are the same for all callbooks. The owner's data are those of today, whatever the time that was asked for. Elements
 * that the callbooks don't document are left out, and so are HamQTH's links to messengers and social networks.
 *
 * @example
 * async function townOf(callsign: string): Promise<string | undefined> {
 *   const lookup = new LookupLib({ lookuptype: "callbook", username: "N0CALL", pwd: "secret" });
 *   return (await lookup.lookupCallsign(callsign)).addr2;
 * }
 */
export interface CallbookRecord {
  /** The callsign of this entry. It differs from the one that was asked if that is another one of the same owner. */
  readonly callsign?: string;
  /** The callsign that was asked, where it leads to an entry under another one. */
  readonly xref?: string;
  /** Other callsigns that lead to this entry. */
  readonly aliases?: readonly string[];
  /** DXCC entity code of the callsign. */
  readonly adif?: OrText<number>;
  /** Name of the DXCC entity of the callsign. */
  readonly land?: string;
  /** EU, NA, SA, AS, AF, OC or AN; HamQTH alone. */
  readonly continent?: string;
  /** CQ zone, 1 to 40. */
  readonly cqz?: OrText<number>;
  /** ITU zone, 1 to 90. */
  readonly ituz?: OrText<number>;
  /** WGS84 degrees, north positive. How precise that is, `geoloc` tells. */
  readonly latitude?: OrText<number>;
  /** WGS84 degrees, east positive. */
  readonly longitude?: OrText<number>;
  /** Maidenhead locator. */
  readonly locator?: string;
  /** Where the coordinates come from: user, geocode, grid, zip, state, dxcc or none. */
  readonly geoloc?: string;

  /** To whose attention letters are to be sent. */
  readonly attn?: string;
  /** First names. */
  readonly fname?: string;
  /** Last name at QRZ, the full name at HamQTH. */
  readonly name?: string;
  readonly nickname?: string;
  /** The name as its owner wants it to be written. */
  readonly name_fmt?: string;
  /** House and street. */
  readonly addr1?: string;
  /** Town. */
  readonly addr2?: string;
  /** Where the station is, in its owner's words; HamQTH alone. */
  readonly qth?: string;
  /** State; of the United States alone. */
  readonly state?: string;
  readonly zipcode?: string;
  /** Country of the postal address, or where that is not known, `land`. */
  readonly country?: string;
  /** DXCC entity code of the postal address. */
  readonly ccode?: OrText<number>;
  /** County; of the United States alone. */
  readonly county?: string;
  /** Code of the county, with its leading zero. */
  readonly fips?: string;
  /** District of the address or of the national society; HamQTH alone. */
  readonly district?: string;
  /** Russian district; HamQTH alone. */
  readonly oblast?: string;
  /** Local branch of the German society; HamQTH alone. */
  readonly dok?: string;
  /** Island on the air, such as NA-001. */
  readonly iota?: string;

  /** When the license became valid: a day of UTC. */
  readonly efdate?: OrText<Date>;
  /** When the license expires: a day of UTC. */
  readonly expdate?: OrText<Date>;
  /** The call before this one. */
  readonly p_call?: string;
  readonly license_class?: string;
  /** Codes of the kind of license. */
  readonly codes?: string;
  /** Year of the license; HamQTH alone. */
  readonly licensed?: OrText<number>;

  /** How QSL cards are to be sent. */
  readonly qslmgr?: string;
  /** Uses Logbook of the World. */
  readonly lotw?: OrText<boolean>;
  /** Takes electronic cards of eQSL. */
  readonly eqsl?: OrText<boolean>;
  /** Returns cards by mail. */
  readonly mqsl?: OrText<boolean>;
  /** Takes cards from the bureau; HamQTH alone. */
  readonly bqsl?: OrText<boolean>;

  readonly email?: string;
  /** Web page. */
  readonly url?: string;
  /** How often the entry has been looked at. */
  readonly u_views?: OrText<number>;
  /** Size in bytes of the page about the owner; with a date behind a slash in older answers. */
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
  /** Who manages the entry. */
  readonly user?: string;
  /** Year of birth. */
  readonly born?: OrText<number>;

  /** Metropolitan service area; of the United States alone. */
  readonly msa?: OrText<number>;
  /** Telephone area; of the United States alone. */
  readonly areacode?: OrText<number>;
  /** Name of the time zone. */
  readonly timezone?: string;
  /** Hours that local time is ahead of UTC. */
  readonly gmtoffset?: OrText<number>;
  /** Observes daylight saving time. */
  readonly dst?: OrText<boolean>;
}

/**
 * What a callbook tells of a DXCC entity. Callbooks know neither main prefixes nor which entities are deleted, and zones of
 * 0 stand for several ones.
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
  /** ISO 3166 code of the country, two letters; QRZ alone. */
  readonly cc?: string;
  /** ISO 3166 code of the country, three letters; QRZ alone. */
  readonly ccc?: string;
  /** QRZ alone. */
  readonly notes?: string;
}
