/** The settings of events. */
import {
  wordList,
  oneOf,
  onOrOff,
  text,
  textLike,
  wholeNumber,
  type Options,
} from "../platform/option-parsers.js";
import { addressList } from "../platform/trusted-proxies.js";

export const EVENT_FORMATS = ["cadf", "basic"] as const;

export const EVENT_OPTIONS = {
  optOut: {
    name: "IDENTITY_EVENTS_OPT_OUT",
    parser: wordList("event types, such as identity.user.updated", { none: "none" }),
    help: "event types that are not published, those of logins with their outcome; none to publish all",
    standard: "identity.authenticate.success,identity.authenticate.pending",
  },
  days: {
    name: "IDENTITY_EVENTS_DAYS",
    parser: wholeNumber({ from: 1, to: 3650 }),
    help: "days for which events are kept, also those that a receiver has not taken",
    standard: "7",
  },
  maxRows: {
    name: "IDENTITY_EVENTS_MAX_ROWS",
    parser: wholeNumber({ from: 1000, to: 1_000_000_000 }),
    help: "events that are kept at most: the oldest are dropped, also those that a receiver has not taken",
    standard: "1000000",
  },
  rabbitUrl: {
    name: "IDENTITY_EVENTS_RABBITMQ_URL",
    parser: textLike(
      /^amqps?:\/\/\S+$/,
      "addresses amqp://USER:PASSWORD@HOST:PORT/VHOST, separated by commas",
    ),
    help: "RabbitMQ that events are sent to, as Keystone sends notifications: amqp:// or amqps:// addresses, tried in order",
    isSecret: true,
  },
  rabbitCaFile: {
    name: "IDENTITY_EVENTS_RABBITMQ_CA_FILE",
    parser: text("the path of a file"),
    help: "certificate authorities of amqps:// in PEM; by default the public ones",
  },
  format: {
    name: "IDENTITY_EVENTS_FORMAT",
    parser: oneOf(...EVENT_FORMATS),
    help: "payload of notifications: cadf or basic, as notification_format of Keystone",
    standard: "cadf",
  },
  exchange: {
    name: "IDENTITY_EVENTS_EXCHANGE",
    parser: text("the name of an exchange"),
    help: "exchange of RabbitMQ, as control_exchange of Keystone",
    standard: "keystone",
  },
  topics: {
    name: "IDENTITY_EVENTS_TOPICS",
    parser: wordList("topics"),
    help: "topics of notifications, each of which gets a copy; the routing key is TOPIC.info",
    standard: "notifications",
  },
  publisherId: {
    name: "IDENTITY_EVENTS_PUBLISHER_ID",
    parser: text("a name"),
    help: "publisher of notifications, after identity.; by default the host name",
  },
  hasDurableQueues: {
    name: "IDENTITY_EVENTS_DURABLE_QUEUES",
    parser: onOrOff,
    help: "declare exchange and queues as durable, as amqp_durable_queues of all other services of the cloud: on or off",
    standard: "off",
  },
  hasAutoDelete: {
    name: "IDENTITY_EVENTS_AUTO_DELETE",
    parser: onOrOff,
    help: "declare exchange and queues as auto-deleted, as amqp_auto_delete of all other services of the cloud: on or off",
    standard: "off",
  },
  file: {
    name: "IDENTITY_EVENTS_FILE",
    parser: text("the path of a file"),
    help: "file that events are appended to, a line of JSON each, by the replica that sends them",
  },
  webhookUrl: {
    name: "IDENTITY_EVENTS_WEBHOOK_URL",
    parser: textLike(/^https?:\/\/\S+$/, "an address https://..."),
    help: "address that events are posted to, as JSON",
    isSecret: true,
  },
  webhookSecret: {
    name: "IDENTITY_EVENTS_WEBHOOK_SECRET",
    parser: textLike(/^[\x21-\x7e]{16,}$/, "a secret of at least 16 printable ASCII characters"),
    help: "secret that signs what is posted, by HMAC-SHA256",
    isSecret: true,
  },
  isWebhookNetwork: {
    name: "IDENTITY_EVENTS_WEBHOOK_NETWORKS",
    parser: addressList,
    help: "private networks in which the webhook may be, also over HTTP; by default public addresses over HTTPS only",
    standard: "",
  },
  syslogUrl: {
    name: "IDENTITY_EVENTS_SYSLOG_URL",
    parser: textLike(
      /^(?:tcp|tls):\/\/(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?$/,
      "tls://HOST:PORT or tcp://HOST:PORT",
    ),
    help: "syslog server that events are sent to, by RFC 5424; the port is 6514 for tls:// and 601 for tcp:// by default",
  },
  syslogCaFile: {
    name: "IDENTITY_EVENTS_SYSLOG_CA_FILE",
    parser: text("the path of a file"),
    help: "certificate authorities of the syslog server in PEM; by default the public ones",
  },
} satisfies Options;
