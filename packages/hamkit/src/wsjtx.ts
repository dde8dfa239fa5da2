/**
 * `hamkit/wsjtx`: the UDP datagrams of WSJT-X, JTDX and MSHV, read and written, and the meaning of message texts.
 *
 * @module hamkit/wsjtx
 */
export { instantOf } from "./wsjtx/datagrams/date-time.js";
export { decodeDatagram, encodeDatagram } from "./wsjtx/datagrams/datagram-codec.js";
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
} from "./wsjtx/datagrams/datagram.js";
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
} from "./wsjtx/messages/message.js";
export { parseMessage } from "./wsjtx/messages/parse-message.js";
export type { ParseMessageOptions } from "./wsjtx/messages/parse-message.js";
export { listenWsjtx } from "./wsjtx/listener.js";
export type {
  HaltTxOptions,
  Highlight,
  ListenWsjtxOptions,
  ReceivedDatagram,
  ReplyOptions,
  WsjtxListener,
} from "./wsjtx/listener.js";
export type { UdpEndpoint } from "./io/sockets/udp-socket.js";
