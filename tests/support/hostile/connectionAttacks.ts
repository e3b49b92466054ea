import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Attack } from "./attack.ts";
import { graphOf } from "./graph.ts";
import { repeat } from "./requestAttack.ts";
import type { Target } from "./target.ts";

const headOf = ({ purse }: Target, method: string, path: string, more = "") =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\nX-Parse-Application-Id: ${purse.appId}\r\n${more}\r\n`;

const upgradeOf = (target: Target, path: string) =>
  headOf(
    target,
    "GET",
    path,
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n",
  );

async function open({ purse }: Target): Promise<Socket> {
  const socket = connect(purse.port, "127.0.0.1");
  socket.on("error", () => undefined);
  await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
  return socket;
}

/** Writes a text by many connections, then sends one request by another one and waits for its response. */
const connections =
  (count: number, textOf: (target: Target) => string) =>
  async (target: Target): Promise<number[]> => {
    const sockets = await Promise.all(repeat(count, () => open(target)));
    const text = textOf(target);
    for (const socket of sockets) {
      socket.pause();
      socket.write(text);
    }
    const statuses = [await target.send({ method: "GET", path: "/health" })];
    for (const socket of sockets) socket.destroy();
    return statuses;
  };

/** Connections that send too little or too much, or do not read. */
export function connectionAttacks(): Attack[] {
  const attack = (generator: string, run: Attack["run"], isShort = false): Attack => ({
    generator,
    route: "connection",
    isShort,
    run,
  });
  return [
    attack(
      "500 connections without a request",
      connections(500, () => ""),
    ),
    attack(
      "500 requests whose headers do not end",
      connections(500, (target) => headOf(target, "GET", "/server/classes/Probe").slice(0, -2)),
    ),
    attack(
      "300 requests whose body does not arrive",
      connections(300, (target) =>
        headOf(target, "POST", "/server/classes/Hostile", "Content-Length: 200000\r\n"),
      ),
    ),
    ...[80, 250].map((count) =>
      attack(
        `20 connections with ${count} requests each`,
        connections(20, (target) => headOf(target, "GET", "/server/classes/Probe").repeat(count)),
        count === 80,
      ),
    ),
    attack(
      "20 bodies of 150,000 chunks of one byte",
      connections(
        20,
        (target) =>
          `${headOf(target, "POST", "/server/classes/Hostile", "Transfer-Encoding: chunked\r\n")}${"1\r\nx\r\n".repeat(150_000)}0\r\n\r\n`,
      ),
      true,
    ),
    attack(
      "1 connection with 80,000 requests of 27 bytes",
      connections(1, () => "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(80_000)),
      true,
    ),
    attack(
      "200 connections with 2,400 requests of 27 bytes each",
      connections(200, () => "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2_400)),
      true,
    ),
    attack(
      "1,000 connections with 11 requests of 27 bytes each",
      connections(1_000, () => "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(11)),
    ),
    attack(
      "1,000 connections with 900 headers each",
      connections(1_000, (target) =>
        headOf(target, "GET", "/health", repeat(900, (i) => `h${i}: v\r\n`).join("")),
      ),
    ),
    attack(
      "200 connections with 10,000 chunks of one byte each",
      connections(
        200,
        (target) =>
          `${headOf(target, "POST", "/server/classes/Hostile", "Transfer-Encoding: chunked\r\n")}${"1\r\nx\r\n".repeat(10_000)}`,
      ),
    ),
    attack(
      "10 connections with 2,000 finds each",
      connections(10, (target) => headOf(target, "GET", "/server/classes/Probe").repeat(2_000)),
    ),
    attack(
      "1 packet with 20 bodies of 500 chunks of one byte, by 20 connections",
      connections(20, (target) =>
        `${headOf(target, "POST", "/server/classes/Hostile", "Transfer-Encoding: chunked\r\n")}${"1\r\nx\r\n".repeat(500)}0\r\n\r\n`.repeat(
          20,
        ),
      ),
      true,
    ),
    attack(
      "1,000 connections with a find each, at the same instant",
      connections(1_000, (target) => headOf(target, "GET", "/server/classes/Probe")),
      true,
    ),
    attack("1,000 connections whose bodies arrive at the same instant", async (target) => {
      const body = '{"_method":"GET","where":{"n":1}}';
      const head = headOf(target, "POST", "/server/classes/Probe", `Content-Length: ${body.length}\r\n`);
      const sockets = await Promise.all(repeat(1_000, () => open(target)));
      for (const socket of sockets) socket.write(head);
      const statuses = [await target.send({ method: "GET", path: "/health" })];
      const answers = sockets.map((socket) => once(socket, "data"));
      for (const socket of sockets) socket.write(body);
      await Promise.all(answers);
      for (const socket of sockets) socket.destroy();
      return statuses;
    }),
    ...["/server", "/graphql"].map((path) =>
      attack(
        `500 connections that become sockets at ${path}, at the same instant`,
        connections(500, (target) => upgradeOf(target, path)),
        true,
      ),
    ),
    {
      ...attack("20 connections that do not read 10 responses of 1 MB each", async (target) => {
        const { largeId } = await graphOf(target);
        return connections(20, () => headOf(target, "GET", `/server/classes/Knot/${largeId}`).repeat(10))(
          target,
        );
      }),
      prepare: graphOf,
    },
  ];
}
