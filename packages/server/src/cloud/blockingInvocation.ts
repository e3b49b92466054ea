import type { Session } from "node:inspector";

/** The function of the cloud code's thread that returns the ID of the invocation whose code is running. */
export const CURRENT_INVOCATION = Symbol.for("purse.currentInvocation");

/** How long a thread may take to answer, in ms. */
const ANSWER_MS = 1_000;
const EXPRESSION = `globalThis[Symbol.for(${JSON.stringify(CURRENT_INVOCATION.description)})]()`;

/**
 * Asks a blocked thread, by its unique name, which invocation blocks it, in the way of a debugger: while its code runs, a thread handles
 * nothing else. Returns undefined if that is unknown, as in native code, or if this process has no inspector.
 */
export async function findBlockingInvocation(threadName: string): Promise<number | undefined> {
  let session: Session | undefined;
  const answer = Promise.withResolvers<number | undefined>();
  const deadline = setTimeout(() => answer.resolve(undefined), ANSWER_MS);
  try {
    const inspector = await import("node:inspector");
    const connected = new inspector.Session();
    session = connected;
    connected.connect();
    connected.on("NodeWorker.attachedToWorker", ({ params: { sessionId, workerInfo } }) => {
      if (!workerInfo.title.endsWith(` ${threadName}`)) return;
      const message = JSON.stringify({
        id: 1,
        method: "Runtime.evaluate",
        params: { expression: EXPRESSION, returnByValue: true },
      });
      connected.post("NodeWorker.sendMessageToWorker", { sessionId, message });
    });
    connected.on("NodeWorker.receivedMessageFromWorker", ({ params: { message } }) => {
      const value: unknown = JSON.parse(message).result?.result?.value;
      answer.resolve(typeof value === "number" && value > 0 ? value : undefined);
    });
    connected.post("NodeWorker.enable", { waitForDebuggerOnStart: false }, (error) => {
      if (error) answer.resolve(undefined);
    });
    return await answer.promise;
  } catch {
    // Node.js was built without its inspector, or does not allow it; the thread is ended all the same.
    return undefined;
  } finally {
    clearTimeout(deadline);
    session?.disconnect();
  }
}
