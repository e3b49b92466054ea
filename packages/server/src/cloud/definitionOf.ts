import { CONFIG_CLASS } from "./classNames.ts";
import type { Invocation } from "./workerMessages.ts";

/** The definition that an invocation executes: `beforeSave.Note`, `function hello`. */
export function definitionOf(invocation: Invocation): string {
  switch (invocation.kind) {
    case "function":
    case "job":
      return `${invocation.kind} ${invocation.name}`;
    case "object":
      return `${invocation.trigger}.${invocation.className}`;
    case "beforeSave":
    case "beforeFind":
    case "afterFind":
      return `${invocation.kind}.${invocation.className}`;
    case "file":
      return invocation.trigger;
    case "config":
      return `${invocation.trigger}.${CONFIG_CLASS}`;
    case "connect":
      return "beforeConnect";
    case "subscribe":
      return `beforeSubscribe.${invocation.className}`;
    case "liveEvent":
      return `afterLiveQueryEvent.${invocation.className}`;
    case "liveConnection":
      return "onLiveQueryEvent";
    case "consume":
      return `beforeConsume.${invocation.className}`;
  }
}
