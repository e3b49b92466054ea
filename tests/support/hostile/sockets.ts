import type { JsonObject } from "@purse/protocol";
import { WebSocket } from "ws";
import { rest } from "../purse.ts";
import type { Attack } from "./attack.ts";
import { SHAPES } from "./shapes.ts";
import type { Target } from "./target.ts";

const repeat = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** Sends frames by new sockets; returns the close code of each, 1000 if it was not closed. */
async function sendFrames(
  target: Target,
  frames: readonly string[],
  { sockets = 1, isConnected = true, whileOpen = async () => undefined as unknown } = {},
): Promise<number[]> {
  const opened = await Promise.all(
    repeat(sockets, async () => {
      const socket = new WebSocket(target.purse.serverUrl.replace(/^http/, "ws"));
      await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject));
      let isClosed = false;
      const closed = new Promise<number>((resolve) =>
        socket.on("close", (code) => {
          isClosed = true;
          resolve(code);
        }),
      );
      socket.on("error", () => undefined);
      if (isConnected) socket.send(JSON.stringify({ op: "connect", applicationId: target.purse.appId }));
      for (const frame of frames) if (!isClosed) socket.send(frame);
      return { socket, closed };
    }),
  );
  await whileOpen();
  return Promise.all(
    opened.map(async ({ socket, closed }) => {
      // The pong arrives after all frames were read.
      const read = new Promise<number>((resolve) => socket.once("pong", () => resolve(1_000)));
      if (socket.readyState === WebSocket.OPEN) socket.ping();
      const code = await Promise.race([read, closed]);
      socket.terminate();
      return code;
    }),
  );
}

const subscribe = (requestId: number | string, where: unknown, more: JsonObject = {}) =>
  JSON.stringify({ op: "subscribe", requestId, query: { className: "Hostile", where }, ...more });

/** A socket that is connected, has these subscriptions, and reads nothing anymore. */
async function openSilent({ purse }: Target, frames: readonly string[]): Promise<WebSocket> {
  const socket = new WebSocket(purse.serverUrl.replace(/^http/, "ws"));
  socket.on("error", () => undefined);
  await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject));
  let answers = 0;
  const answered = new Promise<void>((resolve) =>
    socket.on("message", () => {
      answers += 1;
      // Of `connect` and of each subscription.
      if (answers > frames.length) resolve();
    }),
  );
  socket.send(JSON.stringify({ op: "connect", applicationId: purse.appId }));
  for (const frame of frames) socket.send(frame);
  await answered;
  socket.pause();
  return socket;
}

const FRAME = 256 * 1024 - 64;

/** The position of a new subscription. */
async function positionOf({ purse }: Target): Promise<string> {
  const socket = new WebSocket(purse.serverUrl.replace(/^http/, "ws"));
  await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject));
  const subscribed = new Promise<string>((resolve) =>
    socket.on("message", (data) => {
      const { op, position } = JSON.parse(String(data));
      if (op === "subscribed") resolve(position);
    }),
  );
  socket.send(JSON.stringify({ op: "connect", applicationId: purse.appId }));
  socket.send(subscribe(1, {}));
  const position = await subscribed;
  socket.terminate();
  return position;
}

