const forgets: (() => void)[] = [];
const sends: (() => void)[] = [];
let isScheduled = false;

/**
 * Calls functions at the end of the turn of the event loop: first all `forget` ones, then all `send` ones. What is kept
 * until statements are sent is thereby forgotten before any of them is, and cannot be joined later.
 */
export const endOfTurn = {
  forget(callback: () => void): void {
    forgets.push(callback);
    schedule();
  },

  send(callback: () => void): void {
    sends.push(callback);
    schedule();
  },
};

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    for (const callback of [...forgets.splice(0), ...sends.splice(0)]) callback();
  });
}
