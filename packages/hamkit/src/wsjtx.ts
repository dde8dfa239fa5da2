/**
 * `hamkit/wsjtx`: the UDP datagrams of WSJT-X, JTDX and MSHV, read and written, and the meaning of message texts.
 *
 * @module hamkit/wsjtx
 */
export { instantOf } from "./wsjtx/date-time.js";
export { decodeDatagram } from "./wsjtx/decode-datagram.js";
export { encodeDatagram } from "./wsjtx/encode-datagram.js";
export type {
  AnnotationInfo,
  Clear,
  Close,
  Configure,
  Datagram,
  Decode,
  FreeText,
  HaltTx,
  Heartbeat,
  HighlightCallsign,
  InvalidDatagram,
  Location,
  LoggedAdif,
  OutgoingMessage,
  QsoLogged,
  Replay,
  Reply,
  Status,
  SwitchConfiguration,
  UnknownDatagram,
  WsjtxColor,
  WsjtxDateTime,
  WsjtxMessage,
  WsprDecode,
} from "./wsjtx/datagram.js";
export type {
  AmbiguousMessage,
  CallMessage,
  CqMessage,
  EndMessage,
  EuVhfMessage,
  FieldDayMessage,
  FoxMessage,
  FreeTextMessage,
  ParsedMessage,
  ReportMessage,
  Rr73CqMessage,
  RttyRoundupMessage,
  StationMember,
  TelemetryMessage,
  VerificationMessage,
  WsprMessage,
} from "./wsjtx/message.js";
export { parseMessage } from "./wsjtx/parse-message.js";
export type { ParseMessageOptions } from "./wsjtx/parse-message.js";
export { listenWsjtx } from "./wsjtx/listener.js";
export type {
  HaltTxOptions,
  Highlight,
  ListenWsjtxOptions,
  ReceivedDatagram,
  ReplyOptions,
  WsjtxListener,
} from "./wsjtx/listener.js";
export type { UdpEndpoint } from "./io/udp-socket.js";
