import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

export interface Relay {
  url: string;
  stop(): void;
}

interface Message {
  from: WebSocket;
  data: { topic: string; message: string; publishedAt: number; tag: number };
}

/** A WalletConnect 2 relay: stores encrypted messages by topic and delivers them to subscribers. */
export async function startRelay(): Promise<Relay> {
  const http = createServer();
  const sockets = new WebSocketServer({ server: http });
  const subscribers = new Map<string, Map<WebSocket, string>>();
  const storedMessages = new Map<string, Message[]>();
  let count = 0;

  function deliver(to: WebSocket, id: string, { from, data }: Message): void {
    if (to === from) return;
    count += 1;
    const params = { id, data };
    to.send(
      JSON.stringify({ id: Date.now() * 1000 + count, jsonrpc: "2.0", method: "irn_subscription", params }),
    );
  }
  function subscribe(socket: WebSocket, topic: string): string {
    count += 1;
    const id = `subscription-${count}`;
    const others = subscribers.get(topic) ?? new Map<WebSocket, string>();
    subscribers.set(topic, others.set(socket, id));
    setTimeout(() => {
      for (const message of storedMessages.get(topic) ?? []) deliver(socket, id, message);
    });
    return id;
  }
  function publish(from: WebSocket, topic: string, message: string, tag: number): boolean {
    const sent = { from, data: { topic, message, publishedAt: Date.now(), tag } };
    storedMessages.set(topic, [...(storedMessages.get(topic) ?? []), sent]);
    for (const [to, id] of subscribers.get(topic) ?? []) deliver(to, id, sent);
    return true;
  }
  function handleRpc(
    socket: WebSocket,
    method: string,
    params: Record<string, string> & { topics?: string[] },
  ): unknown {
    const { topic = "", pairingTopic = "", sessionTopic = "" } = params;
    switch (method) {
      case "irn_subscribe":
        return subscribe(socket, topic);
      case "irn_batchSubscribe":
        return (params.topics ?? []).map((each) => subscribe(socket, each));
      case "irn_publish":
        return publish(socket, topic, String(params.message), Number(params.tag));
      case "wc_proposeSession":
        subscribe(socket, pairingTopic);
        return publish(socket, pairingTopic, String(params.sessionProposal), 1100);
      case "wc_approveSession":
        subscribe(socket, sessionTopic);
        publish(socket, pairingTopic, String(params.sessionProposalResponse), 1101);
        return publish(socket, sessionTopic, String(params.sessionSettlementRequest), 1102);
      case "irn_batchFetchMessages":
        return { messages: [], hasMore: false };
      default:
        return true;
    }
  }

  sockets.on("connection", (socket: WebSocket) => {
    socket.on("message", (raw: Buffer) => {
      const { id, method, params } = JSON.parse(raw.toString());
      if (method)
        socket.send(JSON.stringify({ id, jsonrpc: "2.0", result: handleRpc(socket, method, params) }));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  const stop = () => {
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
    http.close();
  };
  return { url: `ws://127.0.0.1:${port}`, stop };
}
