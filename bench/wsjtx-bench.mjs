/** Datagrams of WSJT-X and the texts in them. */
import { decodeDatagram, encodeDatagram, parseMessage } from "hamkit/wsjtx";

/** Datagrams to decode, a power of two. */
const COUNT = 1 << 14;

export async function bench({ rate, row }) {
  const messages = Array.from({ length: COUNT }, (_, index) => decodeOf(index));
  const datagrams = messages.map((message) => encodeDatagram(message));
  let failed = 0;
  const decode = (index) => {
    if (decodeDatagram(datagrams[index]).kind !== "decode") failed++;
  };
  const encode = (index) => {
    if (encodeDatagram(messages[index]).length < 60) failed++;
  };
  const parse = (index) => {
    if (parseMessage(messages[index].message).kind === "freeText") failed++;
  };
  row({ work: "decode a datagram of WSJT-X", hamkit: rate("decode", decode, COUNT), limit: 200_000 });
  row({ work: "encode a datagram of WSJT-X", hamkit: rate("encode", encode, COUNT), limit: 100_000 });
  row({ work: "parse a text of FT8, mixed", hamkit: rate("parse", parse, COUNT), limit: 100_000 });
  if (failed > 0) throw new Error(`${failed} were not read`);
}

function decodeOf(index) {
  return {
    kind: "decode",
    id: "WSJT-X",
    new: true,
    timeMs: (index % 5760) * 15_000,
    snr: (index % 40) - 24,
    deltaTime: (index % 20) / 10,
    deltaFrequencyHz: index % 3000,
    mode: "~",
    message: text(index),
    lowConfidence: false,
    offAir: false,
  };
}

function text(index) {
  const [to, de] = [call(index), call(index * 7 + 1)];
  return [
    `CQ ${de} FN42`,
    `CQ DX ${de} JO62`,
    `${to} ${de} JN48`,
    `${to} ${de} -12`,
    `${to} ${de} R+03`,
    `${to} ${de} RR73`,
    `<PJ4/${to}> ${de} 73`,
    `${to} ${de} R 559 MA`,
  ][index % 8];
}

function call(index) {
  const letter = (step) => String.fromCharCode(65 + (Math.floor(index / step) % 26));
  return `${["DL", "K", "JA", "UA", "EA", "VK"][index % 6]}${index % 10}${letter(1)}${letter(26)}${letter(676)}`;
}
