import { createServer, type IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "@purse/protocol";

/** A request that a webhook received and accepted. */
export interface ReceivedWebhook {
  headers: IncomingHttpHeaders;
  text: string;
  body: JsonObject;
}

export interface WebhookReceiver {
  url: string;
  received: ReceivedWebhook[];
  /** Whether requests are refused with 503. */
  isRefusing: boolean;
  /** Whether requests are accepted, and their responses lost. */
  losesResponses: boolean;
  /** Number of refused requests. */
  refused: number;
  close(): Promise<void>;
}

/** Starts a server that records the requests to it. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const text = Buffer.concat(chunks).toString("utf8");
    if (receiver.isRefusing) receiver.refused += 1;
    else receiver.received.push({ headers: request.headers, text, body: JSON.parse(text) });
    if (receiver.losesResponses) return void request.socket.destroy();
    response.writeHead(receiver.isRefusing ? 503 : 200).end();
  });
  const receiver: WebhookReceiver = {
    url: "",
    received: [],
    isRefusing: false,
    losesResponses: false,
    refused: 0,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the receiver has no port");
  receiver.url = `http://127.0.0.1:${address.port}/webhook`;
  return receiver;
}
