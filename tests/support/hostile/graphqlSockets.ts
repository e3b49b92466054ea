import { WebSocket } from "ws";
import { rest } from "../purse.ts";
import type { Attack } from "./attack.ts";
import { type Graph, graphOf, KNOTS } from "./graph.ts";
import { many } from "./graphqlAttacks.ts";
import { repeat } from "./requestAttack.ts";
import { SHAPES } from "./shapes.ts";
import type { Target } from "./target.ts";

interface Connection {
  socket: WebSocket;
  /** Resolves with the close code. */
  closed: Promise<number>;
}

/** A connection of graphql-ws without a session. */
async function connect({ purse }: Target): Promise<Connection> {
  const socket = new WebSocket(`${purse.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
  const closed = new Promise<number>((resolve) => socket.on("close", resolve));
  socket.on("error", () => undefined);
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  const acknowledged = new Promise((resolve) => socket.once("message", resolve));
  socket.send(
    JSON.stringify({ type: "connection_init", payload: { "X-Parse-Application-Id": purse.appId } }),
  );
  await Promise.race([acknowledged, closed]);
  return { socket, closed };
}

const subscribe = (id: number, query: string, variables = {}) =>
  JSON.stringify({ type: "subscribe", id: String(id), payload: { query, variables } });

/** Sends messages by a connection of its own; returns its close code, 1000 if it was not closed. */
async function sendMessages(
  target: Target,
  messages: readonly string[],
  whileOpen: (connection: Connection) => Promise<unknown> = async () => undefined,
): Promise<number[]> {
  const connection = await connect(target);
  const { socket, closed } = connection;
  for (const message of messages) if (socket.readyState === socket.OPEN) socket.send(message);
  await whileOpen(connection);
  // The pong arrives after all messages were read.
  const read = new Promise<number>((resolve) => socket.once("pong", () => resolve(1_000)));
  if (socket.readyState === socket.OPEN) socket.ping();
  const code = await Promise.race([read, closed]);
  socket.terminate();
  return [code];
}

/** Changes the hub of the graph until each subscription of a connection has had as many events, or has ended. */
async function changeHub(
  { purse }: Target,
  { hubId }: Graph,
  { socket, closed }: Connection,
  subscriptions: number,
  times: number,
): Promise<void> {
  let isClosed = false;
  void closed.then(() => {
    isClosed = true;
  });
  /** Of each subscription, how many events it has still to receive. */
  const left = new Map(repeat(subscriptions, (i) => [String(i), times]));
  socket.on("message", (data) => {
    const { type, id } = JSON.parse(String(data));
    const before = left.get(id) ?? 0;
    if (type !== "next" || before <= 1) left.delete(id);
    else left.set(id, before - 1);
  });
  for (let i = 0; i < MAX_CHANGES && left.size > 0 && !isClosed; i++)
    await rest(purse, "PUT", `/classes/Knot/${hubId}`, { title: `changed ${i}` });
}

/** More changes than any subscription needs. */
const MAX_CHANGES = 2_000;

/** Subscriptions to the changes of the hub, each different from all others, with this selection of the node. */
const ofHub = ({ hubId }: Graph, count: number, selection: string) =>
  repeat(count, (i) =>
    subscribe(
      i,
      `subscription { knotChanged(where: { objectId: { equalTo: "${hubId}" } }) { node { x${i}: title ${selection} } } }`,
    ),
  );

const FRAME = 256 * 1024 - 1_024;

export function graphqlSocketAttacks(): Attack[] {
  const socket = (generator: string, run: Attack["run"], isShort = false): Attack => ({
    generator,
    route: "GraphQL socket",
    isShort,
    prepare: graphOf,
    run,
  });
  const withSubscriptions = (generator: string, count: number, selection: string, changes: number) =>
    socket(generator, async (target) => {
      const graph = await graphOf(target);
      return sendMessages(target, ofHub(graph, count, selection), (connection) =>
        changeHub(target, graph, connection, count, changes),
      );
    });
  return [
    ...SHAPES.map((shape) =>
      socket(`variables of ${shape.name}`, (target, random) => {
        const value = shape.make(FRAME, random);
        const query = "subscription($w: KnotWhereInput) { knotChanged(where: $w) { event } }";
        return sendMessages(
          target,
          repeat(
            6,
            (i) =>
              `{"type":"subscribe","id":"${i}","payload":{"query":"${query}","variables":{"w":{"title":${value}}}}}`,
          ),
        );
      }),
    ),
    socket(
      "100 documents of 10 kB that are not valid",
      (target) =>
        sendMessages(
          target,
          repeat(100, (i) =>
            subscribe(
              i,
              `subscription { knotChanged { node { ${"next { next { title } next { objectId } } ".repeat(200)} x${i} } } }`,
            ),
          ),
        ),
      true,
    ),
    socket("4,000 small documents that are not valid", (target) =>
      sendMessages(
        target,
        repeat(4_000, (i) => subscribe(i, `subscription { x${i} }`)),
      ),
    ),
    socket("a variable with 12,000 unknown keys, 20 times", (target) =>
      sendMessages(
        target,
        repeat(20, (i) =>
          subscribe(i, "subscription($w: KnotWhereInput) { knotChanged(where: $w) { event } }", {
            w: Object.fromEntries(repeat(12_000, (n) => [`k${n}`, i])),
          }),
        ),
      ),
    ),
    socket("pings of 250 kB whose answers are not read", async (target) => {
      const { socket: silent, closed } = await connect(target);
      silent.pause();
      const ping = JSON.stringify({ type: "ping", payload: { text: "x".repeat(250_000) } });
      const sent = repeat(400, () => new Promise<void>((resolve) => silent.send(ping, () => resolve())));
      await Promise.race([Promise.all(sent), closed]);
      silent.resume();
      silent.close();
      return [await closed];
    }),
    withSubscriptions("500 different subscriptions, and 20 changes", 500, "", 20),
    withSubscriptions(
      `300 different subscriptions with ${KNOTS} objects of a relation, and 5 changes`,
      300,
      `others(first: ${KNOTS}) { count edges { node { title } } }`,
      5,
    ),
    withSubscriptions(
      `60 different subscriptions with 20 queries for each of ${KNOTS} objects, and 5 changes`,
      60,
      `others(first: ${KNOTS}) { edges { node { ${many(20, (i) => `a${i}: others(first: 1) { count }`)} } } }`,
      5,
    ),
    socket(
      "300 equal subscriptions, and 20 changes",
      async (target) => {
        const graph = await graphOf(target);
        const query = `subscription { knotChanged { node { title next { title } } } }`;
        return sendMessages(
          target,
          repeat(300, (i) => subscribe(i, query)),
          (connection) => changeHub(target, graph, connection, 300, 20),
        );
      },
      true,
    ),
    socket("300 different conditions, and 20 changes", async (target) => {
      const graph = await graphOf(target);
      const query = "subscription($w: KnotWhereInput) { knotChanged(where: $w) { node { title } } }";
      return sendMessages(
        target,
        repeat(300, (i) => subscribe(i, query, { w: { title: { notEqualTo: `t${i}` } } })),
        (connection) => changeHub(target, graph, connection, 300, 20),
      );
    }),
    socket("200 connections at a time", async (target) => {
      const codes = await Promise.all(
        repeat(200, () =>
          sendMessages(
            target,
            repeat(5, (i) => subscribe(i, "subscription { knotChanged { event } }")),
          ),
        ),
      );
      return codes.flat();
    }),
  ];
}
