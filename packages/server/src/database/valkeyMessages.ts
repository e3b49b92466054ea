import type { Valkey } from "../core/valkey/valkey.ts";
import type { Store } from "./store.ts";

/**
 * Passes the messages between processes by Valkey as well. The database passes them, too, or counts them for processes
 * that poll: none is lost if Valkey is unavailable, and they arrive at once if the database's notifications do not. A
 * message only names what to read again, so that receiving it twice has no effect.
 */
export function withValkeyMessages(store: Store, valkey: Pick<Valkey, "publish" | "subscribe">): Store {
  return {
    ...store,
    async publish(message) {
      // While Valkey is unavailable, which is logged elsewhere, the message arrives by the database.
      valkey.publish(message).catch(() => undefined);
      await store.publish(message);
    },
    subscribe(listener) {
      const unsubscribes = [store.subscribe(listener), valkey.subscribe(listener)];
      return () => {
        for (const unsubscribe of unsubscribes) unsubscribe();
      };
    },
  };
}
