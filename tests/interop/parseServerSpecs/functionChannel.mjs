// Part of a Purse process: calls functions of the process that runs the specs, over a WebSocket.

/**
 * Connects to the process that runs the specs.
 * @param role who connects: "cloud", "config" or "mail".
 * @param onMessage takes messages that are no results of calls.
 */
export function connectSpecs(role, onMessage) {
  const socket = new WebSocket(process.env.SPECS_CHANNEL);
  const calls = new Map();
  let lastCall = 0;
  const opened = new Promise((resolve) => {
    socket.addEventListener("open", () => {
      socket.send(JSON.stringify({ role, server: process.env.SPECS_SERVER }));
      resolve();
    });
  });
  // The specs ended: so does this process, soon.
  socket.addEventListener("error", () => undefined);
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(data);
    if (message.calledBack !== undefined) return void callBack(message);
    if (message.result === undefined) return onMessage?.(message);
    calls.get(message.result)?.resolve(message);
    calls.delete(message.result);
  });

  /** A function that runs calls a method of its request. */
  async function callBack({ calledBack, of, method, args }) {
    const error = await calls
      .get(of)
      ?.onCallback?.(method, args)
      .then(
        () => undefined,
        (thrown) => String(thrown?.message ?? thrown),
      );
    socket.send(JSON.stringify({ returned: calledBack, error }));
  }

  return {
    async send(message) {
      await opened;
      socket.send(JSON.stringify(message));
    },
    /**
     * Calls a function by its id; resolves with its reply, which has `value` or `error`.
     * @param onCallback calls a method of the request that the function got
     */
    async call(id, args, onCallback) {
      await opened;
      return await new Promise((resolve) => {
        calls.set(++lastCall, { resolve, onCallback });
        socket.send(JSON.stringify({ call: id, number: lastCall, args }));
      });
    },
  };
}

/** What a function of the specs threw. */
export function thrownBy({ isParseError, code, message, plain }, ParseError) {
  if (isParseError && ParseError) return new ParseError(code, message);
  if (plain !== undefined) return plain;
  return Object.assign(new Error(message), code !== undefined && { code });
}
