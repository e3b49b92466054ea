import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { withBody } from "./body.ts";
import { createBodyMemory } from "./bodyMemory.ts";

const MAX_BYTES = 1_000;
const HEAD = "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.close();
});

/** Sends the parts of a request, each after the server has noticed the one before, and returns what the server has read. */
async function send(
  parts: readonly string[],
  isReady: (message: IncomingMessage) => Promise<void> = async () => undefined,
) {
  const received = Promise.withResolvers<{ text: string } | { error: unknown }>();
  const ended = Promise.withResolvers<void>();
  const read = async (message: IncomingMessage) => {
    await isReady(message);
    return withBody(
      message,
      MAX_BYTES,
      createBodyMemory(1_000_000, () => "192.0.2.1"),
      (body) => body.toString("utf8"),
      async (text) => text,
    );
  };
  const server = createServer((message, response) => {
    message.once("end", ended.resolve);
    read(message)
      .then(
        (text) => received.resolve({ text }),
        (error: unknown) => received.resolve({ error }),
      )
      .finally(() => response.end());
  });
  opened.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  opened.push({ close: () => socket.destroy() });
  socket.resume();
  const [first = "", ...others] = parts;
  socket.write(first);
  if (others.length > 0) await once(server, "request");
  for (const part of others) socket.write(part);
  return { received: await received.promise, ended: ended.promise };
}

describe("the body of a request", () => {
  it("is read if it arrives together with the headers, and the request ends", async () => {
    const { received, ended } = await send([`${HEAD}Content-Length: 5\r\n\r\nHello`]);
    expect(received).toEqual({ text: "Hello" });
    await ended;
  });

  it("is read if it arrives later than the headers", async () => {
    const { received } = await send([`${HEAD}Content-Length: 5\r\n\r\n`, "Hello"]);
    expect(received).toEqual({ text: "Hello" });
  });

  it("is read if only a part of it arrives together with the headers", async () => {
    const { received } = await send([`${HEAD}Content-Length: 5\r\n\r\nHe`, "llo"]);
    expect(received).toEqual({ text: "Hello" });
  });

  it("is read if it has arrived in several packets before it is read", async () => {
    const { received } = await send([`${HEAD}Content-Length: 10\r\n\r\nHello`, "World"], async (message) => {
      while (message.readableLength < 10) await new Promise((resolve) => setImmediate(resolve));
    });
    expect(received).toEqual({ text: "HelloWorld" });
  });

  it("is read if its length is not announced", async () => {
    const { received } = await send([`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nHello\r\n0\r\n\r\n`]);
    expect(received).toEqual({ text: "Hello" });
  });

  it("is refused if it is too large, also if it has arrived already", async () => {
    const { received } = await send([`${HEAD}Content-Length: 1001\r\n\r\n${"a".repeat(1_001)}`]);
    expect(received).toMatchObject({ error: { status: 413 } });
  });
});
