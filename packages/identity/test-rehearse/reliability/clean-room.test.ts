import { cleanRoomContract } from "../../test-system/reliability/clean-room/clean-room-contract.js";

const { CLEAN_ROOM_MINUTES: minutes = "20", CLEAN_ROOM_RATE: perSecond = "200" } = process.env;

// `CLEAN_ROOM_MINUTES=2 npm run rehearse -- clean-room` is quicker.
cleanRoomContract({ minutes: Number(minutes), perSecond: Number(perSecond) });
