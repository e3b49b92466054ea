import { Agent, type IncomingMessage, request } from "node:http";

/** Servers close unused connections after seconds, at which moment a request on one of them would fail. */
const agent = new Agent({ keepAlive: true, timeout: 1_000 });

/** What `fetch` sends, too. */
const DEFAULTS = { "User-Agent": "node" };

export interface Sent {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
}

export interface Received {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends a request like `fetch`, which takes three times the CPU time for it. Rejects if the connection fails. */
export function send(url: string, { method, headers, body }: Sent): Promise<Received> {
  const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const sending = request(new URL(url), { method, agent, headers: { ...DEFAULTS, ...headers, ...length } });
    sending.once("error", reject);
    sending.once("response", (response) => received(response).then(resolve, reject));
    sending.end(body);
  });
}

async function received(response: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const headers = new Headers();
  const { rawHeaders } = response;
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i] ?? "", rawHeaders[i + 1] ?? "");
  return { status: response.statusCode ?? 0, headers, text: Buffer.concat(chunks).toString() };
}
