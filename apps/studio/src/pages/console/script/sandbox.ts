import { type ScriptOutput, type ScriptRequest, type StudioMessage, workerMessage } from "./messages.ts";
import workerUrl from "./worker.ts?worker&url";

/** Served with a policy of its own: an opaque origin, evaluation allowed, no connections. */
const SANDBOX_PATH = "/studio/script-sandbox";

export interface SandboxOptions {
  /** Sends a request of a script. Its rejections become failed requests of the script. */
  send(request: ScriptRequest): Promise<{ status: number; body: string }>;
  onOutput(output: ScriptOutput): void;
  /** A script has ended after `ms`. */
  onDone(ms: number): void;
}

export interface Sandbox {
  run(code: string): void;
  /** Stops the running script, even one that never waits. */
  close(): void;
}

/** Opens a frame in `parent` that runs scripts. Rejects if its worker could not be loaded. */
export async function openSandbox(
  parent: HTMLElement,
  options: SandboxOptions,
  signal: AbortSignal,
): Promise<Sandbox> {
  // The frame has another origin and cannot load the worker itself.
  const response = await fetch(workerUrl, { signal });
  if (!response.ok) throw new Error(`The sandbox could not be loaded: ${response.status}`);
  const source = await response.text();
  signal.throwIfAborted();
  const frame = document.createElement("iframe");
  frame.sandbox.add("allow-scripts");
  frame.hidden = true;
  frame.src = SANDBOX_PATH;
  const { port1: port, port2 } = new MessageChannel();
  const post = (message: StudioMessage) => port.postMessage(message);
  port.onmessage = ({ data }: MessageEvent<unknown>) => void receive(data);
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  parent.append(frame);
  await loaded;
  // Its opaque origin cannot be named; the frame never leaves the document that was loaded.
  frame.contentWindow?.postMessage(source, "*", [port2]);
  post({ type: "open", origin: location.origin });
  return {
    run: (code) => post({ type: "run", code }),
    close() {
      port.close();
      frame.remove();
    },
  };

  async function receive(data: unknown): Promise<void> {
    const parsed = workerMessage.safeParse(data);
    if (!parsed.success) return;
    const message = parsed.data;
    if (message.type === "output") options.onOutput(message);
    else if (message.type === "done") options.onDone(message.ms);
    else {
      const { id, method, path, body } = message;
      const answer = await options.send({ method, path, body }).catch(failedResponse);
      post({ type: "response", id, ...answer });
    }
  }
}

function failedResponse(error: unknown): { status: number; body: string } {
  const text = error instanceof Error ? error.message : String(error);
  return { status: 403, body: JSON.stringify({ code: 119, error: text }) };
}
