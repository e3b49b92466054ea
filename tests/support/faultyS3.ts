import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Responds to a request instead of the S3 server; returns false to forward it. */
export type Fault = (message: IncomingMessage, response: ServerResponse) => boolean;

/** A proxy to an S3 server that injects faults. */
export interface FaultyS3 {
  port: number;
  /** Undefined forwards everything again. */
  fail(fault: Fault | undefined): void;
  /** The received requests: method and path. */
  requests: string[];
  stop(): Promise<void>;
}

/** `endpoint` is the address of the S3 server. */
export async function startFaultyS3(endpoint: string): Promise<FaultyS3> {
  const target = new URL(endpoint);
  const requests: string[] = [];
  let fault: Fault | undefined;
  const server = createServer((message, response) => {
    requests.push(`${message.method} ${message.url}`);
    message.on("error", () => undefined);
    if (fault?.(message, response)) return void message.resume();
    const { method, url, headers } = message;
    const upstream = request(
      { host: target.hostname, port: target.port, method, path: url, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    upstream.on("error", () => response.destroy());
    message.pipe(upstream);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    fail(next) {
      fault = next;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
