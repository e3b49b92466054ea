import { defineModule, type SettingInputsOf, setting } from "@purse/kernel";
import { secret } from "../../config/settingTypes.ts";
import { DATA_PATHS } from "../../core/http/paths.ts";
import { dataUrlOf } from "../../core/http/serverUrl.ts";
import {
  CHAIN,
  CLOCK,
  HTTP,
  LEASES,
  LOG,
  OBJECTS,
  REPORT,
  SCHEMAS,
  SHARED_SETTINGS,
  STORE,
} from "../../module/tokens.ts";
import { ChainStreams } from "./chainStreams.ts";
import { STREAM_CLASSES } from "./streamClasses.ts";
import { streamRoutes } from "./streamRoutes.ts";
import { createStreamsApi } from "./streamsApi.ts";

const SETTINGS = {
  streamsSecret: setting(secret(8).optional(), {
    group: "Cloud code and webhooks",
    description:
      "Signs the messages of streams (x-signature), as the secret of Moralis Streams does. If unset, they are not signed.",
    isSecret: true,
  }),
};

/** Streams of Moralis: what happens on chains is sent to webhooks. */
export const streams = defineModule({
  name: "streams",
  needs: {
    store: STORE,
    schemas: SCHEMAS,
    objects: OBJECTS,
    chain: CHAIN,
    leases: LEASES,
    http: HTTP,
    shared: SHARED_SETTINGS,
    clock: CLOCK,
    log: LOG,
    report: REPORT,
  },
  settings: SETTINGS,
  classes: () => STREAM_CLASSES,
  open({ settings, facts, store, schemas, objects, chain, leases, http, shared, clock, log, report }) {
    const service = new ChainStreams({
      store,
      schemaOf: (className) => schemas.require(className),
      chain,
      config: { ...settings, allowPrivateHooks: shared.allowPrivateHooks },
      lease: (onChange) => leases.createHolder("chain-streams", onChange),
      clock,
      logger: log,
    });
    const api = createStreamsApi({
      routes: streamRoutes(service),
      dataUrl: dataUrlOf(http.publicUrl),
      http,
      maxBodyBytes: shared.maxBodyBytes,
      report: (error) => report(error, "the streams API"),
    });
    return {
      async publicHttp(app) {
        for (const prefix of DATA_PATHS) await app.register(api, { prefix });
      },
      async adminRoutes() {
        const { streamAdminRoutes } = await import("./adminRoutes.ts");
        return streamAdminRoutes({ objects, streams: service });
      },
      missingChains: () => service.missingChains.map(String),
      ...(facts.roles.includes("worker") && {
        start: () => service.start(),
        stop: () => service.stop(),
      }),
    };
  },
});

declare module "@purse/kernel" {
  interface ModuleInputs extends SettingInputsOf<typeof SETTINGS> {}
}