export function socketAttacks(): Attack[] {
  const silent: WebSocket[] = [];
  const live = (generator: string, run: Attack["run"], isShort = true): Attack => ({
    generator,
    route: "live query",
    isShort,
    run,
  });
  return [
    ...SHAPES.map((shape) =>
      live(`frames of ${shape.name}`, (target, random) => {
        const value = shape.make(FRAME - 200, random);
        const frames = repeat(
          6,
          (i) => `{"op":"subscribe","requestId":${i},"query":{"className":"Hostile","where":{"a":${value}}}}`,
        );
        return sendFrames(target, frames);
      }),
    ),
    live("frames before connect", (target) =>
      sendFrames(
        target,
        repeat(6, () => `[${"[],".repeat(80_000)}[]]`),
        { isConnected: false },
      ),
    ),
    live("1,500 small frames", (target) =>
      sendFrames(
        target,
        repeat(1_499, () => '{"op":"unsubscribe"}'),
      ),
    ),
    live("20,000 small frames", (target) =>
      sendFrames(
        target,
        repeat(20_000, () => '{"op":"unsubscribe"}'),
      ),
    ),
    live("500 subscriptions", (target) =>
      sendFrames(
        target,
        repeat(500, (i) => subscribe(i, { number: i })),
      ),
    ),
    live(
      "700 times subscribed and unsubscribed by 20 sockets",
      (target) =>
        sendFrames(
          target,
          repeat(700, (i) => [
            subscribe(i, { number: i, text: { $ne: `t${i}` } }),
            `{"op":"unsubscribe","requestId":${i}}`,
          ]).flat(),
          { sockets: 20 },
        ),
      false,
    ),
    live("500 patterns", (target) =>
      sendFrames(
        target,
        repeat(500, (i) => subscribe(i, { text: { $regex: `(a|b){1,90}${i}` } })),
      ),
    ),
    live("lists of 20,000 texts, and a change", (target) =>
      sendFrames(
        target,
        repeat(5, (i) => subscribe(i, { text: { $in: repeat(12_000, (j) => `${i}-${j}`) } })),
        {
          whileOpen: () => rest(target.purse, "POST", "/classes/Hostile", { text: "x", list: [] }),
        },
      ),
    ),
    live("ids and fields of 200 kB", (target) =>
      sendFrames(target, [
        subscribe("r".repeat(200_000), {}),
        JSON.stringify({
          op: "subscribe",
          requestId: 1,
          query: { className: "Hostile", where: {}, fields: ",".repeat(200_000) },
        }),
      ]),
    ),
    live("40 sockets with 30 frames of 8 kB", (target) =>
      sendFrames(
        target,
        repeat(30, (i) => subscribe(i, { text: { $in: repeat(900, (j) => `t${j}`) } })),
        { sockets: 40 },
      ),
    ),
    {
      ...live(
        "1,500 sockets that read nothing, and 60 objects of 50 kB",
        async (target) => {
          for (let n = 0; n < 60; n++)
            await rest(target.purse, "POST", "/classes/Unread", { text: "x".repeat(50_000) });
          for (const socket of silent.splice(0)) socket.terminate();
          return [];
        },
        false,
      ),
      async prepare(target) {
        const frame = JSON.stringify({
          op: "subscribe",
          requestId: 1,
          query: { className: "Unread", where: {} },
        });
        await rest(target.purse, "POST", "/classes/Unread", {});
        while (silent.length < 1_500)
          silent.push(...(await Promise.all(repeat(50, () => openSilent(target, [frame])))));
      },
    },
    live(
      "20 sockets with 400 different subscriptions, and 10 changes",
      (target) =>
        sendFrames(
          target,
          repeat(400, (i) => subscribe(i, { number: { $gt: -i - 1 }, text: { $ne: `t${i}` } })),
          {
            sockets: 20,
            async whileOpen() {
              for (let i = 0; i < 10; i++)
                await rest(target.purse, "POST", "/classes/Hostile", { number: i, text: "x".repeat(1_000) });
            },
          },
        ),
      false,
    ),
    live(
      "500 subscriptions that resume from the oldest position",
      async (target) => {
        for (let i = 0; i < 5; i++) {
          const requests = repeat(200, (n) => ({
            method: "POST",
            path: "/server/classes/Hostile",
            body: { number: n, text: "x".repeat(500) },
          }));
          await rest(target.purse, "POST", "/batch", { requests });
        }
        const position = await positionOf(target);
        const from = position.replace(/\d+$/, "0");
        return sendFrames(
          target,
          repeat(500, (i) => subscribe(i, { number: { $gte: i % 7 } }, { resumeFrom: from })),
        );
      },
      false,
    ),
    live(
      "slow patterns, and a text of 30 kB",
      (target) =>
        sendFrames(
          target,
          repeat(5, (i) =>
            subscribe(i, { text: { $regex: `(?i)(x[ab]{300}|[ab]{300}y|(a|b)*a(a|b){300}z)$|${i}` } }),
          ),
          { whileOpen: () => rest(target.purse, "POST", "/classes/Hostile", { text: "ab".repeat(15_000) }) },
        ),
      false,
    ),
  ];
}
