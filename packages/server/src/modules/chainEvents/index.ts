import { defineModule, type SettingInputsOf } from "@purse/kernel";
import {
  CHAIN,
  CLOCK,
  CLOUD,
  EVENTS,
  LEASES,
  LOG,
  OBJECTS,
  SCHEMAS,
  SHARED_SETTINGS,
  STORE,
} from "../../module/tokens.ts";
import { CHAIN_EVENT_CLASSES } from "./chainEventClasses.ts";
import { ChainEvents } from "./chainEvents.ts";
import { chainEventSettings } from "./settings.ts";

/** On-chain events that are stored as objects: watches of contracts, and synced addresses. */
export const chainEvents = defineModule({
  name: "chainEvents",
  needs: {
    store: STORE,
    schemas: SCHEMAS,
    objects: OBJECTS,
    events: EVENTS,
    cloud: CLOUD,
    chain: CHAIN,
    leases: LEASES,
    shared: SHARED_SETTINGS,
    clock: CLOCK,
    log: LOG,
  },
  settings: chainEventSettings,
  classes: () => Object.values(CHAIN_EVENT_CLASSES),
  open({ settings, facts, store, schemas, objects, events, cloud, chain, leases, shared, clock, log }) {
    const { webhookKey, allowPrivateHooks } = shared;
    const service = new ChainEvents({
      store,
      schemas,
      objects,
      chain,
      config: { ...settings, webhookKey, allowPrivateHooks },
      events,
      consumeTrigger: (className) => cloud.consumeTrigger(className),
      lease: (onChange) => leases.createHolder("chain-watch", onChange),
      clock,
      logger: log,
    });
    return {
      rules: service.rules,
      functions: service.functions,
      async adminRoutes() {
        const { deliveryAdminRoutes } = await import("./adminRoutes.ts");
        return deliveryAdminRoutes(objects);
      },
      missingChains: () => [...service.missingChains],
      ...(facts.roles.includes("worker") && {
        start: () => service.start(),
        stop: () => service.stop(),
      }),
    };
  },
});

declare module "@purse/kernel" {
  interface ModuleInputs extends SettingInputsOf<typeof chainEventSettings> {}
}
