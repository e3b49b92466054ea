import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import type { Attack } from "./attack.ts";
import { repeat } from "./requestAttack.ts";
import type { Target } from "./target.ts";

/** Frames as a client sends them: with a mask, here of zeros. */
const EMPTY_TEXT = Buffer.from([0x81, 0x80, 0, 0, 0, 0]);
const EMPTY_START = Buffer.from([0x01, 0x80, 0, 0, 0, 0]);
const EMPTY_CONTINUATION = Buffer.from([0x00, 0x80, 0, 0, 0, 0]);
const EMPTY_END = Buffer.from([0x80, 0x80, 0, 0, 0, 0]);
const PING = Buffer.from([0x89, 0x80, 0, 0, 0, 0]);
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);
const CLOSE = Buffer.from([0x88, 0x80, 0, 0, 0, 0]);

const times = (frame: Buffer, count: number) => Buffer.concat(repeat(count, () => frame));
/** Messages of as many empty frames as one may have. */
const fragments = (messages: number) =>
  times(Buffer.concat([EMPTY_START, times(EMPTY_CONTINUATION, 15_000), EMPTY_END]), messages);

interface Protocol {
  route: string;
  path: string;
  header: string;
}

const PROTOCOLS: readonly Protocol[] = [
  { route: "live query", path: "/server", header: "" },
  {
    route: "GraphQL socket",
    path: "/graphql",
    header: "Sec-WebSocket-Protocol: graphql-transport-ws\r\n",
  },
];

/** A connection that has become a WebSocket. Its client writes frames itself, as no library sends so many. */
async function upgrade({ purse }: Target, { path, header }: Protocol): Promise<Socket> {
  const socket = connect(purse.port, "127.0.0.1");
  socket.on("error", () => undefined);
  const key = randomBytes(16).toString("base64");
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n${header}\r\n`,
  );
  await new Promise((resolve) => socket.once("data", resolve).once("close", resolve));
  socket.resume();
  return socket;
}

/** Writes frames by new connections and waits until the server has taken them or has closed the connections. */
const send =
  (protocol: Protocol, bytes: Buffer, count: number) =>
  async (target: Target): Promise<number[]> => {
    const sockets = await Promise.all(repeat(count, () => upgrade(target, protocol)));
    await Promise.all(
      sockets.map(
        (socket) =>
          new Promise<void>((resolve) => {
            socket.once("close", () => resolve());
            socket.write(bytes, () => resolve());
          }),
      ),
    );
    const status = await target.send({ method: "GET", path: "/health" });
    for (const socket of sockets) socket.destroy();
    return [status];
  };

/** Frames that are cheap to send: by six bytes each. */
export function frameAttacks(): Attack[] {
  return PROTOCOLS.flatMap((protocol) => {
    const attack = (generator: string, bytes: Buffer, count = 1, isShort = false): Attack => ({
      generator,
      route: protocol.route,
      isShort,
      run: send(protocol, bytes, count),
    });
    return [
      attack("700,000 empty messages", times(EMPTY_TEXT, 700_000), 1, true),
      attack("700,000 frames of empty messages", fragments(47), 1, true),
      attack("700,000 pings", times(PING, 700_000)),
      attack("700,000 pongs", times(PONG, 700_000)),
      attack("a close frame and 700,000 empty messages", Buffer.concat([CLOSE, times(EMPTY_TEXT, 700_000)])),
      attack("10,000 empty messages by 100 sockets", times(EMPTY_TEXT, 10_000), 100),
      attack("15,000 frames of an empty message by 100 sockets", fragments(1), 100),
    ];
  });
}
