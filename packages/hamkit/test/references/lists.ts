/** Lists of the shape that the programs publish, written for the tests: names, places and dates are made up but for their form. */

export const PARKS = `"reference","name","active","entityId","locationDesc","latitude","longitude","grid"
"US-0001","Acadia National Park","1","291","US-ME","44.31","-68.2034","FN54vh"
"US-4567","Trail, ""the long one""","1","291","US-CA,US-NV","38.5","-120.1","CM98"
"DE-0001","Park am Wald","1","230","DE-BW","48.52","9.38","JN48QM"
"DE-0002","Verlassener Park","0","230","DE-BY","48.6","9.5","JN48SO"
"FJ-0001","Park at the Meridian","1","176","FJ-N","-16.8","-179.9","AH03"
"FJ-0002","Park West of the Meridian","1","176","FJ-N","-16.8","179.9","RH93"
"AQ-0001","Polar Park","1","13","AQ-0","-90","0","JA00"
"ZZ-0001","Park in No Place","1","","","0","0",""
`;

export const SUMMITS = `SOTA Summits List (Date=30/06/2024)
SummitCode,AssociationName,RegionName,SummitName,AltM,AltFt,GridRef1,GridRef2,Longitude,Latitude,Points,BonusPoints,ValidFrom,ValidTo,ActivationCount,ActivationDate,ActivationCall
DM/BW-001,Germany (Low Mountains),Baden-Württemberg,Feldberg,1493,4898,8.0043,47.8744,8.0043,47.8744,10,3,01/05/2008,31/12/2099,100,30/06/2024,DL1ABC/P
W4C/CM-001,USA - Carolinas,"Mountains, Central",Camp "Wildcat",1800,5905,-82.2,35.7,-82.2,35.7,10,3,01/07/2010,31/12/2015,0,,
`;

export const RESERVES = `Source: the directory of the program

reference,status,name,program,dxcc,state,county,continent,iota,iaruLocator,latitude,longitude,IUCNcat,validFrom,validTo,notes,lastMod,changeLog,reviewFlag,specialFlags,website,country,region,dxccEnum,qsoCount,lastAct
DLFF-0001,active,Nationalpark,DLFF,DL,,,EU,-,JN48QM,48.53,9.39,II,2010-01-01,0000-00-00,"Two
lines",2024-01-01,,,,,Germany,,230,5,
DLFF-0002,deleted,Former Reserve,DLFF,DL,,,EU,-,,,,,2010-01-01,2020-12-31,,,,,,,Germany,,230,0,
`;

export const ISLANDS = JSON.stringify([
  {
    refno: "EU-005",
    name: "Great Britain",
    dxcc_num: "223",
    latitude_max: "60",
    latitude_min: "50",
    longitude_max: "2",
    longitude_min: "-8",
  },
  {
    refno: "OC-016",
    name: "Viti Levu",
    latitude_max: "-16",
    latitude_min: "-18",
    longitude_max: "-179",
    longitude_min: "177",
  },
]);
